import { canonical } from '../entry-hash.js';
import type { EntryOrigin, ServerEntry } from '../server-entry.js';
import { placeOf } from './config-errors.js';
import type { ConfigWarning } from './config-types.js';

/** An entry that may have others behind it. */
export interface Ranked<T> {
  readonly name: string;
  readonly origin: EntryOrigin | undefined;
  readonly value: T;
  readonly shadows: readonly EntryOrigin[];
}

export interface Settled<T> {
  readonly winners: readonly Ranked<T>[];
  readonly warnings: readonly ConfigWarning[];
}

/** Of entries with one key the first stays, whole, and knows the others. What has no key stays. */
export function settle<T>(entries: readonly Ranked<T>[], keyOf: (entry: Ranked<T>) => string | undefined, why: (loser: Ranked<T>, winner: Ranked<T>) => string): Settled<T> {
  const winners = new Map<unknown, Ranked<T>>();
  const warnings: ConfigWarning[] = [];
  for (const entry of entries) {
    const key = keyOf(entry) ?? entry;
    const winner = winners.get(key);
    if (winner === undefined) winners.set(key, entry);
    else {
      winners.set(key, { ...winner, shadows: [...winner.shadows, ...(entry.origin === undefined ? [] : [entry.origin]), ...entry.shadows] });
      warnings.push({ kind: 'shadowed', message: why(entry, winner), server: entry.name, file: entry.origin?.file });
    }
  }
  return { winners: [...winners.values()], warnings };
}

export function settleNames<T>(entries: readonly Ranked<T>[]): Settled<T> {
  return settle(
    entries,
    ({ name }) => name,
    (loser, winner) => `The server "${loser.name}"${where(loser)} does not count: ${sourceOf(winner)} has one of that name`,
  );
}

/** @param endpointOf - Undefined for what is off or cannot be used: it takes no other's place. */
export function settleEndpoints(entries: readonly Ranked<ServerEntry>[], endpointOf: (name: string) => unknown): Settled<ServerEntry> {
  return settle(
    entries,
    ({ name }) => {
      const endpoint = endpointOf(name);
      return endpoint === undefined ? undefined : canonical(endpoint);
    },
    (loser, winner) => `The server "${loser.name}"${where(loser)} does not count: "${winner.name}"${where(winner)} is the same`,
  );
}

function where({ origin }: Ranked<unknown>): string {
  return placeOf(origin?.file, origin?.pointer);
}

function sourceOf({ origin }: Ranked<unknown>): string {
  return origin?.file ?? 'the program';
}
