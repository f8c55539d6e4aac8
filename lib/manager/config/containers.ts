import { isObject } from '../../wire/message.js';
import { PROJECT, type ConfigHost } from './config-host.js';
import { at, GENERIC, hostOf } from './hosts.js';
import { isServerLike } from './normalise.js';

/** An entry as it is written. */
export interface Found {
  readonly name: string;
  readonly raw: unknown;
  readonly path: readonly string[];
  /** Whose notation it is. */
  readonly host: ConfigHost;
  /** The folder of the one project that it is for, where a file of the user says so. */
  readonly local?: string | undefined;
}

export interface Findings {
  readonly found: readonly Found[];
  /** What is odd about the file. */
  readonly oddities: readonly string[];
}

const DEFAULT_CONTAINERS = [['mcpServers']];
/** Where hosts keep their servers, and whose notation that is, for files of unknown origin. */
const SHAPES: readonly { readonly path: readonly string[]; readonly id?: string; readonly isSure?: true }[] = [
  { path: ['mcpServers'], isSure: true },
  { path: ['servers'], id: 'vscode' },
  { path: ['mcp_servers'], id: 'codex', isSure: true },
  { path: ['context_servers'], id: 'zed', isSure: true },
  { path: ['mcp', 'servers'], id: 'opencode' },
  { path: ['mcp'], id: 'opencode' },
  { path: ['extensions'], id: 'goose' },
];

/** The servers of a file: where its host has them, else where others do. */
export function findServers(document: unknown, host: ConfigHost, folders: readonly string[]): Findings {
  const local = folders.flatMap((folder) => {
    // On Windows the keys are written with either slash.
    const keys = new Set([folder, folder.replaceAll('\\', '/')]);
    return [...keys].flatMap((key) => {
      const path = host.perProject?.map((part) => (part === PROJECT ? key : part)) ?? [];
      const container = path.length === 0 ? undefined : at(document, ...path);
      return isContainer(container) ? entriesOf(container, path, host).map((found) => ({ ...found, local: folder })) : [];
    });
  });
  const own = host === GENERIC ? undefined : (host.containers ?? DEFAULT_CONTAINERS).find((path) => isContainer(at(document, ...path)));
  if (own !== undefined) return { found: [...local, ...entriesOf(at(document, ...own) as object, own, host)], oddities: [] };
  const written = (host.containers ?? DEFAULT_CONTAINERS).find((path) => at(document, ...path) != null);
  if (host !== GENERIC && written !== undefined && !isServerLike(at(document, ...written))) {
    return { found: local, oddities: [`"${written.join('.')}" holds no servers`] };
  }
  const { found, key } = byShape(document, host);
  const isOdd = host === GENERIC ? found.length === 0 && Object.keys(document as object).length > 0 && key === '' : found.length > 0;
  const oddity = host === GENERIC ? 'it has no servers in any known form' : `${host.id} itself reads "${(host.containers ?? DEFAULT_CONTAINERS)[0]?.join('.') ?? ''}", not "${key}"`;
  return { found: [...local, ...found], oddities: isOdd ? [oddity] : [] };
}

function byShape(document: unknown, host: ConfigHost): { readonly found: readonly Found[]; readonly key: string } {
  if (Array.isArray(document)) return { found: host === GENERIC ? entriesOf(document, [], host) : [], key: '' };
  // A settings file of a host has keys of its own that mean something else.
  const shapes = host === GENERIC ? SHAPES : SHAPES.slice(0, 2);
  const shape = shapes.find(({ path, isSure = false }) => (isSure ? isContainer : holdsServers)(at(document, ...path)));
  if (shape !== undefined) {
    const dialect = host === GENERIC ? (hostOf(shape.id ?? '') ?? host) : host;
    return { found: entriesOf(at(document, ...shape.path) as object, shape.path, dialect), key: shape.path.join('.') };
  }
  return host === GENERIC && holdsServers(document) ? { found: entriesOf(document as object, [], host), key: '' } : { found: [], key: '' };
}

/** Not a server that happens to have the name of a container. */
function isContainer(value: unknown): value is object {
  return Array.isArray(value) || (isObject(value) && !isServerLike(value));
}

function holdsServers(value: unknown): boolean {
  return isContainer(value) && Object.values(value).some(isServerLike);
}

function entriesOf(container: object, path: readonly string[], host: ConfigHost): readonly Found[] {
  const entries = Object.entries(container).map(([key, raw]): Found => {
    const name: unknown = Array.isArray(container) ? at(raw, 'name') : key;
    return { name: typeof name === 'string' ? name : '', raw, path: [...path, key], host };
  });
  return entries.filter(({ raw }) => !isForeign(raw, host));
}

/** Whether an entry is for something else than an MCP server of its own: built into the host, or started by an extension of it. */
function isForeign(raw: unknown, host: ConfigHost): boolean {
  return host.foreignTypes?.includes(String(at(raw, 'type'))) === true || (at(raw, 'source') === 'extension' && !isServerLike(raw));
}
