import { defaultIfEmpty, defer, of, ReplaySubject, share, take, type Observable, type ObservableInput } from 'rxjs';
import { hashOf } from './entry-hash.js';
import type { ServerEntry } from './server-entry.js';

/** Asks whether entries may be used: once for each in its present words, however often it is enabled. */
export class Consents {
  readonly #ask: ((entry: ServerEntry) => ObservableInput<boolean>) | undefined;
  readonly #answers = new Map<string, Observable<boolean>>();

  /** @param ask - Undefined: all may. */
  constructor(ask: ((entry: ServerEntry) => ObservableInput<boolean>) | undefined) {
    this.#ask = ask;
  }

  /** Emits once, and completes. Who gives no answer has not agreed. */
  of(entry: ServerEntry): Observable<boolean> {
    const ask = this.#ask;
    if (ask === undefined) return of(true);
    const key = keyOf(entry);
    const answer$ =
      this.#answers.get(key) ??
      defer(() => ask(entry)).pipe(take(1), defaultIfEmpty(false), share({ connector: () => new ReplaySubject(1), resetOnComplete: false, resetOnError: true, resetOnRefCountZero: true }));
    this.#answers.set(key, answer$);
    return answer$;
  }

  /** The next time it is asked anew. */
  forget(entry: ServerEntry): void {
    this.#answers.delete(keyOf(entry));
  }
}

function keyOf(entry: ServerEntry): string {
  return JSON.stringify([entry.name, hashOf(entry)]);
}
