// What becomes of an Observable, and waiting for something to become true, for specs on the real clock.
import type { Observable } from 'rxjs';
import { outcome as outcomeOf } from '../../lib/testing/collect.ts';

export interface Outcome<T> {
  readonly values: readonly T[];
  /** What it errored with; undefined when it completed. */
  readonly error: any;
}

/** Subscribes, and waits for the end, whichever it is. */
export const outcome: <T>(source$: Observable<T>) => Promise<Outcome<T>> = outcomeOf;

/** The error that it must end with. */
export async function errorOf(source$: Observable<unknown>): Promise<any> {
  const { values, error } = await outcome(source$);
  if (error === undefined) throw new Error(`Completed after ${JSON.stringify(values)} where an error was expected`);
  return error;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Looks again and again, for ten seconds: a loop that outlives its spec would disturb the ones after it. */
export async function until<T>(look: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + 10_000;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Exclude<T, undefined | false>;
    if (performance.now() > end) throw new Error(`Still not so: ${String(look)}`);
    await pause(5);
  }
}
