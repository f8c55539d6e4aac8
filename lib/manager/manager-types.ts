import type { ObservableInput } from 'rxjs';
import type { CacheStore } from '../client/cache-store.js';
import type { ClientOptions } from '../client/client.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { HealingOptions } from './healing.js';
import type { EntryOrigin, ServerEntry } from './server-entry.js';
import type { ServerState } from './server-state.js';

/** @public */
export interface ManagerOptions {
  /** How long the start waits for servers before the others' tools are shown, in milliseconds. @defaultValue 250 */
  readonly gateMs?: number | undefined;
  /** Most attempts to connect at once. @defaultValue 32 */
  readonly maxConcurrentConnects?: number | undefined;
  /** How lost servers are brought back. */
  readonly healing?: HealingOptions | undefined;
  /** A connection over which nothing came for so long is tried with a `ping`, in milliseconds. @defaultValue `Infinity`: never */
  readonly quietMs?: number | undefined;
  /**
   * Whether lists and resources follow their servers; else each is fetched once
   * for a connection, and no stream is kept open for changes. @defaultValue true
   */
  readonly isLive?: boolean | undefined;
  /** Where lists of tools are kept for the next start. @defaultValue in memory */
  readonly store?: CacheStore | undefined;
  /** Whose lists they are, where a store is shared. @defaultValue '' */
  readonly principal?: string | undefined;
  /** Whether an entry may be used, asked once for each in its present words. @defaultValue all may */
  readonly consent?: ((entry: ServerEntry) => ObservableInput<boolean>) | undefined;
  /** Options and features of the clients. Live views are always among them. */
  readonly client?: ClientOptions | ((entry: ServerEntry) => ClientOptions) | undefined;
  /** Longest name of a tool, in characters. @defaultValue 64 */
  readonly maxToolName?: number | undefined;
  /** Whether a call that was interrupted is made again when its tool is declared read-only or idempotent. @defaultValue false */
  readonly replayIdempotent?: boolean | undefined;
}

/** A server as the manager sees it. @public */
export interface ServerStatus {
  readonly name: string;
  readonly title: string | undefined;
  readonly origin: EntryOrigin | undefined;
  readonly warnings: readonly string[];
  readonly state: ServerState;
  /** How many tools are shown. */
  readonly tools: number;
}

/** A tool of one of the servers. @public */
export interface ManagedTool {
  /** Unique over all servers, and good for every provider of models. */
  readonly name: string;
  readonly server: string;
  /** As the server lists it, under its own name. */
  readonly tool: Tool;
  /** Known from before: a call waits for the connection. */
  readonly deferred: boolean;
}

/** What belongs to one of the servers. @public */
export type OfServer<K extends string, T> = { readonly server: string } & Readonly<Record<K, T>>;

/** What became of a server at the start. @public */
export type ServerResult =
  | { readonly server: string; readonly status: 'ready'; readonly tools: number }
  | { readonly server: string; readonly status: 'failed'; readonly state: ServerState; readonly error: unknown };

/** A tool by its exposed name, or by its server and its own name. @public */
export type ToolAddress = string | { readonly server: string; readonly tool: string };
