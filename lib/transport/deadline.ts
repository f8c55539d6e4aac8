import { asyncScheduler, Observable, Subscription, type MonoTypeOperatorFunction, type SchedulerAction } from 'rxjs';
import { ConfigError } from '../errors.js';

/** Longest delay a platform timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @internal */
export interface DeadlineOptions<T> {
  /** Longest wait for the next value that counts, in milliseconds; `Infinity` for none. */
  readonly idleMs: number;
  /** Longest wait for the end, whatever comes, in milliseconds; `Infinity` for none. */
  readonly totalMs: number;
  /** Whether a value starts the idle wait afresh. */
  readonly extendedBy: (value: T) => boolean;
  /** The error for the wait that passed. */
  readonly error: (passedMs: number) => Error;
}

/**
 * Errors when the source takes too long. Means what `timeout({ each })` and a
 * second `timeout({ first })` would, on the same virtual time, at a fraction of
 * their cost: one timer, however often it is extended.
 */
export function deadline<T>({ idleMs, totalMs, extendedBy, error }: DeadlineOptions<T>): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      const start = asyncScheduler.now();
      let extendedAt = start;
      const watch = () => {
        const now = asyncScheduler.now();
        const idleLeft = extendedAt + idleMs - now;
        const totalLeft = start + totalMs - now;
        if (totalLeft <= 0) subscriber.error(error(totalMs));
        else if (idleLeft <= 0) subscriber.error(error(idleMs));
        else subscriber.add(after(Math.min(idleLeft, totalLeft), watch));
      };
      subscriber.add(after(Math.min(idleMs, totalMs), watch));
      subscriber.add(
        source$.subscribe({
          next: (value) => {
            if (extendedBy(value)) extendedAt = asyncScheduler.now();
            subscriber.next(value);
          },
          error: (reason: unknown) => {
            subscriber.error(reason);
          },
          complete: () => {
            subscriber.complete();
          },
        }),
      );
    });
}

/** Works once, after any number of milliseconds; never for `Infinity`. */
export function after(ms: number, work: () => void): Subscription {
  if (ms === Infinity) return Subscription.EMPTY;
  const first = Math.min(ms, MAX_TIMER_MS);
  return asyncScheduler.schedule(
    function (this: SchedulerAction<number>, left = 0) {
      if (left <= 0) work();
      else this.schedule(left - MAX_TIMER_MS, Math.min(left, MAX_TIMER_MS));
    },
    first,
    ms - first,
  );
}

/** Emits once, after any number of milliseconds; never for `Infinity`. */
export function after$(ms: number): Observable<void> {
  return new Observable((subscriber) =>
    after(ms, () => {
      subscriber.next();
      subscriber.complete();
    }),
  );
}

/**
 * A wait that makes sense: more than 0 milliseconds; `Infinity` for none.
 *
 * @throws {@link ConfigError} anything else.
 */
export function checkTimeout(name: string, ms: number): number {
  if (typeof ms === 'number' && ms > 0) return ms;
  throw new ConfigError(`${name} must be a number of milliseconds above 0, or Infinity for none; got ${String(ms)}`);
}
