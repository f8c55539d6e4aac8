import { catchError, concat, defer, EMPTY, filter, ignoreElements, map, type Observable, of, switchMap, type Subscription } from 'rxjs';
import { RpcError } from '../errors.js';
import type { Connection, Sending, WireRecord } from '../session/connection.js';
import { guarded } from '../session/guard.js';
import type { ServerSession } from '../session/negotiate.js';
import type { CallEvent, NotifyOptions, RequestOptions } from '../session/request-options.js';
import type { ServerRequestHandlers } from '../session/server-requests.js';
import type { Diagnostic } from '../transport/diagnostic.js';
import type { Transport } from '../transport/transport.js';
import { HEADER_MISMATCH } from '../wire/codes.js';
import type { Implementation } from '../wire/mcp/base.js';
import type { ServerCapabilities } from '../wire/mcp/capabilities.js';
import type { LoggingMessageParams } from '../wire/mcp/logging.js';
import type { CompleteParams, CompleteResult } from '../wire/mcp/completion.js';
import type { GetPromptResult, Prompt } from '../wire/mcp/prompts.js';
import type { Resource, ResourceTemplate } from '../wire/mcp/resource-types.js';
import type { ReadResourceResult } from '../wire/mcp/resources.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { CallToolResult } from '../wire/mcp/tools.js';
import type { JsonObject, JsonRpcNotification } from '../wire/message.js';
import type { NotificationParamsOf, ParamsOf, ResultOf, ServerNotifications } from '../wire/methods.js';
import type { Revision } from '../wire/revision.js';
import { mergedCapabilities, withFeatures, type CallHandler, type ClientFeature } from './feature.js';
import { listMethod, type ListMethod } from './lists.js';
import { ParamHeaders } from './param-headers.js';
import { ServerLink, type ClientState, type LinkOptions } from './server-link.js';

/** @public */
export interface ClientOptions<F extends readonly ClientFeature[] = readonly ClientFeature[]> extends LinkOptions {
  /** Parts of the client beyond the core. */
  readonly features?: F | undefined;
}

/** How to call a tool. @public */
export interface CallToolOptions extends RequestOptions {
  /** The result alone, or progress and logs on the way too. @defaultValue 'result' */
  readonly observe?: 'result' | 'events' | undefined;
}

/** One for all calls without any: an object less for each that waits. */
const NO_OPTIONS = {};

/**
 * Talks to one server, through as many connections as that takes.
 *
 * Calls are cold: subscribing sends, unsubscribing cancels at the server,
 * subscribing twice sends twice. `connect`, `reconnect`, `close` and `notify`
 * are eager: calling is doing. Streams named with `$` are shared; those of
 * what happens (`notifications$`, `logs$`, …) are hot, without replay.
 *
 * @public
 */
export class McpClient {
  readonly #link: ServerLink;
  readonly #paramHeaders = new ParamHeaders();
  /** Undefined when no feature stands before the calls. */
  readonly #handler: CallHandler | undefined;

  /** What the client is doing, replayed; completes after `closed`. */
  readonly state$: Observable<ClientState>;
  /** The connection in use, replayed; undefined while there is none. */
  readonly connection$: Observable<Connection | undefined>;
  /** Every notification of the server, over all connections. */
  readonly notifications$: Observable<JsonRpcNotification>;
  /** What the server logs. */
  readonly logs$: Observable<LoggingMessageParams>;
  /** Every message, both ways. */
  readonly wire$: Observable<WireRecord>;
  /** What a stdio server writes beside the protocol, in pieces as they come. */
  readonly stderr$: Observable<string>;
  /** All tools of the server. @throws as {@link request} */
  readonly listTools: ListMethod<Tool>;
  /** All prompts of the server. @throws as {@link request} */
  readonly listPrompts: ListMethod<Prompt>;
  /** All resources of the server. @throws as {@link request} */
  readonly listResources: ListMethod<Resource>;
  /** All templates for resources of the server. @throws as {@link request} */
  readonly listResourceTemplates: ListMethod<ResourceTemplate>;
  /** What was skipped or dropped. */
  readonly diagnostics$: Observable<Diagnostic>;
  /** Failures that belong to no single call, such as those of callbacks. */
  readonly errors$: Observable<unknown>;

  /** @param ways - Each makes a new transport for each connection; the next is tried when HTTP says that the server is not there. */
  constructor(ways: readonly (() => Transport)[], options: ClientOptions = {}) {
    const { features: given = [], ...linkOptions } = options;
    const features = given.map((feature) => feature.create?.() ?? feature);
    const capabilities = mergedCapabilities(options.capabilities, ...features.map((feature) => feature.capabilities));
    const requestHandlers = Object.assign({}, ...features.map((feature) => feature.requestHandlers).reverse(), options.requestHandlers) as ServerRequestHandlers;
    const link = new ServerLink(ways, { ...linkOptions, capabilities, requestHandlers });
    this.#link = link;
    this.#handler = withFeatures((call) => this.#exchange(call.method, call.params, call.options), features);
    this.state$ = link.state$;
    this.connection$ = link.connection$;
    this.wire$ = link.connection$.pipe(switchMap((connection) => connection?.wire$ ?? EMPTY));
    this.stderr$ = link.connection$.pipe(switchMap((connection) => connection?.stderr$ ?? EMPTY));
    this.notifications$ = link.notifications$;
    this.diagnostics$ = link.diagnostics$;
    this.errors$ = link.errors$;
    this.logs$ = link.logs$;
    const list = <T>(method: 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list', itemsKey: string, idKey: string, usable?: (items: T[]) => T[]) =>
      listMethod<T>({ method, itemsKey, idKey, usable, timeoutMs: options.timeout, fetch: (params, callOptions) => this.request(method, params, callOptions) });
    this.listTools = list('tools/list', 'tools', 'name', (tools: Tool[]) => this.#usable(tools));
    this.listPrompts = list('prompts/list', 'prompts', 'name');
    this.listResources = list('resources/list', 'resources', 'uri');
    this.listResourceTemplates = list('resources/templates/list', 'resourceTemplates', 'uriTemplate');
    for (const feature of features) Object.assign(this, feature.extend?.(this, link.report));
  }

  /** Whether calls can be made now. */
  get connected(): boolean {
    return this.#link.state.status === 'ready';
  }

  /** How the server names itself; for display, not to be relied on. */
  get serverInfo(): Implementation | undefined {
    return this.#session?.serverInfo;
  }

  /** What the server can do. */
  get capabilities(): ServerCapabilities | undefined {
    return this.#session?.capabilities;
  }

  /** The server's hints for a model. */
  get instructions(): string | undefined {
    return this.#session?.instructions;
  }

  /** The revision that was agreed. */
  get protocolVersion(): Revision | undefined {
    return this.#session?.protocolVersion;
  }

  /**
   * Connects, and emits the client once calls can be made. Eager, replaying:
   * one attempt, however many ask; after a failure the next call tries again.
   *
   * @throws {@link SpawnError}, {@link ConnectionClosedError} stdio: the server did not start, or ended.
   * @throws {@link HttpError}, {@link NetworkError} HTTP: refused, or not reached.
   * @throws {@link UnsupportedProtocolVersionError} no revision in common.
   * @throws {@link RequestTimeoutError} not within `handshakeTimeoutMs`.
   */
  connect(): Observable<this> {
    return concat(this.#link.connect().pipe(ignoreElements()), of(this));
  }

  /** Ends the connection in use, if there is one, and connects anew. Eager, replaying. */
  reconnect(): Observable<this> {
    return concat(this.#link.reconnect().pipe(ignoreElements()), of(this));
  }

  /** Ends everything, in bounded time. Eager, replaying; never errors. */
  close(): Observable<void> {
    return this.#link.close();
  }

  /**
   * Any request, and its result. Cold.
   *
   * @throws {@link RpcError} the server answered with an error.
   * @throws {@link RequestTimeoutError} no answer in time.
   * @throws {@link NotConnectedError} there is no connection.
   * @throws {@link ConnectionClosedError} the connection ended first.
   * @throws {@link HttpError}, {@link NetworkError}, {@link NoResponseError}, {@link ParseError} HTTP only.
   */
  request<M extends string>(method: M, params?: ParamsOf<M>, options: RequestOptions = NO_OPTIONS): Observable<ResultOf<M>> {
    if (this.#handler === undefined) return this.#send(method, params, options, (connection, sending) => connection.requestNow(method, params, sending));
    return this.#call(method, params, options).pipe(
      filter((event) => event.type === 'result'),
      map(({ result }) => result),
    );
  }

  /** Any notification. Eager; see {@link Connection.notify}. */
  notify<M extends string>(method: M, params?: NotificationParamsOf<M>, options?: NotifyOptions): Observable<void> {
    return this.#link.notify(method, params, options);
  }

  /** Whether the server answers: `ping`, or `server/discover` where there is no `ping` any more. Cold; completes empty. */
  ping(options?: RequestOptions): Observable<never> {
    return defer(() => this.request(this.#session?.verdict.era === 'modern' ? 'server/discover' : 'ping', undefined, options)).pipe(ignoreElements());
  }

  /** What a resource holds. Cold. @throws as {@link request} */
  readResource(uri: string, options?: RequestOptions): Observable<ReadResourceResult> {
    return this.request('resources/read', { uri }, options);
  }

  /** A prompt filled in. Cold. @throws as {@link request} */
  getPrompt(name: string, args?: Record<string, string>, options?: RequestOptions): Observable<GetPromptResult> {
    return this.request('prompts/get', args === undefined ? { name } : { name, arguments: args }, options);
  }

  /** What an argument of a prompt or of a resource template may be. Cold. @throws as {@link request} */
  complete(params: CompleteParams, options?: RequestOptions): Observable<CompleteResult> {
    return this.request('completion/complete', params, options);
  }

  /**
   * Calls a tool. A result with `isError` is a result: see {@link throwOnToolError}. Cold.
   *
   * @param options - `observe: 'events'`: progress and logs on the way, the result last.
   * @throws as {@link request}
   */
  callTool(name: string, args: JsonObject | undefined, options: CallToolOptions & { readonly observe: 'events' }): Observable<CallEvent<CallToolResult>>;
  callTool(name: string, args?: JsonObject, options?: CallToolOptions & { readonly observe?: 'result' | undefined }): Observable<CallToolResult>;
  callTool(name: string, args: JsonObject | undefined, options: CallToolOptions): Observable<CallToolResult | CallEvent<CallToolResult>>;
  callTool(name: string, args: JsonObject = {}, options: CallToolOptions = NO_OPTIONS): Observable<CallToolResult | CallEvent<CallToolResult>> {
    const params = { name, arguments: args };
    return options.observe === 'events' ? this.#call('tools/call', params, { ...options, progress: options.progress ?? true }) : this.request('tools/call', params, options);
  }

  /** Calls `handler` with every notification, or with those of one method. What it throws goes to `errors$`. */
  onNotification(handler: (notification: JsonRpcNotification) => void): Subscription;
  onNotification<M extends keyof ServerNotifications>(method: M, handler: (params: ServerNotifications[M]) => void): Subscription;
  onNotification(method: string, handler: (params: JsonObject | undefined) => void): Subscription;
  onNotification(first: string | ((notification: JsonRpcNotification) => void), handler?: (params: never) => void): Subscription {
    const { report } = this.#link;
    if (typeof first === 'function') return this.notifications$.subscribe(guarded(first, report));
    const handle = guarded(handler as (params: unknown) => void, report);
    return this.notifications$.pipe(filter(({ method }) => method === first)).subscribe(({ params }) => {
      handle(params);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.close().subscribe({ complete: resolve }));
  }

  #call<M extends string>(method: M, params: ParamsOf<M> | undefined, options: RequestOptions): Observable<CallEvent<ResultOf<M>>> {
    const call = { method, params: params as JsonObject | undefined, options };
    const events$ = defer(() => this.#handler?.(call) ?? this.#exchange(method, call.params, options));
    return events$ as Observable<CallEvent<ResultOf<M>>>;
  }

  #exchange(method: string, params: JsonObject | undefined, options: RequestOptions): Observable<CallEvent<JsonObject>> {
    return this.#send(method, params, options, (connection, sending) => connection.exchange(method, params, sending));
  }

  /**
   * Sends over the connection in use. A call of a tool carries the headers its
   * schema asks for, where there are any; when the server says they do not
   * match, the tools are listed afresh and the call, which did not run, is sent again.
   *
   * @see MCP 2026-07-28 Streamable HTTP, "Client Behavior"
   */
  #send<T>(method: string, params: object | undefined, options: RequestOptions, go: (connection: Connection, options: Sending) => Observable<T>): Observable<T> {
    return defer(() => {
      const connection = this.#link.ready();
      if (method !== 'tools/call' || !this.#hasParamHeaders) return go(connection, options);
      const call$ = defer(() => go(connection, { ...options, mirrored: this.#paramHeaders.of(params as JsonObject) }));
      return call$.pipe(
        catchError((error: unknown) => {
          if (!(error instanceof RpcError) || error.code !== HEADER_MISMATCH) throw error;
          return concat(this.listTools().pipe(ignoreElements()), call$);
        }),
      );
    });
  }

  /** Whether a tool's parameters are mirrored: HTTP of a modern revision. */
  get #hasParamHeaders(): boolean {
    return this.#session?.verdict.era === 'modern' && this.#link.ready().hasRequestStreams;
  }

  /** Leaves out tools that cannot be called as they ask for. */
  #usable(tools: Tool[]): Tool[] {
    if (!this.#hasParamHeaders) return tools;
    return tools.filter((tool) => {
      const problem = this.#paramHeaders.learn(tool);
      if (problem !== undefined) this.#link.diagnose({ kind: 'unusable-tool', message: `Left out the tool "${tool.name}": ${problem}` });
      return problem === undefined;
    });
  }

  get #session(): ServerSession | undefined {
    const { state } = this.#link;
    return state.status === 'ready' ? state.session : undefined;
  }
}
