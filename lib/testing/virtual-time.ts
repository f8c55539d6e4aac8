import { asapScheduler, VirtualTimeScheduler } from 'rxjs';
import type { TestScheduler } from 'rxjs/testing';
import { MarbleSetupError } from './testing-errors.js';

/** Longest time that may pass in one test unless it says otherwise, in milliseconds: an hour. */
export const DEFAULT_LIMIT_MS = 3_600_000;

/**
 * Does what `asapScheduler` is about to do. It has one place for all its work,
 * on the real clock and in virtual time: what is left there when the clock is
 * changed would hold back everything that comes later.
 */
export function settleAsap(): void {
  for (let rounds = 0; asapScheduler.actions.length > 0 && rounds < 1_000; rounds++) asapScheduler.flush();
}

/** The clock of one run of a `TestScheduler`: all time at once, or some of it. */
export class VirtualTime {
  readonly #scheduler: TestScheduler;
  readonly #limitMs: number;

  constructor(scheduler: TestScheduler, limitMs: number) {
    this.#scheduler = scheduler;
    this.#limitMs = limitMs;
  }

  /** Milliseconds since the start. */
  now(): number {
    return this.#scheduler.frame;
  }

  /** Lets so many milliseconds pass; 0 does what is due now. */
  advance(ms: number): void {
    const until = this.#scheduler.frame + ms;
    this.#begin();
    this.#scheduler.maxFrames = until;
    VirtualTimeScheduler.prototype.flush.call(this.#scheduler); // without the comparison that comes at the end
    this.#scheduler.maxFrames = this.#limitMs;
    this.#scheduler.frame = until;
  }

  /**
   * Lets all time pass, and compares.
   *
   * @throws {@link MarbleSetupError} something would go on for ever.
   */
  flush(): void {
    this.#scheduler.maxFrames = this.#limitMs;
    this.#scheduler.flush();
    if (this.#scheduler.actions.length === 0) return;
    this.drop();
    throw new MarbleSetupError(`Something still runs after ${this.#limitMs} ms of virtual time, an interval or a poll perhaps: unsubscribe it in the test ("^---!", take, client.close()), or raise untilMs`);
  }

  /** What has not happened will not. */
  drop(): void {
    for (const action of this.#scheduler.actions.splice(0)) action.unsubscribe();
  }

  /** What `flush` of the scheduler does first. */
  #begin(): void {
    const { hotObservables } = this.#scheduler; // eslint-disable-line @typescript-eslint/no-deprecated -- there is no other way to begin without ending
    for (const hot of hotObservables.splice(0)) hot.setup();
  }
}
