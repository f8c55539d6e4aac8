import { catchError, EMPTY, isObservable, map, noop, type Observable, of, ReplaySubject, share, skip, switchMap, take, tap } from 'rxjs';
import type { Root } from '../../wire/mcp/roots.js';
import type { McpClient } from '../client.js';
import type { ClientFeature } from '../feature.js';
import { inputFeature, type InputOptions } from './input-feature.js';

/**
 * Tells the server which directories or files to work on.
 *
 * @param roots - An Observable is subscribed to while the client is connected;
 * the server gets its latest value, and on revisions up to 2025-11-25 is told
 * of every change. Should begin with a value: until there is one, the server
 * waits. After an error the latest value stays.
 * @see MCP 2025-11-25 Roots
 * @public
 */
export function withRoots(roots: readonly Root[] | Observable<readonly Root[]>, options: InputOptions = {}): ClientFeature {
  const isLive = isObservable(roots);
  return inputFeature(() => {
    const latest$ = isLive ? keepingLatest(roots) : of(roots);
    return {
      method: 'roots/list',
      capabilities: { roots: isLive ? { listChanged: true } : {} },
      check: noop,
      handler: () => latest$.pipe(take(1), map((list) => ({ roots: [...list] }))),
      maxRounds: options.maxRounds,
      extend: (client, report) => {
        if (isLive) follow(client, latest$, report);
        return {};
      },
    };
  });
}

/** One subscription to the source, however many ask; what it said last is kept, even after it ended. */
function keepingLatest<T>(source$: Observable<T>): Observable<T> {
  return source$.pipe(share({ connector: () => new ReplaySubject<T>(1), resetOnComplete: false, resetOnError: false }));
}

/** Stays subscribed while there is a connection, and announces what changes in that time. Ends with the client. */
function follow(client: McpClient, latest$: Observable<unknown>, report: (error: unknown) => void): void {
  client.state$
    .pipe(
      switchMap((state) => {
        if (state.status !== 'ready') return EMPTY;
        const isTold = state.session.verdict.era === 'legacy';
        return latest$.pipe(
          skip(1), // the first is no change
          tap(() => {
            if (isTold) void client.notify('notifications/roots/list_changed');
          }),
          catchError((error: unknown) => {
            report(error);
            return EMPTY;
          }),
        );
      }),
    )
    .subscribe();
}
