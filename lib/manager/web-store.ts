import { defer, of } from 'rxjs';
import type { CacheEntry, CacheStore } from '../client/cache-store.js';
import { isObject } from '../wire/message.js';

/** What is needed of `localStorage` or `sessionStorage`. @public */
export interface StorageLike {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** What is kept under another one counts for nothing. */
const FORMAT = 1;

/**
 * Keeps results in the storage of a browser; answers synchronously. An older
 * answer never takes the place of a newer one. Storage that is full, blocked or
 * holds something else counts as empty.
 *
 * @param prefix - Of the keys. @defaultValue 'rxjs-mcp:'
 * @public
 */
export function webStore(storage: StorageLike, prefix = 'rxjs-mcp:'): CacheStore {
  const read = (key: string): CacheEntry | undefined => {
    try {
      const value: unknown = JSON.parse(storage.getItem(prefix + key) ?? 'null');
      return isObject(value) && value.format === FORMAT && isEntry(value.entry) ? value.entry : undefined;
    } catch {
      return undefined;
    }
  };
  const write = (key: string, entry: CacheEntry) => {
    if ((read(key)?.askedAt ?? -Infinity) > entry.askedAt) return;
    try {
      storage.setItem(prefix + key, JSON.stringify({ format: FORMAT, entry }));
    } catch {
      // Full or blocked: a cache may lose what it is given.
    }
  };
  return {
    get: (key) => defer(() => of(read(key))),
    set: (key, entry) => defer(() => {
      write(key, entry);
      return of(undefined);
    }),
  };
}

function isEntry(entry: unknown): entry is CacheEntry {
  return isObject(entry) && isObject(entry.result) && typeof entry.askedAt === 'number' && typeof entry.ttlMs === 'number';
}
