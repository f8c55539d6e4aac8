import { asyncScheduler, Subscription, type SchedulerAction, type Unsubscribable } from 'rxjs';
import { FreshMap } from './fresh-map.js';

/** Longest delay a platform timer takes; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits of one length: they end in the order in which they began, so one timer
 * does for all of them. A list through the waits themselves: joining and
 * leaving cost next to nothing, and leave nothing behind.
 */
class Line {
  readonly ms: number;
  readonly #onEmpty: () => void;
  #first: Wait | undefined;
  #last: Wait | undefined;
  #timer: Subscription | undefined;

  constructor(ms: number, onEmpty: () => void) {
    this.ms = ms;
    this.#onEmpty = onEmpty;
  }

  /** A wait that has just begun ends last. */
  add(wait: Wait): void {
    wait.previous = this.#last;
    if (this.#last === undefined) this.#first = wait;
    else this.#last.next = wait;
    this.#last = wait;
    this.#timer ??= this.#ringIn(this.ms);
  }

  /** The timer goes on if anybody else waits; it looks then for whom it rings. */
  delete(wait: Wait): void {
    this.#unlink(wait);
    if (this.#first === undefined) this.#end();
  }

  /** A wait of this line that began afresh. */
  moveToEnd(wait: Wait): void {
    this.#unlink(wait);
    this.add(wait);
  }

  #unlink(wait: Wait): void {
    const { previous, next } = wait;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    wait.previous = undefined; // so that one that is over holds no other in memory
    wait.next = undefined;
  }

  #ringIn(ms: number): Subscription {
    return after(ms, () => {
      this.#ring();
    });
  }

  #ring(): void {
    const now = asyncScheduler.now();
    for (let wait = this.#first; wait !== undefined; wait = this.#first) {
      const left = wait.beganAt + this.ms - now;
      if (left > 0) {
        this.#timer = this.#ringIn(Math.min(left, this.ms)); // a clock that was set back delays nobody for longer
        return;
      }
      this.#unlink(wait);
      wait.over();
    }
    this.#end();
  }

  #end(): void {
    this.#timer?.unsubscribe();
    this.#timer = undefined;
    this.#onEmpty();
  }
}

/** Who waits for something that may not come. */
export interface Waiter {
  /** The wait is over: it came to its end, `ms` milliseconds after it began. */
  passed(ms: number): void;
}

/** Tells its waiter after a while, unless it is taken back. */
export class Wait implements Unsubscribable {
  /** When it last went on. */
  beganAt = 0;
  /** Its neighbours in the line. */
  previous: Wait | undefined;
  next: Wait | undefined;
  readonly #clock: DeadlineClock;
  readonly #ms: number;
  readonly #waiter: Waiter;
  /** Undefined unless it runs. */
  #line: Line | undefined;
  #isHeld = false;
  /** Milliseconds to wait, from when it last went on. */
  #left: number;

  /** @param ms - Milliseconds to wait; `Infinity` for ever. */
  constructor(clock: DeadlineClock, ms: number, waiter: Waiter) {
    this.#clock = clock;
    this.#ms = ms;
    this.#waiter = waiter;
    this.#left = ms;
    this.#begin();
  }

  /** @internal */
  over(): void {
    this.#line = undefined;
    this.#waiter.passed(this.#ms);
  }

  /** Begins afresh. */
  restart(): void {
    this.#left = this.#ms;
    if (this.#line !== undefined) this.#begin();
  }

  /** Stands still until it goes on. */
  hold(): void {
    if (this.#line === undefined) return;
    this.#left = Math.max(0, this.#left - (asyncScheduler.now() - this.beganAt));
    this.#leave();
    this.#isHeld = true;
  }

  /** Goes on with what was left. */
  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#begin();
  }

  unsubscribe(): void {
    this.#leave();
    this.#isHeld = false;
  }

  #leave(): void {
    this.#line?.delete(this);
    this.#line = undefined;
  }

  #begin(): void {
    if (this.#left === Infinity) return;
    const before = this.#line;
    this.beganAt = asyncScheduler.now();
    if (before?.ms === this.#left) {
      before.moveToEnd(this);
      return;
    }
    before?.delete(this);
    this.#line = this.#clock.lineOf(this.#left);
    this.#line.add(this);
  }
}

/**
 * Many waits on few timers. Calls mostly share one deadline, and a timer for
 * each would cost more than all else that is done for a call.
 */
export class DeadlineClock {
  readonly #lines = new FreshMap<number, Line>();

  /** @internal */
  lineOf(ms: number): Line {
    const known = this.#lines.get(ms);
    if (known !== undefined) return known;
    const line: Line = new Line(ms, () => {
      if (this.#lines.get(ms) === line) this.#lines.delete(ms);
    });
    this.#lines.set(ms, line);
    return line;
  }
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
