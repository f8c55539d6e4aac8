import type { Subject } from 'rxjs';

/**
 * Emits into several subjects through one queue.
 *
 * A subscriber that causes another emission from inside its `next` does not
 * overtake: what it caused is emitted after the current value has reached
 * everybody. Without it later subscribers see values in reverse order.
 */
export class EmitQueue {
  readonly #waiting: (() => void)[] = [];
  #draining = false;

  /** Whether something is being emitted, so that what comes now has to wait. */
  get isBusy(): boolean {
    return this.#draining;
  }

  /** Emits now, or after what is being emitted. */
  next<T>(subject: Subject<T>, value: T): void {
    if (this.#draining) {
      this.#waiting.push(() => {
        subject.next(value);
      });
      return;
    }
    this.#draining = true;
    subject.next(value); // subscribers' errors are RxJS's to report, they do not come back here
    this.#drain();
  }

  /** Like {@link run}, with something to work on: nothing is made where nothing has to wait. */
  call<T>(task: (value: T) => void, value: T): void {
    if (this.#draining) {
      this.#waiting.push(() => {
        task(value);
      });
      return;
    }
    this.#draining = true;
    try {
      task(value);
    } finally {
      this.#drain();
    }
  }

  /** Runs now, or after what is being emitted. */
  run(task: () => void): void {
    this.call(task, undefined);
  }

  #drain(): void {
    try {
      if (this.#waiting.length > 0) for (const emit of this.#waiting) emit(); // grows while it runs
    } finally {
      if (this.#waiting.length > 0) this.#waiting.length = 0;
      this.#draining = false;
    }
  }
}
