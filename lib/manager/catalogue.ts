import { catchError, concat, defer, map, of, take, type Observable, type ObservableInput } from 'rxjs';
import type { CacheStore } from '../client/cache-store.js';
import type { Tool } from '../wire/mcp/tool-types.js';

/** How long a list is good for a start, in milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** What is kept under another one counts as nothing. */
const FORMAT = 1;

/** The tools a server had when it was last asked, for the time in which it starts. */
export class Catalogue {
  readonly #store: CacheStore;
  readonly #key: string;

  /** @param key - The server's name, what its entry says, and whose it is. */
  constructor(store: CacheStore, key: readonly string[]) {
    this.#store = store;
    this.#key = JSON.stringify(['tools', ...key]);
  }

  /** What is kept; nothing when there is nothing, it is too old, or the store fails. Emits once. */
  load(now: number): Observable<readonly Tool[]> {
    return safely(() => this.#store.get(this.#key)).pipe(
      map((entry) => {
        const { format, tools } = (entry?.result ?? {}) as { format?: unknown; tools?: unknown };
        if (entry === undefined || format !== FORMAT || !Array.isArray(tools) || now - entry.askedAt > KEPT_MS) return [];
        return tools as Tool[];
      }),
    );
  }

  /** Keeps what the server said. @param askedAt - The store lets no older answer take the place of a newer one. */
  save(tools: readonly Tool[], askedAt: number): Observable<unknown> {
    return safely(() => this.#store.set(this.#key, { result: { format: FORMAT, tools: [...tools] }, askedAt, ttlMs: KEPT_MS }));
  }
}

/** A store that fails only costs time. */
function safely<T>(ask: () => ObservableInput<T>): Observable<T | undefined> {
  return concat(defer(ask).pipe(catchError(() => of(undefined))), of(undefined)).pipe(take(1));
}
