import { asyncScheduler, Observable, type MonoTypeOperatorFunction, type Unsubscribable } from 'rxjs';
import { ConfigError } from '../errors.js';
import { after, DeadlineClock, type Wait } from './deadline-clock.js';

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
 * A wait that can be extended, under a total that cannot. Means what
 * `timeout({ each })` and a second `timeout({ first })` would, on the same
 * virtual time, at a fraction of their cost. Runs until unsubscribed.
 */
export class Deadline implements Wait, Unsubscribable {
  beganAt = 0;
  readonly #clock: DeadlineClock;
  readonly #idleMs: number;
  readonly #totalMs: number;
  readonly #passed: (ms: number) => void;
  #ms = 0;
  #spentMs = 0;
  #extendedAt: number | undefined;

  /** @param passed - Told which of the two waits passed. */
  constructor({ ms, totalMs = ms, clock = new DeadlineClock() }: DeadlineOptions, passed: (ms: number) => void) {
    this.#clock = clock;
    this.#idleMs = ms;
    this.#totalMs = totalMs;
    this.#passed = passed;
    this.#start(Math.min(ms, totalMs));
  }

  /** The wait begins afresh. Costs a look at the clock, no timer. */
  extend(): void {
    this.#extendedAt = asyncScheduler.now();
  }

  unsubscribe(): void {
    this.#clock.stop(this.#ms, this);
  }

  end(): void {
    this.#spentMs += this.#ms;
    const idleMs = this.#extendedAt === undefined ? this.#ms : asyncScheduler.now() - this.#extendedAt;
    const leftMs = this.#extendedAt === undefined ? 0 : this.#idleMs - Math.min(Math.max(idleMs, 0), this.#ms);
    this.#extendedAt = undefined;
    if (this.#spentMs >= this.#totalMs) this.#passed(this.#totalMs);
    else if (leftMs <= 0) this.#passed(this.#idleMs);
    else this.#start(Math.min(leftMs, this.#totalMs - this.#spentMs));
  }

  #start(ms: number): void {
    this.#ms = ms;
    this.#clock.start(ms, this);
  }
}

/** Errors when the source has not completed in time. */
export function deadline<T>(options: DeadlineOptions & { readonly error: (passedMs: number) => Error }): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      const wait = new Deadline(options, (passedMs) => {
        subscriber.error(options.error(passedMs));
      });
      subscriber.add(wait);
      source$.subscribe(subscriber);
    });
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
