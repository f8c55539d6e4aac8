import { Observable, takeUntil, type Subscriber, type Unsubscribable } from 'rxjs';
import { ProtocolError, RequestTimeoutError, RpcError } from '../errors.js';
import { checkTimeout, Deadline } from '../transport/deadline.js';
import type { DeadlineClock, Waiter } from '../transport/deadline-clock.js';
import { withContext } from '../transport/send-context.js';
import type { ProgressParams } from '../wire/mcp/notifications.js';
import { errorIn, isFailure, type JsonObject, type JsonRpcRequest, type JsonRpcResponse, type RequestId } from '../wire/message.js';
import { abortionOf } from './abort.js';
import type { Era } from './era.js';
import { guarded } from './guard.js';
import type { Replies, Waiting } from './replies.js';
import { clocksOf, wantsProgress, type CallEvent, type CallNews, type RequestOptions } from './request-options.js';

/** What sending a request needs of its connection. */
export interface Outlet {
  readonly replies: Replies;
  readonly clock: DeadlineClock;
  /** Deadline of requests that name none, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether messages travel with headers and the like beside them. */
  readonly usesContext: boolean;
  readonly nextId: () => RequestId;
  readonly send: (request: JsonRpcRequest) => void;
  /** Nobody waits any more; the reply is still owed. */
  readonly abandon: (request: JsonRpcRequest, era: Era, cancel: RequestOptions['cancel']) => void;
  /** Takes what a callback of the user's throws. */
  readonly report: (error: unknown) => void;
}

/** How a request is sent. */
export interface RequestPlan {
  readonly era: Era;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  readonly mirrored?: Readonly<Record<string, string>> | undefined;
  readonly onId?: ((id: RequestId) => void) | undefined;
}

/**
 * Sends one request and emits its result.
 *
 * Cold: each subscription sends again, with an id of its own.
 *
 * @throws {@link RpcError} the peer replied with an error.
 * @throws {@link ProtocolError} the result is of a kind that is not known here.
 * @throws {@link RequestTimeoutError} no reply in time.
 * @throws {@link ConfigError} a deadline that makes no sense.
 * @see JSON-RPC 2.0 §5; MCP 2025-11-25 Lifecycle, "Timeouts"
 */
export function sendRequest(outlet: Outlet, plan: RequestPlan): Observable<JsonObject> {
  return sending(outlet, plan, (subscriber: Subscriber<JsonObject>, event) => {
    if (event.type === 'result') subscriber.next(event.result);
  });
}

/** Like {@link sendRequest}, but emits what happens on the way too; the result is last. */
export function sendRequestForEvents(outlet: Outlet, plan: RequestPlan): Observable<CallEvent<JsonObject>> {
  return sending(outlet, plan, (subscriber: Subscriber<CallEvent<JsonObject>>, event) => {
    subscriber.next(event);
  });
}

type Emit<T> = (subscriber: Subscriber<T>, event: CallEvent<JsonObject>) => void;

function sending<T>(outlet: Outlet, plan: RequestPlan, emit: Emit<T>): Observable<T> {
  const events$ = new Observable<T>((subscriber) => {
    if (subscriber.closed) return; // some operators subscribe for somebody who has just left
    const pending = new PendingRequest(outlet, plan, subscriber, emit);
    subscriber.add(pending);
    outlet.send(pending.request); // after it was registered: an in-memory peer replies inside next()
  });
  const abortion$ = abortionOf(plan.options);
  return abortion$ === undefined ? events$ : events$.pipe(takeUntil(abortion$));
}

/** One request in flight: its place among the replies and its deadline. One object, since there may be thousands. */
class PendingRequest<T> implements Waiting, Waiter, Unsubscribable {
  readonly request: JsonRpcRequest;
  readonly #outlet: Outlet;
  readonly #era: Era;
  readonly #options: RequestOptions;
  readonly #subscriber: Subscriber<T>;
  readonly #emit: Emit<T>;
  readonly #deadline: Deadline;
  readonly #onProgress: ((progress: ProgressParams) => void) | undefined;
  #isStreaming = false;

  constructor(outlet: Outlet, plan: RequestPlan, subscriber: Subscriber<T>, emit: Emit<T>) {
    const { era, options } = plan;
    const { ms, totalMs } = clocksOf(options, outlet.timeoutMs);
    checkTimeout('timeoutMs', ms);
    checkTimeout('maxTotalTimeoutMs', totalMs);
    const request = requestFrom(plan, outlet.nextId(), outlet.usesContext ? ms : undefined);
    this.request = request;
    this.#outlet = outlet;
    this.#era = era;
    this.#options = options;
    this.#subscriber = subscriber;
    this.#emit = emit;
    this.#onProgress = options.onProgress && guarded(options.onProgress, outlet.report);
    outlet.replies.add(request.id, this);
    plan.onId?.(request.id);
    this.#deadline = new Deadline(outlet.clock, ms, totalMs, this);
  }

  settle(reply: JsonRpcResponse): void {
    if (isFailure(reply)) {
      const { code, message, data } = errorIn(reply);
      this.fail(new RpcError(code, message, data));
      return;
    }
    const kind = this.#era.hasResultTypes ? (reply.result as JsonObject | null)?.resultType : undefined; // servers send null too
    if (kind !== undefined && kind !== 'complete' && !this.#options.resultTypes?.includes(kind as string)) {
      this.fail(new ProtocolError(`The result of ${this.request.method} is of the kind ${JSON.stringify(kind)}, which nobody here understands${kind === 'input_required' ? '; withElicitation() and its like do' : ''}`));
      return;
    }
    this.#emit(this.#subscriber, { type: 'result', result: reply.result });
    this.#subscriber.complete();
  }

  fail(error: Error): void {
    this.#subscriber.error(error);
  }

  passed(ms: number): void {
    this.fail(new RequestTimeoutError(this.request.method, ms, this.#isStreaming ? 'streaming' : 'request'));
  }

  inform(news: CallNews): void {
    if (news.type === 'streaming') {
      this.#isStreaming = true;
      return;
    }
    if (news.type === 'progress') {
      this.#deadline.extend();
      this.#onProgress?.(news.progress);
    }
    this.#emit(this.#subscriber, news);
  }

  hold(): void {
    this.#deadline.hold();
  }

  resume(): void {
    this.#deadline.resume();
  }

  unsubscribe(): void {
    this.#deadline.unsubscribe();
    if (this.#outlet.replies.remove(this.request.id)) this.#outlet.abandon(this.request, this.#era, this.#options.cancel);
  }
}

/** @param timeoutMs - Undefined where no context travels beside it. */
function requestFrom({ era, method, params, options, mirrored }: RequestPlan, id: RequestId, timeoutMs: number | undefined): JsonRpcRequest {
  const full = era.params(withMeta(params, options, id));
  const request: JsonRpcRequest = full === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params: full };
  if (timeoutMs === undefined) return request;
  const context = era.context(method, full);
  return withContext(request, { timeoutMs, ...context, headers: options.headers, mirrored: mirrored ? { ...context.mirrored, ...mirrored } : context.mirrored });
}

/** A request's token for progress is its id. */
function withMeta(params: JsonObject | undefined, options: RequestOptions, id: RequestId): JsonObject | undefined {
  const token = wantsProgress(options) ? { progressToken: id } : undefined;
  if (options.meta === undefined && token === undefined) return params;
  return { ...params, _meta: { ...(params?._meta as JsonObject | undefined), ...options.meta, ...token } };
}
