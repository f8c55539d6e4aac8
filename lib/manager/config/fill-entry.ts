import { catchError, concat, defer, map, of, switchMap, take, tap, type Observable, type ObservableInput } from 'rxjs';
import { isObject } from '../../wire/message.js';
import { canonical, sha256Hex } from '../entry-hash.js';
import type { EntryOrigin, ServerEntry } from '../server-entry.js';
import type { ConfigHost } from './config-host.js';
import type { ConfigOptions, ResolveRequest } from './config-types.js';
import { endpointOf } from './endpoint.js';
import { fillDraft, lateKey, readText, type Filled, type Filling, type Late, type LateValue, type LateValues } from './fill-draft.js';
import type { Surroundings } from './host-paths.js';
import { at } from './hosts.js';
import type { Draft } from './normalise.js';
import type { ConfigDocument } from './parse-config.js';
import type { Ranked } from './settle-names.js';

/** What is carried from one reading to the next. */
export interface ConfigMemory {
  readonly lastGood: Map<string, ConfigDocument>;
  /** What was resolved; it is not asked for again. */
  readonly answers: Map<string, string>;
}

/** An entry of a file, not filled in yet; or one of the program. */
export type Entry = { readonly given: ServerEntry } | FileEntry;

export interface FileEntry {
  readonly raw: unknown;
  readonly draft: Draft;
  readonly host: ConfigHost;
  readonly origin: EntryOrigin;
  readonly folder: string | undefined;
  readonly inputs: unknown;
}

/** An entry, and what it leads to; undefined where that counts for nothing. */
export interface FilledEntry {
  readonly ranked: Ranked<ServerEntry>;
  readonly endpoint: unknown;
}

/** Fills in the variables of an entry, and switches it on or off. Emits once, never errors. */
export function entryOf(winner: Ranked<Entry>, byList: boolean | undefined, options: ConfigOptions, around: Surroundings, memory: ConfigMemory): Observable<FilledEntry> {
  const { name, origin, value, shadows } = winner;
  if ('given' in value) {
    const enabled = byList ?? value.given.enabled ?? true;
    return of({ ranked: { ...winner, value: { ...value.given, enabled } }, endpoint: enabled ? endpointOf(value.given.config) : undefined });
  }
  const { draft, raw, host, folder } = value;
  const enabled = byList ?? draft.enabled;
  const filling: Filling = {
    name,
    origin: value.origin,
    syntax: host.syntax,
    env: around.env,
    home: around.home,
    folder: folder ?? around.cwd,
    cwd: folder ?? (options.cwd === undefined ? undefined : around.cwd),
    missing: options.missing ?? 'error',
    inheritEnv: options.inheritEnv,
  };
  const ask = (late: Late) => answer(late, value, filling, enabled ? options.resolve : undefined, memory);
  return fillAll(draft, filling, ask).pipe(
    map((filled) => {
      const warnings = [...draft.warnings, ...filled.warnings];
      const entry: ServerEntry = compact({
        name,
        title: draft.title,
        description: draft.description,
        config: filled.config,
        problem: filled.problem,
        enabled,
        connectTimeoutMs: draft.connectTimeoutMs,
        requestTimeoutMs: draft.requestTimeoutMs,
        tools: draft.tools,
        approval: draft.approval,
        oauth: draft.oauth,
        origin,
        raw,
        // What a relative path or a notation means depends on where it is written.
        hash: sha256Hex(canonical({ raw, host: host.id, folder })),
        warnings: warnings.length === 0 ? undefined : warnings,
      });
      return { ranked: { name, origin, value: entry, shadows }, endpoint: enabled ? filled.endpoint : undefined };
    }),
  );
}

type Done = Exclude<Filled, { readonly late: Late }>;

/** Fills in a draft, with one late value after the other. */
function fillAll(draft: Draft, filling: Filling, ask: (late: Late) => Observable<LateValue>, values: LateValues = new Map()): Observable<Done> {
  return defer(() => {
    const filled = fillDraft(draft, filling, values);
    if (!('late' in filled)) return of(filled);
    return ask(filled.late).pipe(switchMap((value) => fillAll(draft, filling, ask, new Map([...values, [lateKey(filled.late), value]]))));
  });
}

/** A late value; emits once, never errors. */
function answer(late: Late, { inputs }: FileEntry, filling: Filling, resolver: ConfigOptions['resolve'], { answers }: ConfigMemory): Observable<LateValue> {
  const { kind, id, field } = late;
  if (kind === 'file') return settled(() => readText(id, filling));
  const { file } = filling.origin;
  const key = JSON.stringify(kind === 'input' ? [kind, id, file] : [kind, id]);
  const known = answers.get(key);
  if (known !== undefined) return of({ value: known });
  const definition: unknown = Array.isArray(inputs) ? inputs.find((input) => at(input, 'id') === id) : undefined;
  const request: ResolveRequest = { kind, id, server: filling.name, field, file, definition: isObject(definition) ? definition : undefined };
  return settled(() => resolver?.(request) ?? [undefined]).pipe(
    tap(({ value }) => {
      if (value !== undefined) answers.set(key, value);
    }),
  );
}

function settled(ask: () => ObservableInput<string | undefined>): Observable<LateValue> {
  return concat(defer(ask), of(undefined)).pipe(
    take(1),
    map((value) => ({ value })),
    catchError((error: unknown) => of({ error })),
  );
}

/** Without what is undefined. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}
