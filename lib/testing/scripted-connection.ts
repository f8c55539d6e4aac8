import { defer, finalize, map, noop, Subject, take, type Observable, type Subscription } from 'rxjs';
import { ConnectionClosedError, RpcError, type McpError } from '../errors.js';
import { firstOf } from '../transport/first-of.js';
import type { Transport } from '../transport/transport.js';
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from '../wire/codes.js';
import { errorIn, isFailure, isRequest, isResponse, type JsonObject, type JsonRpcMessage, type JsonRpcRequest, type JsonRpcResponse, type RequestId } from '../wire/message.js';
import { Announcing, type Change } from './announcing.js';
import { MemoryEnd } from './memory-end.js';
import type { Script } from './script.js';
import { capabilitiesOf, defaultAnswer, isHandshake, type Offer, type ScriptedServerOptions } from './scripted-defaults.js';

/** What a connection has of its server. */
export interface Host {
  readonly script: Script;
  readonly options: ScriptedServerOptions;
  readonly offer: () => Offer;
  onMessage(message: JsonRpcMessage): void;
  readonly onUnexpected: (request: JsonRpcRequest) => void;
  onGone(by: 'client' | 'server'): void;
}

/** One connection of a client to a scripted server. @public */
export class ScriptedConnection {
  /** Everything the client has sent on it, in order. */
  readonly received: JsonRpcMessage[] = [];
  readonly #host: Host;
  readonly #end: MemoryEnd;
  readonly #announcing = new Announcing((method, params) => {
    this.send({ method, params });
  });
  /** Requests that are owed an answer, and what is being done about them. */
  readonly #open = new Map<RequestId, JsonRpcRequest>();
  readonly #running = new Map<RequestId, Subscription>();
  readonly #asked = new Map<RequestId, Subject<JsonRpcResponse>>();
  #closed = false;

  /** @internal */
  constructor(host: Host) {
    this.#host = host;
    this.#end = new MemoryEnd({
      take: (message) => {
        this.#take(message);
      },
      gone: (by) => {
        this.#gone(by);
      },
    });
  }

  /** The client's side. */
  get transport(): Transport {
    return this.#end;
  }

  /** Whether it is over. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Requests of the client that have no answer yet, the oldest first. */
  get unanswered(): readonly JsonRpcRequest[] {
    return [...this.#open.values()];
  }

  /** Sends anything; `jsonrpc` is added where it is missing. */
  send(message: object): void {
    if (this.#closed) return;
    const sent = { jsonrpc: '2.0', ...message } as JsonRpcMessage;
    if (isResponse(sent) && sent.id != null) this.#open.delete(sent.id);
    this.#end.arrives(sent);
  }

  /** Ends it; what was sent before still arrives. @param cause - What the client learns. @defaultValue {@link ConnectionClosedError} */
  close(cause?: McpError): void {
    this.#end.ends(cause);
  }

  /** Ends it at once; what is on its way is lost. */
  cut(cause?: McpError): void {
    this.#end.endsNow(cause);
  }

  /** @internal */
  announce(change: Change): void {
    this.#announcing.announce(change, this.#isModern);
  }

  /** @internal */
  ask(id: RequestId, method: string, params: object | undefined): Observable<JsonObject> {
    return defer(() => {
      if (this.#closed) throw new ConnectionClosedError();
      const answered = new Subject<JsonRpcResponse>();
      this.#asked.set(id, answered);
      this.send({ id, method, ...(params && { params }) });
      return answered.pipe(
        take(1),
        map(resultOrThrow),
        finalize(() => {
          this.#withdraw(id);
        }),
      );
    });
  }

  get #isModern(): boolean {
    return (this.#host.options.era ?? 'modern') === 'modern';
  }

  #take(message: JsonRpcMessage): void {
    this.received.push(message);
    this.#host.onMessage(message);
    if (isResponse(message)) this.#answered(message);
    else if (isRequest(message)) this.#request(message);
    else this.#notified(message.method, message.params ?? {}, message);
  }

  #answered(response: JsonRpcResponse): void {
    const { id } = response;
    const asked = id == null ? undefined : this.#asked.get(id);
    if (id != null) this.#asked.delete(id);
    asked?.next(response);
  }

  #request(request: JsonRpcRequest): void {
    const { id, method, params = {} } = request;
    this.#open.set(id, request);
    const play = this.#host.script.take(request);
    if (play === undefined) {
      this.#byDefault(id, method, params, request);
      return;
    }
    const result$ = firstOf(() => play(request, this), () => new RpcError(INTERNAL_ERROR, `The script has no result for ${method}`));
    const running = result$.subscribe({
      next: (result) => {
        this.#running.delete(id);
        this.send({ id, result });
      },
      error: (error: unknown) => {
        this.#running.delete(id);
        this.#fail(id, error);
      },
    });
    if (!running.closed) this.#running.set(id, running);
  }

  #notified(method: string, params: JsonObject, message: JsonRpcMessage): void {
    if (method === 'notifications/cancelled') this.#cancelled(params.requestId as RequestId);
    const play = this.#host.script.take(message);
    if (play === undefined) return;
    const running = play(message, this).pipe(take(1)).subscribe({ error: noop }); // there is nothing to answer
    if (!running.closed) this.#running.set(`notification ${this.received.length}`, running);
  }

  #cancelled(id: RequestId): void {
    this.#open.delete(id);
    this.#running.get(id)?.unsubscribe();
    this.#running.delete(id);
    this.#announcing.unlisten(id);
  }

  #byDefault(id: RequestId, method: string, params: JsonObject, request: JsonRpcRequest): void {
    const { options, offer, onUnexpected } = this.#host;
    try {
      if (method === 'subscriptions/listen' && this.#isModern) {
        this.#announcing.listen(id, (params.notifications ?? {}), capabilitiesOf(options));
        return;
      }
      const isWatch = !this.#isModern && capabilitiesOf(options).resources && (method === 'resources/subscribe' || method === 'resources/unsubscribe');
      if (isWatch) this.#announcing.watch(params.uri as string, method === 'resources/subscribe');
      const result = isWatch ? {} : defaultAnswer(method, params, options, offer());
      if (result !== undefined) {
        this.send({ id, result });
        return;
      }
    } catch (error) {
      this.#fail(id, error);
      return;
    }
    const isExpected = isHandshake(method);
    if (!isExpected) onUnexpected(request);
    if (options.unmatched === 'silent' && !(isExpected && options.handshake !== false)) return;
    this.send({ id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
  }

  #fail(id: RequestId, error: unknown): void {
    const { code, detail, data } = error instanceof RpcError ? error : { code: INTERNAL_ERROR, detail: error instanceof Error ? error.message : String(error), data: undefined };
    this.send({ id, error: { code, message: detail, ...(data !== undefined && { data }) } });
  }

  /** The answer to a request of ours is no longer needed. */
  #withdraw(id: RequestId): void {
    if (this.#asked.delete(id)) this.send({ method: 'notifications/cancelled', params: { requestId: id } });
  }

  #gone(by: 'client' | 'server'): void {
    this.#closed = true;
    for (const running of this.#running.values()) running.unsubscribe();
    this.#running.clear();
    this.#open.clear();
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const waiting of asked) waiting.error(new ConnectionClosedError());
    this.#host.onGone(by);
  }
}

function resultOrThrow(response: JsonRpcResponse): JsonObject {
  if (!isFailure(response)) return response.result;
  const { code, message, data } = errorIn(response);
  throw new RpcError(code, message, data);
}
