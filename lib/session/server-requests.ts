import type { Observable, ObservableInput, Subscription } from 'rxjs';
import { ProtocolError, RpcError } from '../errors.js';
import { firstOf } from '../transport/first-of.js';
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from '../wire/codes.js';
import type { JsonObject, JsonRpcErrorObject, JsonRpcRequest, JsonRpcResponse, RequestId } from '../wire/message.js';

/**
 * Answers one kind of request from the server: the first value is the result.
 * It is unsubscribed when the server cancels its request or the connection
 * ends. An {@link RpcError} goes to the server as it is; any other error as
 * "Internal error", without its text.
 *
 * @public
 */
export type ServerRequestHandler = (params: JsonObject, request: JsonRpcRequest) => ObservableInput<object>;

/** Handlers by method. @public */
export type ServerRequestHandlers = Readonly<Record<string, ServerRequestHandler>>;

const pong: ServerRequestHandler = () => [{}];

/**
 * Answers the server's own requests, each exactly once unless cancelled. While
 * the server waits for an answer, the deadlines of what we wait for stand still.
 *
 * @see JSON-RPC 2.0 §5
 */
export class ServerRequests {
  /** A server that uses an id twice still gets both answers. */
  readonly #running = new Map<Subscription, RequestId>();

  constructor(
    private readonly handlers: ServerRequestHandlers,
    private readonly reply: (response: JsonRpcResponse) => void,
    private readonly onError: (error: unknown) => void,
    /** Holds deadlines until unsubscribed. */
    private readonly hold: (request: JsonRpcRequest) => Subscription,
  ) {}

  take(request: JsonRpcRequest): void {
    const { id, method, params = {} } = request;
    const handler = Object.hasOwn(this.handlers, method) ? this.handlers[method] : method === 'ping' ? pong : undefined;
    if (handler === undefined) {
      this.reply({ jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
      return;
    }
    const answer = resultOf(method, () => handler(params, request)).subscribe({
      next: (result) => {
        this.reply({ jsonrpc: '2.0', id, result: ((result as object | undefined) ?? {}) as JsonObject });
      },
      error: (error: unknown) => {
        this.reply({ jsonrpc: '2.0', id, error: errorObject(error) });
        if (!(error instanceof RpcError)) this.onError(error);
      },
    });
    if (answer.closed) return;
    this.#running.set(answer, id);
    answer.add(this.hold(request));
    answer.add(() => this.#running.delete(answer));
  }

  /** The server needs this answer no longer. */
  cancel(id: RequestId): void {
    for (const [answer, running] of [...this.#running]) if (running === id) answer.unsubscribe();
  }

  stop(): void {
    for (const answer of [...this.#running.keys()]) answer.unsubscribe();
  }
}

/** What a handler answers. @throws {@link ProtocolError} nothing. */
export function resultOf<T>(method: string, handle: () => ObservableInput<T>): Observable<T> {
  return firstOf(handle, () => new ProtocolError(`The handler for ${method} completed without a result`));
}

function errorObject(error: unknown): JsonRpcErrorObject {
  if (!(error instanceof RpcError)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  return { code: error.code, message: error.detail, ...(error.data === undefined ? {} : { data: error.data }) };
}
