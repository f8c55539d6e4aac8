import { isObject, type JsonObject } from '../../wire/message.js';
import type { ToolFilter } from '../server-entry.js';
import type { ConfigHost } from './config-host.js';

/** An entry in one notation, its variables not filled in. */
export interface Draft {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly enabled: boolean;
  /** Undefined where there is neither a command nor a URL. */
  readonly type: 'stdio' | 'http' | 'sse' | 'websocket' | undefined;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
  /** Variables that are passed on where they are set. */
  readonly forwarded: readonly string[];
  /** Variables whose values are in the host's store of secrets. */
  readonly secrets: readonly string[];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers by the variables that hold their values. */
  readonly headerVariables: Readonly<Record<string, string>>;
  /** The variable that holds a bearer token. */
  readonly bearerVariable?: string | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly tools?: ToolFilter | undefined;
  readonly approval?: JsonObject | undefined;
  readonly oauth?: unknown;
  readonly warnings: readonly string[];
  /** Why it cannot be used. */
  readonly problem?: string | undefined;
}

const URL_FIELDS = ['httpUrl', 'serverUrl', 'url', 'uri'];
const TYPE_FIELDS = ['type', 'transport', 'transportType'];
const TYPES: Readonly<Record<string, NonNullable<Draft['type']>>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  streamable: 'http',
  streamablehttp: 'http',
  remote: 'http',
  sse: 'sse',
  ws: 'websocket',
  websocket: 'websocket',
};

export function isServerLike(value: unknown): boolean {
  if (!isObject(value)) return false;
  const hasWay = ['command', 'cmd', ...URL_FIELDS].some((field) => typeof value[field] === 'string' || Array.isArray(value[field]));
  return hasWay || (typeof value.type === 'string' && Object.hasOwn(TYPES, typeKey(value.type))) || isNested(value);
}

/** Brings an entry of any host into one form. Never throws: what is wrong is in `warnings` and `problem`. */
export function normalise(raw: unknown, host: ConfigHost): Draft {
  const warnings: string[] = [];
  const problems: string[] = [];
  const entry = flattened(raw, warnings);
  if (entry === undefined) problems.push('it is no object');
  const fields = new Fields(entry ?? {}, warnings, problems);

  const [head = '', ...rest] = fields.command();
  const url = fields.text(...URL_FIELDS) ?? '';
  const enabled = fields.isEnabled();
  const type = typeOf(fields, host, head, url, problems);
  if (head !== '' && url !== '') warnings.push(`it has a command and a URL; the ${type === 'stdio' ? 'URL' : 'command'} is not used`);
  if (entry !== undefined && enabled) {
    if (type === undefined && problems.length === 0) problems.push('it has neither a command nor a URL');
    if (type === 'stdio' && head === '') problems.push('it has no command');
    if (type !== undefined && type !== 'stdio' && url === '') problems.push('it has no URL');
  }
  const headers = fields.record('headers', 'http_headers');
  const headerVariables = fields.record('env_http_headers');
  if (type === 'websocket' && Object.keys({ ...headers, ...headerVariables }).length > 0) warnings.push('its headers are not sent: a WebSocket takes none');
  return {
    title: fields.text('title', 'display_name'),
    description: fields.text('description'),
    enabled,
    type,
    command: head,
    args: [...rest, ...fields.strings('args', 'arguments')],
    env: fields.record('env', 'environment', 'envs'),
    envFile: fields.text('envFile'),
    cwd: fields.text('cwd'),
    forwarded: fields.names('env_vars'),
    secrets: fields.names('env_keys'),
    url,
    headers,
    headerVariables,
    bearerVariable: fields.text('bearer_token_env_var'),
    ...fields.timeouts(host),
    tools: fields.tools(host),
    approval: fields.picked('autoApprove', 'alwaysAllow', 'trust'),
    oauth: entry?.oauth,
    warnings,
    problem: problems.length === 0 ? undefined : problems.join(', and '),
  };
}

/** With what some write one level too deep. */
function flattened(raw: unknown, warnings: string[]): JsonObject | undefined {
  if (!isObject(raw)) return undefined;
  const { transport, command } = raw;
  if (isNested(raw)) {
    warnings.push('"transport" holds an object, which no host understands; its fields belong into the entry itself');
    return { ...raw, ...(transport as JsonObject), transport: undefined };
  }
  if (isObject(command)) return { ...raw, ...command, command: command.path ?? command.command }; // Zed, formerly
  return raw;
}

function isNested({ transport }: JsonObject): boolean {
  return isObject(transport);
}

function typeKey(type: string): string {
  return type.toLowerCase().replace(/[-_ ]/g, '');
}

function typeOf(fields: Fields, host: ConfigHost, command: string, url: string, problems: string[]): Draft['type'] {
  const written = fields.text(...TYPE_FIELDS);
  if (written !== undefined) {
    const type = Object.hasOwn(TYPES, typeKey(written)) ? TYPES[typeKey(written)] : undefined;
    if (type === undefined) problems.push(`its type "${written}" is not known`);
    return type;
  }
  if (command !== '') return 'stdio';
  if (fields.has('httpUrl')) return 'http';
  if (/^wss?:/i.test(url)) return 'websocket';
  return url === '' ? undefined : (host.untypedUrl ?? 'http');
}

/** Reads fields under any of their names; a value of the wrong kind is told and left out. */
class Fields {
  readonly #entry: JsonObject;
  readonly #warnings: string[];
  readonly #problems: string[];

  constructor(entry: JsonObject, warnings: string[], problems: string[]) {
    this.#entry = entry;
    this.#warnings = warnings;
    this.#problems = problems;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#entry, name) && this.#entry[name] != null;
  }

  text(...names: readonly string[]): string | undefined {
    const [name, value] = this.#first(names);
    if (value === undefined || typeof value === 'string') return value === '' ? undefined : value;
    this.#problems.push(`its "${name}" is no text`);
    return undefined;
  }

  /** The command, and the arguments that are written with it. */
  command(): readonly string[] {
    const [name, value] = this.#first(['command', 'cmd']);
    if (Array.isArray(value)) return this.strings(name);
    return [this.text('command', 'cmd') ?? ''];
  }

  strings(...names: readonly string[]): readonly string[] {
    const [name, value] = this.#first(names);
    if (value === undefined) return [];
    const items = Array.isArray(value) ? value.map(asText) : [undefined];
    if (items.includes(undefined)) this.#problems.push(`its "${name}" is no list of texts`);
    return items.filter((item) => item !== undefined);
  }

  /** Names of variables: texts, or objects that have a name. */
  names(field: string): readonly string[] {
    const value = this.#entry[field];
    if (!Array.isArray(value)) return this.strings(field);
    return value.flatMap((item: unknown) => (isObject(item) ? asText(item.name) : asText(item)) ?? []);
  }

  record(...names: readonly string[]): Readonly<Record<string, string>> {
    const [name, value] = this.#first(names);
    if (value === undefined) return {};
    if (!isObject(value)) {
      this.#problems.push(`its "${name}" is no object`);
      return {};
    }
    const texts = Object.entries(value).map(([key, item]): [string, string | undefined] => [key, asText(item)]);
    for (const [key, item] of texts) if (item === undefined) this.#warnings.push(`its "${name}.${key}" is no text, and is left out`);
    return Object.fromEntries(texts.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  isEnabled(): boolean {
    const [on, off] = [this.#flag('enabled'), this.#flag('disabled')];
    if (on !== undefined && on === off) this.#warnings.push(`"enabled" and "disabled" are both ${on}; it is off`);
    return on !== false && off !== true;
  }

  timeouts({ timeout = { unit: 'ms', of: 'request' } }: ConfigHost): Pick<Draft, 'connectTimeoutMs' | 'requestTimeoutMs'> {
    const common = this.#ms('timeout', timeout.unit === 's' ? 1_000 : 1);
    const connect = this.#ms('startup_timeout_sec', 1_000) ?? this.#ms('startup_timeout_ms', 1) ?? (timeout.of === 'connect' ? common : undefined);
    const request = this.#ms('tool_timeout_sec', 1_000) ?? (timeout.of === 'request' ? common : undefined);
    return { connectTimeoutMs: connect, requestTimeoutMs: request };
  }

  tools({ emptyAllowsAll = false }: ConfigHost): ToolFilter | undefined {
    const allowField = this.#first(['includeTools', 'enabled_tools', 'enabledTools', 'allowedTools', 'available_tools', 'tools'])[0];
    const denyField = this.#first(['excludeTools', 'disabledTools', 'disabled_tools'])[0];
    const list = (name: string) => (Array.isArray(this.#entry[name]) ? this.strings(name) : undefined);
    const [allow, deny] = [list(allowField), list(denyField)];
    const allowsAll = allow === undefined || allow.includes('*') || (emptyAllowsAll && allow.length === 0);
    if (allowsAll && (deny === undefined || deny.length === 0)) return undefined;
    return { ...(!allowsAll && { allow }), ...(deny !== undefined && { deny }) };
  }

  picked(...names: readonly string[]): JsonObject | undefined {
    const there = names.filter((name) => this.has(name)).map((name) => [name, this.#entry[name]]);
    return there.length === 0 ? undefined : (Object.fromEntries(there) as JsonObject);
  }

  #first(names: readonly string[]): [name: string, value: unknown] {
    const name = names.find((candidate) => this.has(candidate));
    return name === undefined ? ['', undefined] : [name, this.#entry[name]];
  }

  /** A switch; what cannot be understood is as if it were off. */
  #flag(name: 'enabled' | 'disabled'): boolean | undefined {
    const value = this.#entry[name];
    if (value == null || typeof value === 'boolean') return value ?? undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    this.#warnings.push(`its "${name}" is neither true nor false; it is off`);
    return name === 'disabled';
  }

  /** 0 is none. */
  #ms(name: string, unit: number): number | undefined {
    const value = this.#entry[name];
    if (value == null) return undefined;
    if (typeof value === 'number' && value >= 0) return value === 0 ? Infinity : value * unit;
    this.#warnings.push(`its "${name}" is no number from 0 up, and is left out`);
    return undefined;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
