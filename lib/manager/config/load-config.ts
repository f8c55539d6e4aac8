import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { concatMap, defer, from, map, switchMap, toArray, type Observable } from 'rxjs';
import { ConfigError } from '../../errors.js';
import { isObject } from '../../wire/message.js';
import type { EntryOrigin, ServerEntry } from '../server-entry.js';
import type { ConfigHost, ConfigPolicy } from './config-host.js';
import { placeOf } from './config-errors.js';
import type { ConfigFile, ConfigOptions, ConfigSnapshot, ConfigWarning } from './config-types.js';
import { findServers } from './containers.js';
import { entryOf, type ConfigMemory, type Entry, type FileEntry, type FilledEntry } from './fill-entry.js';
import { candidatesOf, hostOfPath, projectFolders, type Candidate, type Surroundings } from './host-paths.js';
import { at, CONFIG_HOSTS, hostOf } from './hosts.js';
import { normalise } from './normalise.js';
import { expandFolder, readDocument, type ReadResult } from './read-document.js';
import { settleEndpoints, settleNames, type Ranked } from './settle-names.js';

/**
 * Reads configuration, once. Cold; emits one snapshot and completes. What is
 * broken gives a warning, or an entry with a `problem`; the rest is read all the same.
 *
 * Programs are named in configuration: give a manager `consent`, or read only what is trusted.
 *
 * @throws {@link ConfigError} a host that is not known.
 * @public
 */
export function loadConfig(options: ConfigOptions = {}): Observable<ConfigSnapshot> {
  return defer(() => readConfig(options, { lastGood: new Map(), answers: new Map() }));
}

/** Every file that counts, the strongest first. */
export function candidates(options: ConfigOptions): readonly Candidate[] {
  const around = surroundingsOf(options);
  const folders = projectFolders(around.cwd, options.root);
  const hosts = options.hosts === 'all' ? CONFIG_HOSTS : (options.hosts ?? []).map(knownHost);
  const SCOPES = ['given', 'local', 'project', 'user'];
  const files = (options.files ?? [])
    .map((file) => explicit(typeof file === 'string' ? { path: file } : file, around))
    .sort((a, b) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope));
  const ofHosts = hosts.flatMap((host) => candidatesOf(host, around, folders)).filter(({ scope }) => scope !== 'project' || isRead(options, 'project'));
  const seen = new Set<string>();
  // A file in two places is the user's: it was there before the project.
  const isOfUser = new Set(ofHosts.filter(({ scope }) => scope === 'user').map(({ path }) => path));
  return [...files, ...ofHosts].filter(({ path, scope }) => {
    if (seen.has(path) || (scope === 'project' && isOfUser.has(path))) return false;
    seen.add(path);
    return true;
  });
}

/** Reads all anew, but for what is remembered. */
export function readConfig(options: ConfigOptions, memory: ConfigMemory): Observable<ConfigSnapshot> {
  const around = surroundingsOf(options);
  const folders = projectFolders(around.cwd, options.root);
  return from(candidates(options)).pipe(
    concatMap(expandFolder),
    concatMap((files) => files),
    concatMap((candidate) => readDocument(candidate, memory.lastGood).pipe(map((read) => ({ candidate, read })))),
    toArray(),
    switchMap((reads) => {
      const ranked = reads.map(({ candidate, read }) => ofFile(candidate, read, folders, options));
      const isOff = switchesOf(reads, folders, options);
      const given = (options.entries ?? []).map((entry): Ranked<Entry> => ({ name: entry.name, origin: entry.origin, value: { given: entry }, shadows: entry.shadows ?? [] }));
      const named = settleNames([...given, ...strongestFirst(ranked)]);
      const fill$ = from(named.winners).pipe(
        concatMap((winner) => entryOf(winner, isOff(winner), options, around, memory)),
        toArray(),
      );
      return fill$.pipe(map((filled) => snapshotOf(filled, [...ranked.flatMap(({ warnings }) => warnings), ...named.warnings], options)));
    }),
  );
}

interface OfFile {
  readonly candidate: Candidate;
  readonly entries: readonly Ranked<FileEntry>[];
  readonly warnings: readonly ConfigWarning[];
}

function ofFile(candidate: Candidate, { document, warnings }: ReadResult, folders: readonly string[], options: ConfigOptions): OfFile {
  const { host, path: file, servers } = candidate;
  if (document === undefined || !servers) return { candidate, entries: [], warnings };
  const { found, oddities } = findServers(document, host, folders);
  const odd = oddities.map((text): ConfigWarning => ({ kind: 'file', message: `${file}: ${text}`, file }));
  const entries = found.map(({ name, raw, path, host: dialect, local }): Ranked<FileEntry> => {
    const scope = local === undefined ? candidate.scope : 'local';
    const origin = { host: dialect.id, scope, file, pointer: path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') };
    const value = { raw, draft: normalise(raw, dialect), host: dialect, origin, folder: local ?? candidate.folder, inputs: at(document, 'inputs') };
    return { name, origin, value, shadows: [] };
  });
  const nameless = entries.filter(({ name }) => name === '').map(({ origin }): ConfigWarning => ({ kind: 'entry', message: `An entry without a name is left out${placeOf(file, origin?.pointer)}`, file }));
  const isWanted = ({ name, value }: Ranked<FileEntry>) => name !== '' && (value.origin.scope === 'given' || isRead(options, value.origin.scope));
  return { candidate, entries: entries.filter(isWanted), warnings: [...warnings, ...odd, ...nameless] };
}

/** Of each host what is for one project first; files keep their order otherwise. */
function strongestFirst(files: readonly OfFile[]): readonly Ranked<FileEntry>[] {
  const groups = new Map<ConfigHost | string, OfFile[]>();
  for (const file of files) {
    const key = file.candidate.isExplicit ? file.candidate.path : file.candidate.host;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups.values()].flatMap((group) => {
    const entries = group.flatMap((file) => file.entries);
    const isLocal = ({ origin }: Ranked<FileEntry>) => origin?.scope === 'local';
    return [...entries.filter(isLocal), ...entries.filter((entry) => !isLocal(entry))];
  });
}

/** Whether a server is on or off by a list: undefined where none says. */
function switchesOf(reads: readonly { readonly candidate: Candidate; readonly read: ReadResult }[], folders: readonly string[], options: ConfigOptions) {
  const policies = reads.flatMap(({ candidate: { host }, read: { document } }) => (host.policies !== undefined && isObject(document) ? host.policies(document, folders).map((policy) => ({ id: host.id, policy })) : []));
  const applies = ({ scope }: ConfigPolicy, origin: EntryOrigin | undefined) => scope === undefined || scope === origin?.scope;
  return ({ name, origin }: Ranked<Entry>): boolean | undefined => {
    if (options.disabledServers?.includes(name) === true) return false;
    if (options.enabledServers?.includes(name) === true) return true;
    const isOff = policies.some(({ id, policy }) => id === origin?.host && applies(policy, origin) && (policy.off?.includes(name) === true || policy.only?.includes(name) === false));
    return isOff ? false : undefined;
  };
}

function snapshotOf(filled: readonly FilledEntry[], warnings: readonly ConfigWarning[], { sameEndpoint = 'shadow' }: ConfigOptions): ConfigSnapshot {
  const endpoints = new Map(filled.map(({ ranked, endpoint }) => [ranked.name, endpoint]));
  const { winners, warnings: duplicates } = settleEndpoints(
    filled.map(({ ranked }) => ranked),
    (name) => (sameEndpoint === 'shadow' ? endpoints.get(name) : undefined),
  );
  const entries = winners.map(({ value, shadows }): ServerEntry => (shadows.length === 0 ? value : { ...value, shadows }));
  const odd = entries.flatMap(({ name, origin, warnings: texts = [] }) => texts.map((text): ConfigWarning => ({ kind: 'entry', message: `The server "${name}": ${text}${placeOf(origin?.file, origin?.pointer)}`, server: name, file: origin?.file })));
  return { entries, warnings: [...warnings, ...duplicates, ...odd] };
}

function isRead({ scopes }: ConfigOptions, scope: 'user' | 'local' | 'project'): boolean {
  return scopes?.includes(scope) ?? true;
}

function surroundingsOf({ home = homedir(), env = process.env, platform = process.platform, cwd = process.cwd() }: ConfigOptions): Surroundings {
  return { home, env, platform, cwd: resolve(cwd) };
}

function explicit({ path, host, scope = 'given' }: ConfigFile, { cwd }: Surroundings): Candidate {
  const absolute = resolve(cwd, path);
  const folder = scope === 'project' ? dirname(absolute) : undefined;
  return { path: absolute, isFolder: false, host: host === undefined ? hostOfPath(absolute) : knownHost(host), scope, folder, servers: true, isExplicit: true };
}

function knownHost(host: string | ConfigHost): ConfigHost {
  const known = typeof host === 'string' ? hostOf(host) : host;
  if (known === undefined) throw new ConfigError(`Unknown host "${host as string}" of configuration; known are ${CONFIG_HOSTS.map(({ id }) => id).join(', ')}`);
  return known;
}
