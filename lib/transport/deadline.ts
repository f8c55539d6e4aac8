import { map, Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { ConfigError } from '../errors.js';
import { DeadlineClock, Wait, type Waiter } from './deadline-clock.js';

/**
 * A wait that can begin afresh, under a total that cannot. Means what
 * `timeout({ each })` and a second `timeout({ first })` would, on the same
 * virtual time, at a fraction of their cost. Runs until unsubscribed.
 */
export class Deadline extends Wait {
  readonly #total: Wait | undefined;
  /** By how many it is held. */
  #holds = 0;

  /**
   * @param ms - Longest wait, in milliseconds; `Infinity` for none.
   * @param totalMs - Longest wait however often it is extended, in milliseconds.
   * @param waiter - Told which of the two passed.
   */
  constructor(clock: DeadlineClock, ms: number, totalMs: number, waiter: Waiter) {
    super(clock, Math.min(ms, totalMs), waiter);
    if (totalMs > ms) this.#total = new Wait(clock, totalMs, waiter);
  }

  /** The wait begins afresh. Without effect where the total is no longer than the wait. */
  extend(): void {
    if (this.#total !== undefined) this.restart();
  }

  /** Both waits stand still until each who holds them has called {@link resume}. */
  override hold(): void {
    if (this.#holds++ > 0) return;
    super.hold();
    this.#total?.hold();
  }

  override resume(): void {
    if (--this.#holds > 0) return;
    super.resume();
    this.#total?.resume();
  }

  override unsubscribe(): void {
    super.unsubscribe();
    this.#total?.unsubscribe();
  }
}

/** @internal */
export interface DeadlineOptions {
  /** Longest wait, in milliseconds; `Infinity` for none. */
  readonly ms: number;
  /** Shared by what is often waited for at the same time. @defaultValue one of its own */
  readonly clock?: DeadlineClock | undefined;
  readonly error: (passedMs: number) => Error;
  /** Whether the first value ends the wait. @defaultValue false */
  readonly firstOnly?: boolean | undefined;
}

/** Errors when the source has not completed, or not begun, in time. */
export function deadline<T>({ ms, clock = new DeadlineClock(), error, firstOnly }: DeadlineOptions): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      const wait = new Wait(clock, ms, {
        passed: () => {
          subscriber.error(error(ms));
        },
      });
      subscriber.add(wait);
      const begun = (value: T) => {
        wait.unsubscribe();
        return value;
      };
      (firstOnly ? source$.pipe(map(begun)) : source$).subscribe(subscriber);
    });
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
