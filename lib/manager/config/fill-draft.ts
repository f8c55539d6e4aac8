import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../../errors.js';
import type { CommonConfig } from '../../transport/config.js';
import type { EntryOrigin } from '../server-entry.js';
import type { VariableSyntax } from './config-host.js';
import { MissingVariableError, placeOf, type MissingVariable } from './config-errors.js';
import type { ConfigOptions } from './config-types.js';
import { endpointOf } from './endpoint.js';
import type { Draft } from './normalise.js';
import { looksUnfilled, parseTemplate, parseValue, type Part, type Reference, type Source } from './template.js';

/** What an entry is filled in with. */
export interface Filling {
  readonly name: string;
  readonly origin: EntryOrigin;
  readonly syntax: readonly VariableSyntax[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The folder of the project. */
  readonly folder: string;
  /** Where a process runs that does not say. */
  readonly cwd: string | undefined;
  readonly missing: NonNullable<ConfigOptions['missing']>;
  readonly inheritEnv: ConfigOptions['inheritEnv'];
}

/** A value that has to be waited for. */
export interface Late {
  readonly kind: 'file' | 'input' | 'secret' | 'command';
  readonly id: string;
  readonly field: string;
}

/** What came of a late value. */
export interface LateValue {
  readonly value?: string | undefined;
  readonly error?: unknown;
}

/** By {@link lateKey}. */
export type LateValues = ReadonlyMap<string, LateValue>;

/** A configuration, or why there is none; or what must be had first. */
export type Filled =
  | { readonly late: Late }
  | { readonly config?: CommonConfig | undefined; readonly endpoint?: unknown; readonly problem?: Error | undefined; readonly warnings: readonly string[] };

export function lateKey({ kind, id }: Pick<Late, 'kind' | 'id'>): string {
  return `${kind}:${id}`;
}

/** Text of a file that a variable names: from the folder of the configuration, or from home. */
export function readText(path: string, { origin: { file = '' }, home }: Filling): Promise<string> {
  return readFile(resolve(dirname(file), path.replace(/^~(?=[/\\]|$)/, () => home || homedir())), 'utf8');
}

/** Fills in the variables of a draft, as far as what is known goes. */
export function fillDraft(draft: Draft, filling: Filling, values: LateValues): Filled {
  return new DraftFiller(draft, filling, values).fill();
}

/** Thrown to start again once a value is there. */
class Needed extends Error {
  constructor(readonly late: Late) {
    super();
  }
}

class DraftFiller {
  readonly #draft: Draft;
  readonly #filling: Filling;
  readonly #values: LateValues;
  readonly #missing: MissingVariable[] = [];
  readonly #foreign: string[] = [];
  readonly #warnings: string[] = [];
  #cause: unknown;

  constructor(draft: Draft, filling: Filling, values: LateValues) {
    this.#draft = draft;
    this.#filling = filling;
    this.#values = values;
  }

  fill(): Filled {
    const { type, problem } = this.#draft;
    const { name, origin } = this.#filling;
    const place = placeOf(origin.file, origin.pointer);
    if (problem !== undefined) return { problem: new ConfigError(`The server "${name}" cannot be used: ${problem}${place}`), warnings: [] };
    try {
      if (type === undefined) return { warnings: [] };
      const { config, endpoint } = type === 'stdio' ? this.#process() : this.#remote(type);
      const [first, ...more] = this.#missing;
      if (first !== undefined) return { problem: new MissingVariableError(name, [first, ...more], origin, this.#cause), warnings: this.#warnings };
      if (this.#foreign.length > 0) {
        const fields = this.#foreign.join(', ');
        return { problem: new ConfigError(`The server "${name}" cannot be used: ${fields} would be sent with a placeholder in a notation that ${origin.host} does not have${place}`), warnings: this.#warnings };
      }
      return { config, endpoint, warnings: this.#warnings };
    } catch (error) {
      if (error instanceof Needed) return { late: error.late };
      throw error;
    }
  }

  #process() {
    const { command, args, env, cwd } = this.#draft;
    const { folder } = this.#filling;
    const folderOf = (path: string) => resolve(folder, path);
    const config = {
      type: 'stdio',
      command: this.#text('command', command),
      args: args.map((arg, index) => this.#text(`args.${index}`, arg)),
      env: { ...this.#inherited(), ...this.#fromFile(), ...this.#forwarded(), ...this.#record('env', env) },
    };
    const written = cwd === undefined ? undefined : folderOf(this.#text('cwd', cwd));
    const where = written ?? this.#filling.cwd;
    return { config: { ...config, ...(where !== undefined && { cwd: where }) }, endpoint: endpointOf({ ...config, cwd: written }) };
  }

  #remote(type: 'http' | 'sse' | 'websocket') {
    const url = this.#text('url', this.#draft.url);
    if (type === 'websocket') return withEndpoint({ type, url });
    const headers = { ...this.#record('headers', this.#draft.headers), ...this.#headerVariables() };
    const config = { type, url, ...(Object.keys(headers).length > 0 && { headers }) };
    return withEndpoint(config);
  }

  #inherited(): Record<string, string> {
    const { env, inheritEnv = [] } = this.#filling;
    const names = inheritEnv === 'all' ? Object.keys(env) : inheritEnv;
    return this.#set(names);
  }

  /** What is set of the variables that are passed on, and all of those from the host's secrets. */
  #forwarded(): Record<string, string> {
    const { forwarded, secrets } = this.#draft;
    const kept = secrets.map((name): [string, string] => [name, this.#reference(`env.${name}`, secretOf(name)) ?? '']);
    return { ...this.#set(forwarded), ...Object.fromEntries(kept) };
  }

  #set(names: readonly string[]): Record<string, string> {
    const { env } = this.#filling;
    return Object.fromEntries(names.map((name) => [name, env[name]]).filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  #fromFile(): Record<string, string> {
    const { envFile } = this.#draft;
    if (envFile === undefined) return {};
    const path = resolve(this.#filling.folder, this.#text('envFile', envFile));
    const text = this.#late({ kind: 'file', id: path, field: 'envFile' });
    if (text === undefined) this.#missing.push({ variable: `file:${path}`, field: 'envFile' });
    return parseEnv(text ?? '') as Record<string, string>;
  }

  #headerVariables(): Record<string, string> {
    const { headerVariables, bearerVariable } = this.#draft;
    const values = Object.entries(headerVariables).map(([header, id]) => [header, this.#reference(`headers.${header}`, variable(id))]);
    const token = bearerVariable === undefined ? undefined : this.#reference('headers.Authorization', variable(bearerVariable));
    if (token) values.push(['Authorization', `Bearer ${token}`]);
    return Object.fromEntries(values.filter((pair): pair is [string, string] => Boolean(pair[1])));
  }

  #record(field: 'env' | 'headers', record: Readonly<Record<string, string>>): Record<string, string> {
    const { syntax, env } = this.#filling;
    const isSet = (name: string) => env[name] !== undefined;
    return Object.fromEntries(Object.entries(record).map(([key, text]) => [key, this.#join(`${field}.${key}`, parseValue(text, syntax, isSet))]));
  }

  #text(field: string, text: string): string {
    return this.#join(field, parseTemplate(text, this.#filling.syntax));
  }

  #join(field: string, parts: readonly Part[]): string {
    if (looksUnfilled(parts)) {
      if (field.startsWith('headers.')) this.#foreign.push(field);
      else if (field === 'url' || field.startsWith('env.')) this.#warnings.push(`"${field}" looks as if it held a variable, in a notation that ${this.#filling.origin.host} does not have; it is left as it is`);
    }
    return parts.map((part) => (typeof part === 'string' ? part : (this.#reference(field, part) ?? ''))).join('');
  }

  /** The value of a reference; undefined, and noted where that is a fault, when there is none. */
  #reference(field: string, reference: Reference): string | undefined {
    let empty: string | undefined;
    for (const source of reference.sources) {
      const value = this.#valueOf(field, source);
      if (value) return value;
      empty ??= value;
    }
    if (empty !== undefined || this.#filling.missing === 'empty') return empty;
    const mayStay = field === 'command' || field === 'cwd' || field.startsWith('args.');
    if (this.#filling.missing === 'literal' && mayStay) return reference.text;
    this.#missing.push({ variable: reference.sources.map(nameOf).join(' | '), field });
    return undefined;
  }

  #valueOf(field: string, source: Source): string | undefined {
    const { env } = this.#filling;
    switch (source.kind) {
      case 'env':
        return env[source.id];
      case 'value':
        return source.parts.length === 0 ? '' : this.#join(field, source.parts);
      case 'predefined':
        return this.#predefined(source.id);
      case 'secret':
        return env[source.id] ?? this.#late({ ...source, kind: source.kind, field });
      case 'file':
        return this.#late({ ...source, kind: source.kind, field })?.trim();
      case 'input':
      case 'command':
        return this.#late({ ...source, kind: source.kind, field });
    }
  }

  #late(late: Late): string | undefined {
    const known = this.#values.get(lateKey(late));
    if (known === undefined) throw new Needed(late);
    this.#cause ??= known.error;
    return known.value;
  }

  #predefined(id: string): string {
    const { folder, home } = this.#filling;
    if (id === 'userHome') return home;
    if (id === 'workspaceFolderBasename') return basename(folder);
    return id === 'pathSeparator' || id === '/' ? sep : folder;
  }
}

function variable(id: string): Reference {
  return { text: '', sources: [{ kind: 'env', id }] };
}

function secretOf(id: string): Reference {
  return { text: '', sources: [{ kind: 'secret', id }] };
}

function nameOf(source: Source): string {
  if (source.kind === 'value') return 'value';
  return source.kind === 'env' ? source.id : `${source.kind}:${source.id}`;
}

function withEndpoint(config: CommonConfig & Readonly<Record<string, unknown>>) {
  return { config, endpoint: endpointOf(config) };
}
