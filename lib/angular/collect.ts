import { concat, map, mergeMap, of, scan, type Observable, type OperatorFunction } from 'rxjs';
import type { OfServer, PendingElicitation } from '../index.js';

/** Most logs that are kept. */
const MAX_LOGS = 200;

/** What was logged last, the newest at the end. */
export function latestOf<T>(): OperatorFunction<T, readonly T[]> {
  return scan((latest: readonly T[], item) => appended(latest, item), []);
}

/** A list of logs with one more; the oldest go first. */
export function appended<T>(logs: readonly T[], log: T): readonly T[] {
  return [...logs.slice(1 - MAX_LOGS), log];
}

type Question = OfServer<'elicitation', PendingElicitation>;

/** The questions that wait for an answer, the oldest first. */
export function openOf(questions$: Observable<Question>): Observable<readonly Question[]> {
  const changes$ = questions$.pipe(
    mergeMap((question) => {
      const added = (open: readonly Question[]) => [...open, question];
      const removed = (open: readonly Question[]) => open.filter((one) => one !== question);
      return concat(of(added), question.elicitation.ended$.pipe(map(() => removed)));
    }),
  );
  return changes$.pipe(scan((open: readonly Question[], change) => change(open), []));
}
