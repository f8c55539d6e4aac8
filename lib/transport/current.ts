import { ReplaySubject, type Observable } from 'rxjs';
import type { EmitQueue } from './emit-queue.js';

/** A value that changes: known at any time, and replayed to whoever subscribes, even after the last change. */
export class Current<T> {
  readonly #subject = new ReplaySubject<T>(1);
  readonly #queue: EmitQueue;
  #value: T;

  readonly value$: Observable<T> = this.#subject.asObservable();

  constructor(initial: T, queue: EmitQueue) {
    this.#queue = queue;
    this.#value = initial;
    this.#subject.next(initial);
  }

  get value(): T {
    return this.#value;
  }

  /** Changes the value at once; subscribers learn it in their turn. */
  next(value: T): void {
    this.#value = value;
    this.#queue.next(this.#subject, value);
  }

  complete(): void {
    this.#queue.run(() => {
      this.#subject.complete();
    });
  }
}
