import { asyncScheduler, Subscription, type SchedulerAction, type Unsubscribable } from 'rxjs';

/** Longest delay a platform timer takes; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits of one length that began at one moment: they end together, on one timer. */
class Batch {
  readonly beganAt = asyncScheduler.now();
  readonly #waits = new Set<Wait>();
  readonly #timer: Subscription;
  readonly #onOver: () => void;

  /** @param onOver - No wait may be added from then on. */
  constructor(ms: number, onOver: () => void) {
    this.#onOver = onOver;
    this.#timer = after(ms, () => {
      onOver();
      for (const wait of this.#waits) {
        this.#waits.delete(wait);
        wait.work();
      }
    });
  }

  add(wait: Wait): void {
    this.#waits.add(wait);
  }

  delete(wait: Wait): void {
    if (!this.#waits.delete(wait) || this.#waits.size > 0) return;
    this.#timer.unsubscribe();
    this.#onOver();
  }
}

/** Something to be done after a while, unless it is taken back. */
export class Wait implements Unsubscribable {
  readonly work: () => void;
  readonly #clock: DeadlineClock;
  readonly #ms: number;
  /** Undefined while it is held. */
  #batch: Batch | undefined;
  /** Milliseconds to wait, from when it last went on. */
  #left: number;

  constructor(clock: DeadlineClock, ms: number, work: () => void) {
    this.work = work;
    this.#clock = clock;
    this.#ms = ms;
    this.#left = ms;
    this.#batch = clock.join(this, ms);
  }

  /** Begins afresh. */
  restart(): void {
    this.#left = this.#ms;
    if (this.#batch !== undefined) this.#begin();
  }

  /** Stands still until it goes on. */
  hold(): void {
    if (this.#batch === undefined) return;
    this.#left = Math.max(0, this.#left - (asyncScheduler.now() - this.#batch.beganAt));
    this.unsubscribe();
  }

  /** Goes on with what was left. */
  resume(): void {
    if (this.#batch === undefined) this.#begin();
  }

  unsubscribe(): void {
    this.#batch?.delete(this);
    this.#batch = undefined;
  }

  #begin(): void {
    this.unsubscribe();
    this.#batch = this.#clock.join(this, this.#left);
  }
}

/**
 * Many waits on few timers. Calls mostly share one deadline and come in bursts,
 * and a timer for each would cost more than all else that is done for a call.
 */
export class DeadlineClock {
  readonly #latest = new Map<number, Batch>();

  /** Works once, `ms` milliseconds from now; never for `Infinity`. Unsubscribing takes it back. */
  after(ms: number, work: () => void): Wait | undefined {
    return ms === Infinity ? undefined : new Wait(this, ms, work);
  }

  /** @internal */
  join(wait: Wait, ms: number): Batch {
    const latest = this.#latest.get(ms);
    const batch = latest?.beganAt === asyncScheduler.now() ? latest : this.#newBatch(ms);
    batch.add(wait);
    return batch;
  }

  #newBatch(ms: number): Batch {
    const batch: Batch = new Batch(ms, () => {
      if (this.#latest.get(ms) === batch) this.#latest.delete(ms);
    });
    this.#latest.set(ms, batch);
    return batch;
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
