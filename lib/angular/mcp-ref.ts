import { computed, untracked, type Signal } from '@angular/core';
import { defer, finalize, throwError, type Observable } from 'rxjs';
import {
  ConfigError,
  type CallEvent,
  type CallToolOptions,
  type CallToolResult,
  type JsonObject,
  type LoggingMessageParams,
  type ManagedTool,
  type McpClient,
  type McpManager,
  type OfServer,
  type PendingElicitation,
  type Prompt,
  type ReadResourceResult,
  type Resource as McpResource,
  type ServerState,
  type ServerStatus,
  type ToolAddress,
} from '../index.js';
import { latestOf, openOf } from './collect.js';

/**
 * The servers of the application, as signals. What nobody reads is not asked
 * for: a list is fetched, and followed, from the first time its signal is used.
 *
 * @public
 */
export interface McpRef {
  /** All servers with their states. */
  readonly servers: Signal<readonly ServerStatus[]>;
  /** What the server is doing; of many, the first that is not ready. */
  readonly status: Signal<ServerState['phase']>;
  /** What went wrong last with that server. */
  readonly error: Signal<unknown>;
  /** The tools of all servers. */
  readonly tools: Signal<readonly ManagedTool[]>;
  readonly prompts: Signal<readonly OfServer<'prompt', Prompt>[]>;
  readonly resources: Signal<readonly OfServer<'resource', McpResource>[]>;
  /** The latest logs, at most 200. */
  readonly logs: Signal<readonly OfServer<'log', LoggingMessageParams>[]>;
  /** Questions to the user that wait for an answer, where the clients have `withElicitation('stream')`; asked from when this is first read. */
  readonly elicitations: Signal<readonly OfServer<'elicitation', PendingElicitation>[]>;
  /** Everything else. It is closed with the application. */
  readonly manager: McpManager;
  /** The client of a server, by default of the one there is; undefined while there is none. */
  client(server?: string): McpClient | undefined;
  /**
   * What a resource holds, as it changes.
   *
   * @param server - Not needed where there is one.
   * @throws {@link ConfigError} as an error of the Observable: needed, and not given.
   * @throws as {@link McpManager.resource$}
   */
  resource$(uri: string, server?: string): Observable<ReadResourceResult>;
  /**
   * As {@link McpManager.callTool}; where there is one server, by the tool's own
   * name. Cold; the application is not stable while a call is under way.
   */
  callTool(tool: ToolAddress, args: JsonObject | undefined, options: CallToolOptions & { readonly observe: 'events' }): Observable<CallEvent<CallToolResult>>;
  callTool(tool: ToolAddress, args?: JsonObject, options?: CallToolOptions & { readonly observe?: 'result' | undefined }): Observable<CallToolResult>;
}

/** What a {@link SignalRef} needs of its surroundings. */
export interface Surroundings {
  /** The name of the server, where there can only be one. */
  readonly only: string | undefined;
  /** A signal of the latest value, for as long as the application lives. */
  readonly follow: <T>(source$: Observable<T>, initial: T) => Signal<T>;
  /** Keeps work out of the zone. */
  readonly outside: <T>(source$: Observable<T>) => Observable<T>;
  /** Says that something is under way; what it returns says that it is over. */
  readonly begin: () => () => void;
}

/** Signals that are made when they are first asked for. */
export class SignalRef implements McpRef {
  readonly #around: Surroundings;
  readonly #made = new Map<string, Signal<unknown>>();
  readonly servers: Signal<readonly ServerStatus[]>;
  readonly status = computed(() => this.#worst()?.state.phase ?? 'waiting');
  readonly error = computed(() => this.#worst()?.state.cause);

  constructor(
    readonly manager: McpManager,
    around: Surroundings,
  ) {
    this.#around = around;
    this.servers = around.follow(manager.servers$, []); // asks nothing of the servers
  }

  get tools(): Signal<readonly ManagedTool[]> {
    return this.#signal('tools', () => this.manager.tools$, []);
  }

  get prompts(): Signal<readonly OfServer<'prompt', Prompt>[]> {
    return this.#signal('prompts', () => this.manager.prompts$, []);
  }

  get resources(): Signal<readonly OfServer<'resource', McpResource>[]> {
    return this.#signal('resources', () => this.manager.resources$, []);
  }

  get logs(): Signal<readonly OfServer<'log', LoggingMessageParams>[]> {
    return this.#signal('logs', () => this.manager.logs$.pipe(latestOf()), []);
  }

  get elicitations(): Signal<readonly OfServer<'elicitation', PendingElicitation>[]> {
    return this.#signal('elicitations', () => openOf(this.manager.elicitations$), []);
  }

  client(server = this.#around.only): McpClient | undefined {
    return server === undefined ? undefined : this.manager.clientOf(server);
  }

  resource$(uri: string, server = this.#around.only): Observable<ReadResourceResult> {
    if (server === undefined) return throwError(() => new ConfigError(`Say which server the resource "${uri}" is of: there may be several`));
    return this.#around.outside(this.manager.resource$(server, uri));
  }

  callTool(tool: ToolAddress, args: JsonObject | undefined, options: CallToolOptions & { readonly observe: 'events' }): Observable<CallEvent<CallToolResult>>;
  callTool(tool: ToolAddress, args?: JsonObject, options?: CallToolOptions & { readonly observe?: 'result' | undefined }): Observable<CallToolResult>;
  callTool(tool: ToolAddress, args: JsonObject | undefined, options: CallToolOptions = {}): Observable<CallToolResult | CallEvent<CallToolResult>> {
    const { only, outside, begin } = this.#around;
    const address = typeof tool === 'string' && only !== undefined ? { server: only, tool } : tool;
    const call$ = outside(this.manager.callTool(address, args, options));
    return defer(() => {
      const end = begin();
      return call$.pipe(finalize(end));
    });
  }

  /** In templates too, where signals are read: to begin to follow is no part of reading. */
  #signal<T>(name: string, source: () => Observable<T>, initial: T): Signal<T> {
    const made = this.#made.get(name) ?? untracked(() => this.#around.follow(source(), initial));
    this.#made.set(name, made);
    return made as Signal<T>;
  }

  #worst(): ServerStatus | undefined {
    const servers = this.servers();
    return servers.find(({ state }) => state.phase !== 'ready' && state.phase !== 'disabled') ?? servers[0];
  }
}
