import { map, Observable, type MonoTypeOperatorFunction, type Unsubscribable } from 'rxjs';
import { ConfigError } from '../errors.js';
import { DeadlineClock, type Wait } from './deadline-clock.js';

/** What a deadline is made of. */
export interface DeadlineOptions {
  /** Longest wait, in milliseconds; `Infinity` for none. */
  readonly ms: number;
  /** Longest wait however often it is extended, in milliseconds. @defaultValue `ms` */
  readonly totalMs?: number | undefined;
  /** Shared by what is often waited for at the same time. @defaultValue one of its own */
  readonly clock?: DeadlineClock | undefined;
}

/**
 * A wait that can begin afresh, under a total that cannot. Means what
 * `timeout({ each })` and a second `timeout({ first })` would, on the same
 * virtual time, at a fraction of their cost. Runs until unsubscribed.
 */
export class Deadline implements Unsubscribable {
  readonly #wait: Wait | undefined;
  readonly #total: Wait | undefined;
  readonly #mayExtend: boolean;
  /** By how many it is held. */
  #holds = 0;

  /** @param passed - Told which of the two waits passed. */
  constructor({ ms, totalMs = ms, clock = new DeadlineClock() }: DeadlineOptions, passed: (ms: number) => void) {
    this.#wait = clock.after(Math.min(ms, totalMs), passed);
    this.#mayExtend = totalMs > ms;
    if (this.#mayExtend) this.#total = clock.after(totalMs, passed);
  }

  /** The wait begins afresh. Without effect where the total is no longer than the wait. */
  extend(): void {
    if (this.#mayExtend) this.#wait?.restart();
  }

  /** Both waits stand still until each who holds them has called {@link resume}. */
  hold(): void {
    if (this.#holds++ > 0) return;
    this.#wait?.hold();
    this.#total?.hold();
  }

  resume(): void {
    if (--this.#holds > 0) return;
    this.#wait?.resume();
    this.#total?.resume();
  }

  unsubscribe(): void {
    this.#wait?.unsubscribe();
    this.#total?.unsubscribe();
  }
}

/** @internal */
export interface DeadlineOperatorOptions extends DeadlineOptions {
  readonly error: (passedMs: number) => Error;
  /** Whether the first value ends the wait. @defaultValue false */
  readonly firstOnly?: boolean | undefined;
}

/** Errors when the source has not completed, or not begun, in time. */
export function deadline<T>(options: DeadlineOperatorOptions): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      const wait = new Deadline(options, (passedMs) => {
        subscriber.error(options.error(passedMs));
      });
      subscriber.add(wait);
      const begun = (value: T) => {
        wait.unsubscribe();
        return value;
      };
      (options.firstOnly ? source$.pipe(map(begun)) : source$).subscribe(subscriber);
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
