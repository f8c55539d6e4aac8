import { type Observable, timer } from 'rxjs';
import { MAX_TIMER_MS } from './deadline-clock.js';

/** Delay before the first new attempt when the server names none; doubles with each failure. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
/** A stream that was open for so long was no failure, even if nothing came. */
export const LONG_LIFE_MS = 30_000;
/** However little the server asks for. */
const MIN_DELAY_MS = 100;
/** Attempts in a row that bring no message. */
export const MAX_ATTEMPTS = 8;

/** When an event stream that ended is opened again: later with each attempt in vain. */
export class Backoff {
  /** The delay that the server asks for: never sooner. */
  retryMs: number | undefined;
  readonly #maxAttempts: number;
  #failures = 0;

  constructor(maxAttempts = MAX_ATTEMPTS) {
    this.#maxAttempts = maxAttempts;
  }

  /** There was progress; that a stream opened is none. */
  reset(): void {
    this.#failures = 0;
  }

  /** The wait before the next attempt; undefined when there were enough. */
  next(): Observable<unknown> | undefined {
    if (++this.#failures > this.#maxAttempts) return undefined;
    const own = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), MAX_DELAY_MS);
    const { retryMs = own } = this;
    const delayMs = this.#failures === 1 ? retryMs : Math.max(retryMs, own);
    return timer(Math.min(Math.max(delayMs, MIN_DELAY_MS), MAX_TIMER_MS));
  }
}

/** Refusals that may pass: the old stream is still registered, the server is busy or restarting. */
export function isWorthRetrying(status: number): boolean {
  return status === 409 || status === 429 || (status >= 500 && status !== 501);
}
