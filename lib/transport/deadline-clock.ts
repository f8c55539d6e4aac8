import { asyncScheduler, Subscription, type SchedulerAction } from 'rxjs';

/** Longest delay a platform timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Something to be done after a while. */
export interface Wait {
  /** When it was last started, on the scheduler's clock. */
  beganAt: number;
  /** The while is over. */
  end(): void;
}

/** Waits of one length: they end in the order in which they began, so one timer serves them all. */
class WaitLine {
  readonly #ms: number;
  readonly #waits = new Set<Wait>();
  #timer = Subscription.EMPTY;
  #isEnding = false;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  add(wait: Wait): void {
    this.#waits.add(wait);
    if (this.#waits.size === 1 && !this.#isEnding) this.#wakeIn(this.#ms, wait.beganAt);
  }

  delete(wait: Wait): void {
    if (this.#waits.delete(wait) && this.isEmpty) this.#timer.unsubscribe();
  }

  /** The timer is trusted, the clock only for the gap to the next wait: somebody may set the clock. */
  #wakeIn(ms: number, firstBeganAt: number): void {
    this.#timer = after(ms, () => {
      this.#isEnding = true; // what ends may start others, which stand behind
      for (const wait of this.#waits) {
        if (wait.beganAt !== firstBeganAt) break;
        this.#waits.delete(wait);
        wait.end();
      }
      this.#isEnding = false;
      const [next] = this.#waits;
      if (next === undefined) return;
      const gapMs = next.beganAt - firstBeganAt;
      this.#wakeIn(gapMs > 0 && gapMs < this.#ms ? gapMs : this.#ms, next.beganAt);
    });
  }
}

/**
 * Many waits on few timers. Calls mostly share one deadline, and a timer for
 * each would cost more than all else that is done for a call.
 */
export class DeadlineClock {
  readonly #lines = new Map<number, WaitLine>();

  /** Ends `wait` once, `ms` milliseconds from now; never for `Infinity`. */
  start(ms: number, wait: Wait): void {
    if (ms === Infinity) return;
    const line = this.#lines.get(ms) ?? new WaitLine(ms);
    if (line.isEmpty) this.#lines.set(ms, line);
    wait.beganAt = asyncScheduler.now();
    line.add(wait);
  }

  /** Takes back what was started with the same `ms`. */
  stop(ms: number, wait: Wait): void {
    const line = this.#lines.get(ms);
    line?.delete(wait);
    if (line?.isEmpty) this.#lines.delete(ms);
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
