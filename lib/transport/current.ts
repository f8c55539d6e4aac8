import { Observable, Subject } from 'rxjs';
import type { EmitQueue } from './emit-queue.js';

/** A value that changes: known at any time, and replayed to whoever subscribes, even after the last change. */
export class Current<T> {
  readonly #changes = new Subject<T>();
  readonly #queue: EmitQueue;
  #value: T;
  #emitted: T;
  #isFinal = false;

  readonly value$: Observable<T>;

  constructor(initial: T, queue: EmitQueue) {
    this.#queue = queue;
    this.#value = this.#emitted = initial;
    this.value$ = new Observable((subscriber) => {
      if (!this.#isFinal) this.#changes.subscribe(subscriber); // first: the value itself may cause a change
      subscriber.next(this.#emitted);
      if (this.#isFinal) subscriber.complete();
    });
  }

  get value(): T {
    return this.#value;
  }

  /** Changes the value at once; subscribers learn it in their turn. */
  next(value: T): void {
    this.#value = value;
    this.#queue.run(() => {
      this.#emitted = value;
      this.#changes.next(value);
    });
  }

  complete(): void {
    this.#queue.run(() => {
      this.#isFinal = true;
      this.#changes.complete();
    });
  }
}
