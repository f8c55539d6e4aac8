import { asyncScheduler, Subscription, type SchedulerAction, type Unsubscribable } from 'rxjs';

/** Longest delay a platform timer takes; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits of one length: they end in the order in which they began, so one timer does for all of them. */
class Line {
  readonly #ms: number;
  readonly #waits = new Set<Wait>();
  readonly #onEmpty: () => void;
  #timer: Subscription | undefined;

  constructor(ms: number, onEmpty: () => void) {
    this.#ms = ms;
    this.#onEmpty = onEmpty;
  }

  add(wait: Wait): void {
    this.#waits.add(wait);
    this.#timer ??= this.#ringIn(this.#ms);
  }

  /** A wait of this line that began afresh ends last. */
  moveToEnd(wait: Wait): void {
    this.#waits.delete(wait);
    this.#waits.add(wait);
  }

  /** The timer goes on if anybody else waits; it looks then for whom it rings. */
  delete(wait: Wait): void {
    if (this.#waits.delete(wait) && this.#waits.size === 0) this.#end();
  }

  #ringIn(ms: number): Subscription {
    return after(ms, () => {
      this.#ring();
    });
  }

  #ring(): void {
    const now = asyncScheduler.now();
    for (const wait of this.#waits) {
      const left = wait.beganAt + this.#ms - now;
      if (left > 0) {
        this.#timer = this.#ringIn(Math.min(left, this.#ms)); // a clock that was set back delays nobody for longer
        return;
      }
      this.#waits.delete(wait);
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

/** Something to be done after a while, unless it is taken back. */
export class Wait implements Unsubscribable {
  /** When it last went on. */
  beganAt = 0;
  readonly #clock: DeadlineClock;
  readonly #ms: number;
  readonly #work: (ms: number) => void;
  /** Undefined while it is held. */
  #line: Line | undefined;
  /** Milliseconds to wait, from when it last went on. */
  #left: number;

  constructor(clock: DeadlineClock, ms: number, work: (ms: number) => void) {
    this.#work = work;
    this.#clock = clock;
    this.#ms = ms;
    this.#left = ms;
    this.#begin();
  }

  over(): void {
    this.#work(this.#ms);
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
    this.unsubscribe();
  }

  /** Goes on with what was left. */
  resume(): void {
    if (this.#line === undefined) this.#begin();
  }

  unsubscribe(): void {
    this.#line?.delete(this);
    this.#line = undefined;
  }

  #begin(): void {
    const before = this.#line;
    this.beganAt = asyncScheduler.now();
    this.#line = this.#clock.lineOf(this.#left);
    if (before === this.#line) before.moveToEnd(this);
    else {
      before?.delete(this);
      this.#line.add(this);
    }
  }
}

/**
 * Many waits on few timers. Calls mostly share one deadline, and a timer for
 * each would cost more than all else that is done for a call.
 */
export class DeadlineClock {
  readonly #lines = new Map<number, Line>();

  /** Works once, `ms` milliseconds from now, and is told how many they were; never for `Infinity`. Unsubscribing takes it back. */
  after(ms: number, work: (ms: number) => void): Wait | undefined {
    return ms === Infinity ? undefined : new Wait(this, ms, work);
  }

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
