import type { ObservableInput } from 'rxjs';
import type { JsonObject } from '../wire/message.js';

/** A result, and when it was asked for, in milliseconds since 1970. Plain data. @public */
export interface CacheEntry {
  readonly result: JsonObject;
  readonly askedAt: number;
  readonly ttlMs: number;
}

/** Where results are kept. What it gives is awaited; what it throws counts as nothing found. @public */
export interface CacheStore {
  get(key: string): ObservableInput<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): ObservableInput<unknown>;
}

/** The part of Keyv that is needed; anything with it will do. @public */
export interface KeyvLike {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, ttlMs?: number): Promise<unknown>;
}

/**
 * Keeps results in memory; answers synchronously.
 *
 * @param maxEntries - The longest unused go first. @defaultValue 1_000
 * @public
 */
export function memoryStore(maxEntries = 1_000): CacheStore {
  const entries = new Map<string, CacheEntry>();
  const put = (key: string, entry: CacheEntry) => {
    entries.delete(key); // to the end: the newest
    entries.set(key, entry);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry !== undefined) put(key, entry);
      return [entry];
    },
    set: (key, entry) => {
      put(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      return [undefined];
    },
  };
}

/**
 * Keeps results in a Keyv, and so in Redis and whatever else Keyv knows.
 *
 * @param keepMs - How long entries are kept beyond their time, for use after errors. @defaultValue 0
 * @public
 */
export function keyvStore(keyv: KeyvLike, keepMs = 0): CacheStore {
  return {
    get: (key) => keyv.get(key) as Promise<CacheEntry | undefined>,
    set: (key, entry) => keyv.set(key, entry, entry.ttlMs + keepMs),
  };
}
