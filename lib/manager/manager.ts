import { asyncScheduler, auditTime, combineLatest, concat, connectable, defer, distinctUntilChanged, endWith, filter, from, ignoreElements, map, merge, of, ReplaySubject, share, Subject, Subscription, switchMap, take, throwError, timer, type Observable, type ObservableInput } from 'rxjs';
import { memoryStore, type CacheStore } from '../client/cache-store.js';
import type { CallToolOptions, ClientOptions, McpClient } from '../client/client.js';
import type { PendingElicitation } from '../client/input/pending-elicitation.js';
import { withLiveViews, type LiveViews } from '../client/with-live-views.js';
import { NotConnectedError } from '../errors.js';
import { DEFAULT_TIMEOUT_MS, type CallEvent } from '../session/request-options.js';
import type { CommonConfig } from '../transport/config.js';
import { Current } from '../transport/current.js';
import type { Diagnostic } from '../transport/diagnostic.js';
import { EmitQueue } from '../transport/emit-queue.js';
import type { LoggingMessageParams } from '../wire/mcp/logging.js';
import type { Prompt } from '../wire/mcp/prompts.js';
import type { Resource, ResourceTemplate } from '../wire/mcp/resource-types.js';
import type { ReadResourceResult } from '../wire/mcp/resources.js';
import type { CallToolResult } from '../wire/mcp/tools.js';
import type { JsonObject, JsonRpcNotification } from '../wire/message.js';
import { Catalogue } from './catalogue.js';
import { Consents } from './consents.js';
import { hashOf } from './entry-hash.js';
import { callManaged, ready } from './managed-call.js';
import { ManagedServer, type ManagedClient } from './managed-server.js';
import { ToolUnavailableError } from './manager-errors.js';
import type { ManagedTool, ManagerOptions, OfServer, ServerResult, ServerStatus, ToolAddress } from './manager-types.js';
import type { ServerEntry } from './server-entry.js';
import { ServerSet } from './server-set.js';
import { elicitationsOf, isSameList, latest, listOf, namedTools, resultOf, settledOf, statusOf } from './server-views.js';
import { Slots } from './slots.js';
import { MAX_NAME_LENGTH } from './tool-names.js';

/** Makes the clients of a manager; each door knows how. */
export type MakeClient = (config: CommonConfig, options: ClientOptions) => McpClient;

const DEFAULT_GATE_MS = 250;
const DEFAULT_CONNECTS = 32;

/**
 * Looks after many servers: connects them side by side, brings back what is
 * lost, and shows all of them as one.
 *
 * Nothing starts before {@link discoverAndConnect}. Streams named with `$` are
 * shared; `servers$` and the lists replay their latest value.
 *
 * @public
 */
export class McpManager {
  readonly #source: ObservableInput<readonly ServerEntry[]>;
  readonly #options: ManagerOptions;
  readonly #makeClient: MakeClient;
  readonly #slots: Slots;
  readonly #store: CacheStore;
  readonly #consents: Consents;
  readonly #queue = new EmitQueue();
  readonly #servers = new ServerSet((entry, after$) => this.#serve(entry, after$), this.#queue);
  readonly #isOpen = new Current(false, this.#queue);
  readonly #notifications = new Subject<OfServer<'notification', JsonRpcNotification>>();
  readonly #diagnostics = new Subject<OfServer<'diagnostic', Diagnostic>>();
  readonly #errors = new Subject<OfServer<'error', unknown>>();
  readonly #work = new Subscription();
  #results: Observable<ServerResult> | undefined;
  #closed: Observable<void> | undefined;
  /** Tools by their names, and what these follow from. */
  #named: { readonly sources: readonly unknown[]; readonly byName: ReadonlyMap<string, ManagedTool> } | undefined;

  /** All servers with their states, in the order of their names. */
  readonly servers$: Observable<readonly ServerStatus[]>;
  /** The tools of all servers, in the order of their names, from the moment the start gate opens. */
  readonly tools$: Observable<readonly ManagedTool[]>;
  readonly prompts$: Observable<readonly OfServer<'prompt', Prompt>[]>;
  readonly resources$: Observable<readonly OfServer<'resource', Resource>[]>;
  readonly resourceTemplates$: Observable<readonly OfServer<'resourceTemplate', ResourceTemplate>[]>;
  /** Every notification of every server. Hot; no replay. */
  readonly notifications$ = this.#notifications.asObservable();
  /** What the servers log. */
  readonly logs$: Observable<OfServer<'log', LoggingMessageParams>>;
  /** Questions to the user, where the clients have `withElicitation('stream')`. */
  readonly elicitations$: Observable<OfServer<'elicitation', PendingElicitation>>;
  /** What was skipped or dropped. */
  readonly diagnostics$ = this.#diagnostics.asObservable();
  /** Failures that belong to no call, such as lists that could not be fetched; of the entries' source with the server `''`. */
  readonly errors$ = this.#errors.asObservable();

  /** @param source - The entries: an array in an array, or a stream of all of them each time one changes. */
  constructor(makeClient: MakeClient, source: ObservableInput<readonly ServerEntry[]>, options: ManagerOptions = {}) {
    this.#makeClient = makeClient;
    this.#source = source;
    this.#options = options;
    this.#slots = new Slots(options.maxConcurrentConnects ?? DEFAULT_CONNECTS);
    this.#store = options.store ?? memoryStore();
    this.#consents = new Consents(options.consent);
    const changing$ = this.#each((server) => merge(server.state$, server.tools$).pipe(map(() => server)));
    const open$ = this.#isOpen.value$.pipe(filter(Boolean), take(1), ignoreElements());
    const tools$ = concat(open$, changing$);
    this.servers$ = changing$.pipe(map((servers) => servers.map(statusOf)), latest());
    this.tools$ = tools$.pipe(
      map((servers): readonly ManagedTool[] => namedTools(servers, this.#maxToolName)),
      distinctUntilChanged<readonly ManagedTool[]>(isSameList),
      latest(),
    );
    this.prompts$ = this.#lists('prompt', (views) => views.prompts$);
    this.resources$ = this.#lists('resource', (views) => views.resources$);
    this.resourceTemplates$ = this.#lists('resourceTemplate', (views) => views.resourceTemplates$);
    this.logs$ = this.notifications$.pipe(
      filter(({ notification: { method, params } }) => method === 'notifications/message' && params !== undefined),
      map(({ server, notification }) => ({ server, log: notification.params as unknown as LoggingMessageParams })),
    );
    this.elicitations$ = this.#servers.value$.pipe(
      switchMap((servers) => merge(...[...servers.values()].map(elicitationsOf))),
      share(),
    );
  }

  /**
   * Takes the entries and connects all of them, side by side; later changes of
   * the source add, replace and remove servers, and leave the others alone.
   * Eager, replaying: emits what becomes of each server of the first set, as it
   * happens, and completes with the last. None holds back or hides another.
   *
   * @throws what the source of the entries throws before it gives any.
   */
  discoverAndConnect(): Observable<ServerResult> {
    if (this.#closed !== undefined) return throwError(() => new NotConnectedError());
    return (this.#results ??= this.#start());
  }

  /**
   * Connects one server, or connects it again; with an entry, adds it or puts
   * it in the place of the one there is. Eager, replaying: emits what became of it.
   *
   * @throws {@link ServerUnavailableError} there is no entry of that name.
   */
  connectToServer(name: string, entry?: Omit<ServerEntry, 'name'>): Observable<ServerResult> {
    if (this.#closed !== undefined) return throwError(() => new NotConnectedError());
    const result = new ReplaySubject<ServerResult>(1);
    defer(() => {
      if (entry !== undefined) return resultOf(this.#servers.put({ ...entry, name }));
      const server = this.#servers.named(name);
      const { phase } = server.state;
      if (phase === 'disabled' || phase === 'refused') this.enable(name);
      else server.reconnect();
      return resultOf(server);
    }).subscribe(result);
    return result.asObservable();
  }

  /** What a server is doing; undefined when there is none of that name. */
  statusOf(server: string): ServerStatus | undefined {
    const found = this.#servers.find(server);
    return found && statusOf(found);
  }

  /** The client of a server, for what the manager does not have; undefined while there is none. The manager closes it. */
  clientOf(server: string): McpClient | undefined {
    return this.#servers.find(server)?.client;
  }

  /**
   * The client of a server once it is ready, for what the manager does not have. Cold; emits once.
   *
   * @param timeoutMs - In milliseconds. @defaultValue 30_000
   * @throws {@link ServerUnavailableError} there is no such server, it cannot be used, or is not ready in time.
   */
  whenReady(name: string, timeoutMs: number = DEFAULT_TIMEOUT_MS): Observable<McpClient> {
    return defer(() => {
      const server = this.#servers.named(name);
      server.use();
      return ready(server, asyncScheduler.now() + timeoutMs);
    });
  }

  /** What a resource of a server holds, as it changes; see {@link LiveViews}. @throws as {@link whenReady} */
  resource$(name: string, uri: string): Observable<ReadResourceResult> {
    return this.whenReady(name).pipe(switchMap((client) => this.#servers.named(name).views(client as ManagedClient).resource$(uri)));
  }

  /** Ends the connection of a server and makes a new one, whatever was planned. @throws {@link ServerUnavailableError} */
  reconnect(server: string): void {
    this.#servers.named(server).reconnect();
  }

  /** Connects a server that was disabled; one that was refused is asked about anew. @throws {@link ServerUnavailableError} */
  enable(name: string): void {
    const server = this.#servers.named(name);
    if (server.state.phase === 'refused') {
      this.#consents.forget(server.entry);
      server.disable();
    }
    server.enable();
  }

  /** Ends the connection of a server until it is enabled again. @throws {@link ServerUnavailableError} */
  disable(server: string): void {
    this.#servers.named(server).disable();
  }

  /**
   * Calls a tool. Cold. A deferred one waits for its server, within the deadline of the call.
   *
   * @throws {@link ToolUnavailableError} no such tool, or no longer the one that was listed.
   * @throws {@link ServerUnavailableError} its server cannot be used, or did not come in time.
   * @throws {@link OutcomeUnknownError} the connection was lost meanwhile: it may have run.
   * @throws as {@link McpClient.callTool}
   */
  callTool(tool: ToolAddress, args: JsonObject | undefined, options: CallToolOptions & { readonly observe: 'events' }): Observable<CallEvent<CallToolResult>>;
  callTool(tool: ToolAddress, args?: JsonObject, options?: CallToolOptions & { readonly observe?: 'result' | undefined }): Observable<CallToolResult>;
  callTool(tool: ToolAddress, args: JsonObject | undefined, options: CallToolOptions): Observable<CallToolResult | CallEvent<CallToolResult>>;
  callTool(tool: ToolAddress, args: JsonObject = {}, options: CallToolOptions = {}): Observable<CallToolResult | CallEvent<CallToolResult>> {
    return defer(() => {
      const { server: name, tool: own } = typeof tool === 'object' ? tool : this.#addressOf(tool);
      const server = this.#servers.named(name);
      if (!server.shows(own)) throw new ToolUnavailableError(own, name, 'hidden');
      return callManaged(server, { tool: own, args, options, replayIdempotent: this.#options.replayIdempotent ?? false });
    });
  }

  /** Ends everything, in bounded time. Eager, replaying; never errors. */
  close(): Observable<void> {
    return (this.#closed ??= this.#end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.close().subscribe({ complete: resolve }));
  }

  #start(): Observable<ServerResult> {
    const results = new ReplaySubject<ServerResult>(Infinity);
    const sets$ = connectable(
      from(this.#source).pipe(
        map((entries) => {
          this.#servers.apply(entries);
          return this.#servers.all;
        }),
      ),
    );
    const first$ = sets$.pipe(
      take(1),
      switchMap((servers) => {
        this.#openInTime(servers);
        return merge(...servers.map(resultOf));
      }),
    );
    this.#work.add(first$.subscribe(results));
    this.#work.add(
      sets$.subscribe({
        error: (error: unknown) => {
          this.#errors.next({ server: '', error });
        },
      }),
    );
    this.#work.add(sets$.connect());
    return results.asObservable();
  }

  /** Lets the tools be seen: once every server is ready or has failed, or after a while. */
  #openInTime(servers: readonly ManagedServer[]): void {
    const settled$ = merge(...servers.map(settledOf)).pipe(ignoreElements(), endWith(true));
    const opening$ = merge(settled$, timer(this.#options.gateMs ?? DEFAULT_GATE_MS)).pipe(take(1));
    this.#work.add(
      opening$.subscribe(() => {
        this.#isOpen.next(true);
      }),
    );
  }

  #end(): Observable<void> {
    this.#work.unsubscribe();
    const closed$ = this.#servers.close();
    closed$.subscribe({
      complete: () => {
        for (const part of [this.#isOpen, this.#notifications, this.#diagnostics, this.#errors]) part.complete();
      },
    });
    return closed$;
  }

  #serve(entry: ServerEntry, after$: Observable<unknown>): ManagedServer {
    const { healing = {}, quietMs = Infinity, principal = '', isLive = true } = this.#options;
    return new ManagedServer({
      entry,
      after$,
      makeClient: (config) => this.#clientFor(entry, config),
      consent$: defer(() => this.#consents.of(entry)),
      slots: this.#slots,
      healing,
      quietMs,
      isLive,
      catalogueOf: (kind) => new Catalogue(this.#store, [kind, entry.name, hashOf(entry), principal]),
      onClient: (client) => this.#listen(entry.name, client),
      onError: (error) => {
        this.#errors.next({ server: entry.name, error });
      },
    });
  }

  #clientFor(entry: ServerEntry, config: CommonConfig): ManagedClient {
    const { client = {} } = this.#options;
    const options = typeof client === 'function' ? client(entry) : client;
    const { name, connectTimeoutMs, requestTimeoutMs } = entry;
    const made = this.#makeClient(config, {
      ...options,
      name,
      features: [...(options.features ?? []), withLiveViews()],
      ...(connectTimeoutMs !== undefined && { handshakeTimeoutMs: connectTimeoutMs }),
      ...(requestTimeoutMs !== undefined && { timeout: requestTimeoutMs }),
    });
    return made as ManagedClient;
  }

  #listen(server: string, client: McpClient): Subscription {
    const work = client.notifications$.subscribe((notification) => {
      this.#notifications.next({ server, notification });
    });
    work.add(
      client.diagnostics$.subscribe((diagnostic) => {
        this.#diagnostics.next({ server, diagnostic });
      }),
    );
    work.add(
      client.errors$.subscribe((error) => {
        this.#errors.next({ server, error });
      }),
    );
    return work;
  }

  get #maxToolName(): number {
    return this.#options.maxToolName ?? MAX_NAME_LENGTH;
  }

  /** @throws {@link ToolUnavailableError} nothing has that name. */
  #addressOf(name: string): { readonly server: string; readonly tool: string } {
    const found = this.#toolsByName().get(name);
    if (found === undefined) throw new ToolUnavailableError(name, undefined, 'unknown');
    return { server: found.server, tool: found.tool.name };
  }

  /** Made anew when something has changed that it follows from: naming a thousand tools takes longer than a call. */
  #toolsByName(): ReadonlyMap<string, ManagedTool> {
    const servers = this.#servers.all;
    const sources = servers.flatMap(({ entry, state, tools }): readonly unknown[] => [entry, state, tools]);
    const known = this.#named;
    if (known?.sources.length === sources.length && sources.every((source, index) => source === known.sources[index])) return known.byName;
    const byName = new Map(namedTools(servers, this.#maxToolName).map((tool) => [tool.name, tool]));
    this.#named = { sources, byName };
    return byName;
  }

  /** What there is of each server, whenever one of them changes. */
  #each<T>(of$: (server: ManagedServer) => Observable<T>): Observable<T[]> {
    return this.#servers.value$.pipe(
      switchMap((servers) => (servers.size === 0 ? of([]) : combineLatest([...servers.values()].map(of$)))),
      auditTime(0), // what happens in one go is one change
    );
  }

  #lists<K extends string, T>(key: K, of$: (views: LiveViews) => Observable<T[]>): Observable<readonly OfServer<K, T>[]> {
    return this.#each((server) => listOf(server, key, of$)).pipe(
      map((lists): readonly OfServer<K, T>[] => lists.flat()),
      distinctUntilChanged<readonly OfServer<K, T>[]>(isSameList),
      latest(),
    );
  }
}

/** `createManager` for a door. */
export function managerCreator(makeClient: MakeClient) {
  return (source: ObservableInput<readonly ServerEntry[]>, options?: ManagerOptions): McpManager => new McpManager(makeClient, source, options);
}
