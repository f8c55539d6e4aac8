import { map, Observable, takeUntil } from 'rxjs';
import { RequestTimeoutError, RpcError } from '../errors.js';
import { withContext } from '../transport/send-context.js';
import { isFailure, type JsonObject, type JsonRpcRequest, type RequestId } from '../wire/message.js';
import { abortionOf } from './abort.js';
import { checkTimeout, deadline } from '../transport/deadline.js';
import type { Era } from './era.js';
import { guarded } from './guard.js';
import type { Arrival, Replies } from './replies.js';
import { clocksOf, wantsProgress, type CallEvent, type RequestOptions } from './request-options.js';

/** What sending a request needs of its connection. */
export interface Outlet {
  readonly replies: Replies;
  /** Deadline of requests that name none, in milliseconds. */
  readonly timeoutMs: number;
  readonly nextId: () => RequestId;
  readonly send: (request: JsonRpcRequest) => void;
  /** Nobody waits any more; the reply is still owed. */
  readonly abandon: (request: JsonRpcRequest, plan: RequestPlan) => void;
  /** Takes what a callback of the user's throws. */
  readonly report: (error: unknown) => void;
}

/** How a request is sent. */
export interface RequestPlan {
  readonly era: Era;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
}

/**
 * Sends one request and emits what comes for it; the result is last.
 *
 * Cold: each subscription sends again, with an id of its own.
 *
 * @throws {@link RpcError} the peer replied with an error.
 * @throws {@link RequestTimeoutError} no reply in time.
 * @throws {@link ConfigError} a deadline that makes no sense.
 * @see JSON-RPC 2.0 §5; MCP 2025-11-25 Lifecycle, "Timeouts"
 */
export function sendRequest(outlet: Outlet, plan: RequestPlan): Observable<CallEvent<JsonObject>> {
  const { method, options } = plan;
  return new Observable((subscriber) => {
    const { idleMs, totalMs } = clocksOf(options, outlet.timeoutMs);
    checkTimeout('timeoutMs', idleMs);
    checkTimeout('maxTotalTimeoutMs', totalMs);
    const request = requestFrom(plan, outlet.nextId());
    const { id } = request;
    const onProgress = options.onProgress && guarded(options.onProgress, outlet.report);
    const abortion$ = abortionOf(options);
    const events$ = outlet.replies
      .forId(id, () => {
        outlet.abandon(request, plan);
      })
      .pipe(
        deadline({
          idleMs,
          totalMs,
          extendedBy: ({ type }) => type === 'progress',
          error: (passedMs) => new RequestTimeoutError(method, passedMs, outlet.replies.isStreaming(id) ? 'streaming' : 'request'),
        }),
        map((arrival) => {
          if (arrival.type === 'progress') onProgress?.(arrival.progress);
          return eventOf(arrival);
        }),
      );
    // Listen before sending: an in-memory peer replies inside next().
    (abortion$ === undefined ? events$ : events$.pipe(takeUntil(abortion$))).subscribe(subscriber);
    if (!subscriber.closed) outlet.send(request);
  });
}

function requestFrom({ era, method, params, options }: RequestPlan, id: RequestId): JsonRpcRequest {
  const meta = { ...(params?._meta as JsonObject | undefined), ...options.meta, ...(wantsProgress(options) ? { progressToken: id } : {}) };
  const full = era.params(Object.keys(meta).length === 0 ? params : { ...params, _meta: meta });
  const context = era.context(method, full);
  const { headers } = options;
  return withContext(
    { jsonrpc: '2.0', id, method, ...(full === undefined ? {} : { params: full }) },
    headers === undefined ? context : { ...context, headers },
  );
}

function eventOf(arrival: Arrival): CallEvent<JsonObject> {
  if (arrival.type !== 'reply') return arrival;
  const { reply } = arrival;
  if (!isFailure(reply)) return { type: 'result', result: reply.result };
  const { code, message, data } = reply.error;
  throw new RpcError(code, message, data);
}
