import { debounceTime, defer, exhaustMap, filter, map, merge, scan, startWith, switchMap, take, tap, timer, using, type MonoTypeOperatorFunction, type Observable, type OperatorFunction } from 'rxjs';
import { canonical } from '../entry-hash.js';
import type { ServerEntry } from '../server-entry.js';
import type { ConfigChange, ConfigOptions, ConfigSnapshot, ConfigWarning } from './config-types.js';
import type { ConfigMemory } from './fill-entry.js';
import { FolderWatch } from './folder-watch.js';
import { candidates, readConfig } from './load-config.js';

/** @public */
export interface ConfigWatchOptions extends ConfigOptions {
  /** How long files must be left alone before they are read again, in milliseconds. After ten times as long they are read in any case. @defaultValue 200 */
  readonly debounceMs?: number | undefined;
}

const DEFAULT_DEBOUNCE_MS = 200;
const LONGEST = 10;

/**
 * Reads configuration, and again whenever a file changes, appears or goes, for
 * as long as you are subscribed. Cold. The first emission has all names in
 * `added`; the next ones come when an entry or a warning differs. A file that is
 * broken keeps what it said before, with a warning. What `resolve` gave is not asked for again.
 *
 * @throws as {@link loadConfig}
 * @public
 */
export function watchConfig({ debounceMs = DEFAULT_DEBOUNCE_MS, ...options }: ConfigWatchOptions = {}): Observable<ConfigChange> {
  return defer(() => {
    const memory: ConfigMemory = { lastGood: new Map(), answers: new Map() };
    const watching = (watch: FolderWatch) =>
      watch.changes$.pipe(
        whenQuiet(debounceMs),
        startWith(undefined),
        switchMap(() => {
          // First watched, then read: nothing can change unseen in between.
          const blind = watch.cover(candidates(options));
          return readConfig(options, memory).pipe(map(({ entries, warnings }): ConfigSnapshot => ({ entries, warnings: [...warnings, ...blind] })));
        }),
        changes(),
      );
    return using(
      () => new FolderWatch(),
      (watch) => watching(watch as FolderWatch),
    );
  });
}

/**
 * The entries of snapshots, as a manager takes them: `createManager(watchConfig(options).pipe(toEntries(log)))`.
 *
 * @param onWarning - Told of each warning once, and again if it comes back after it was gone.
 * @public
 */
export function toEntries(onWarning?: (warning: ConfigWarning) => void): OperatorFunction<ConfigSnapshot, readonly ServerEntry[]> {
  return (snapshots$) =>
    defer(() => {
      let known = new Set<string>();
      return snapshots$.pipe(
        tap(({ warnings }) => {
          const before = known;
          known = new Set(warnings.map(({ message }) => message));
          for (const warning of warnings) if (!before.has(warning.message)) onWarning?.(warning);
        }),
        map(({ entries }) => entries),
      );
    });
}

function whenQuiet(ms: number): MonoTypeOperatorFunction<void> {
  return (changes$) => changes$.pipe(exhaustMap(() => merge(changes$.pipe(startWith(undefined), debounceTime(ms)), timer(LONGEST * ms)).pipe(take(1), map(() => undefined))));
}

/** What differs from one snapshot to the next; those in which nothing does are left out. */
function changes(): OperatorFunction<ConfigSnapshot, ConfigChange> {
  type State = { readonly texts: ReadonlyMap<string, string>; readonly warnings: string; readonly change: ConfigChange | undefined };
  return (snapshots$) =>
    snapshots$.pipe(
      scan<ConfigSnapshot, State, undefined>((before, snapshot) => {
        const texts = new Map(snapshot.entries.map((entry) => [entry.name, textOf(entry)]));
        const warnings = JSON.stringify(snapshot.warnings);
        const old = before?.texts ?? new Map<string, string>();
        const names = [...texts.keys()];
        const added = names.filter((name) => !old.has(name));
        const changed = names.filter((name) => old.has(name) && old.get(name) !== texts.get(name));
        const removed = [...old.keys()].filter((name) => !texts.has(name));
        const isSame = warnings === before?.warnings && added.length + changed.length + removed.length === 0;
        return { texts, warnings, change: isSame ? undefined : { ...snapshot, added, changed, removed } };
      }, undefined),
      map(({ change }) => change),
      filter((change) => change !== undefined),
    );
}

function textOf({ problem, ...entry }: ServerEntry): string {
  return canonical({ ...entry, problem: problem?.message });
}
