import { asyncScheduler, catchError, concat, defer, map, of, take, type Observable, type ObservableInput } from 'rxjs';
import type { CacheStore } from '../client/cache-store.js';

/** How long a list is good for a start, in milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** What is kept under another one counts as nothing. */
const FORMAT = 1;

/** A list that a server had when it was last asked, for the time in which it starts. */
export class Catalogue<T> {
  readonly #store: CacheStore;
  readonly #key: string;

  /** @param key - What is listed, the server's name, what its entry says, and whose it is. */
  constructor(store: CacheStore, key: readonly string[]) {
    this.#store = store;
    this.#key = JSON.stringify(key);
  }

  /** What is kept; nothing when there is nothing, it is too old, or the store fails. Emits once. */
  load(): Observable<readonly T[]> {
    return safely(() => this.#store.get(this.#key)).pipe(
      map((entry) => {
        const { format, items } = (entry?.result ?? {}) as { format?: unknown; items?: unknown };
        if (entry === undefined || format !== FORMAT || !Array.isArray(items) || asyncScheduler.now() - entry.askedAt > KEPT_MS) return [];
        return items as T[];
      }),
    );
  }

  /** Keeps what the server said. Stores let no older answer take the place of a newer one. */
  save(items: readonly T[]): Observable<unknown> {
    return safely(() => this.#store.set(this.#key, { result: { format: FORMAT, items: [...items] }, askedAt: asyncScheduler.now(), ttlMs: KEPT_MS }));
  }
}

/** A store that fails only costs time. */
function safely<T>(ask: () => ObservableInput<T>): Observable<T | undefined> {
  return concat(defer(ask).pipe(catchError(() => of(undefined))), of(undefined)).pipe(take(1));
}
