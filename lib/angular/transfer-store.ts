import { makeStateKey, type TransferState } from '@angular/core';
import type { CacheEntry, CacheStore } from '../client/cache-store.js';

/**
 * Hands the lists of tools that the server rendered with to the browser, which
 * shows them while it connects.
 *
 * @param kept - Asked for what was not handed over, and kept up to date.
 */
export function transferStore(state: TransferState, kept?: CacheStore): CacheStore {
  const keyOf = (key: string) => makeStateKey<CacheEntry | undefined>(`rxjs-mcp ${key}`);
  return {
    get: (key) => {
      const entry = state.get(keyOf(key), undefined);
      return entry === undefined && kept !== undefined ? kept.get(key) : [entry];
    },
    set: (key, entry) => {
      state.set(keyOf(key), entry);
      return kept?.set(key, entry) ?? [undefined];
    },
  };
}
