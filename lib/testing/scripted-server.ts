import { defer, Subject, type Observable } from 'rxjs';
import { ConfigError, ConnectionClosedError, type McpError } from '../errors.js';
import type { Transport } from '../transport/transport.js';
import type { Prompt } from '../wire/mcp/prompts.js';
import type { Resource, ResourceTemplate } from '../wire/mcp/resource-types.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { JsonRpcMessage, JsonRpcRequest } from '../wire/message.js';
import type { ParamsOf, ResultOf, ServerNotifications } from '../wire/methods.js';
import type { Change } from './announcing.js';
import { provideLazyModules } from './lazy-modules.js';
import { Reaction, Script, type ParamsMatch } from './script.js';
import { ScriptedConnection } from './scripted-connection.js';
import type { Offer, ScriptedServerOptions } from './scripted-defaults.js';

/** What came from a client, or that it closed its connection. @public */
export interface Received {
  /** Which connection, from 1. */
  readonly connection: number;
  /** Undefined: the client has closed it. */
  readonly message: JsonRpcMessage | undefined;
}

/**
 * A server in memory that does what a test says: `createClient(server.open)`.
 * It answers the handshake and the lists it was given by itself. Everything
 * that waits in it is on RxJS schedulers, so virtual time controls it.
 *
 * @public
 */
export class ScriptedServer {
  /** One for each time a client connected, in order. */
  readonly connections: ScriptedConnection[] = [];
  /** Everything clients have sent, over all connections. */
  readonly received: JsonRpcMessage[] = [];
  /** Requests that nothing was written for, the handshake left out. */
  readonly unexpected: JsonRpcRequest[] = [];
  readonly #options: ScriptedServerOptions;
  readonly #script = new Script();
  readonly #received = new Subject<Received>();
  #offer: Offer;
  #stopped: { readonly cause: McpError } | undefined;
  #lastId = 0;

  /** The same as it happens. Hot; never ends. */
  readonly received$: Observable<Received> = this.#received.asObservable();

  constructor(options: ScriptedServerOptions = {}) {
    provideLazyModules();
    this.#options = options;
    this.#offer = options;
  }

  /** Makes the transport of one more connection; for `createClient`. */
  readonly open = (): Transport => {
    const number = this.connections.length + 1;
    const connection: ScriptedConnection = new ScriptedConnection({
      script: this.#script,
      options: this.#options,
      offer: () => this.#offer,
      onMessage: (message) => {
        this.received.push(message);
        this.#received.next({ connection: number, message });
      },
      onUnexpected: (request) => {
        this.unexpected.push(request);
      },
      onGone: (by) => {
        if (by === 'client') this.#received.next({ connection: number, message: undefined });
      },
    });
    if (this.#stopped !== undefined) connection.cut(this.#stopped.cause);
    this.connections.push(connection);
    return connection.transport;
  };

  /**
   * Says what becomes of requests, or of notifications: steps and an end.
   *
   * ```ts
   * server.when('tools/call', { name: 'count' }).progress({ progress: 1, total: 2 }).after(50).answer({ content: [] });
   * ```
   *
   * Of several rules that fit, those with a number (`once()`) come first, in
   * the order written, then the newest.
   *
   * @param match - Params it is for: an object all of which they have, or a function. @defaultValue all
   */
  when<M extends string>(method: M, match: ParamsMatch<ParamsOf<M>> = {}): Reaction<ParamsOf<M>, ResultOf<M>, this> {
    return new Reaction((play, left) => {
      this.#script.add({ method, match: match, play, left });
      return this;
    });
  }

  /** The newest connection. @throws {@link ConfigError} nobody has connected yet. */
  get connection(): ScriptedConnection {
    const connection = this.connections.at(-1);
    if (connection === undefined) throw new ConfigError('No client has connected to this server yet');
    return connection;
  }

  /** The messages of one method that were received. */
  receivedOf(method: string): JsonRpcMessage[] {
    return this.received.filter((message) => 'method' in message && message.method === method);
  }

  /** Sends a notification on every open connection, as it is. */
  notify<M extends keyof ServerNotifications>(method: M, params?: ServerNotifications[M]): void;
  notify(method: string, params?: object): void;
  notify(method: string, params?: object): void {
    for (const connection of this.#live) connection.send({ method, ...(params && { params }) });
  }

  /**
   * Asks the client something, over the newest connection. Cold; emits the
   * result. Unsubscribing before cancels the request.
   *
   * @throws {@link RpcError} the client answered with an error.
   * @throws {@link ConnectionClosedError} the connection is over.
   * @throws {@link ConfigError} the server is a modern one: those ask by `input_required` results.
   */
  request<M extends string>(method: M, params?: ParamsOf<M>): Observable<ResultOf<M>> {
    return defer(() => {
      if ((this.#options.era ?? 'modern') === 'modern') throw new ConfigError(`A server of 2026-07-28 sends no requests; answer with resultType 'input_required' instead of asking for ${method}`);
      return this.connection.ask(`server-${++this.#lastId}`, method, params) as Observable<ResultOf<M>>;
    });
  }

  /** Offers other tools from now on, and says so to who wants to know. */
  setTools(tools: readonly Tool[]): void {
    this.#change({ tools }, 'tools');
  }

  /** Offers other prompts from now on, and says so to who wants to know. */
  setPrompts(prompts: readonly Prompt[]): void {
    this.#change({ prompts }, 'prompts');
  }

  /** Offers other resources from now on, and says so to who wants to know. */
  setResources(resources: readonly Resource[]): void {
    this.#change({ resources }, 'resources');
  }

  /** Offers other templates from now on, and says so to who wants to know. */
  setResourceTemplates(resourceTemplates: readonly ResourceTemplate[]): void {
    this.#change({ resourceTemplates }, 'resources');
  }

  /** Says that a resource holds something else, to who watches it. */
  resourceUpdated(uri: string): void {
    this.#announce({ uri });
  }

  /** Ends the connections there are; new ones can be made. @param cause - What clients learn. @defaultValue {@link ConnectionClosedError} */
  close(cause?: McpError): void {
    for (const connection of this.#live) connection.close(cause);
  }

  /** Ends the connections there are at once, and new ones as soon as they are made, until {@link start}. */
  stop(cause: McpError = new ConnectionClosedError()): void {
    this.#stopped = { cause };
    for (const connection of this.#live) connection.cut(cause);
  }

  /** Can be connected to again. */
  start(): void {
    this.#stopped = undefined;
  }

  get #live(): ScriptedConnection[] {
    return this.connections.filter(({ closed }) => !closed);
  }

  #change(lists: Offer, what: Change): void {
    this.#offer = { ...this.#offer, ...lists };
    this.#announce(what);
  }

  #announce(change: Change): void {
    for (const connection of this.#live) connection.announce(change);
  }
}

/** Makes a {@link ScriptedServer}. @public */
export function scriptedServer(options?: ScriptedServerOptions): ScriptedServer {
  return new ScriptedServer(options);
}
