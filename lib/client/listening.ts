import { asyncScheduler, catchError, concat, defer, EMPTY, filter, ignoreElements, map, merge, of, retry, takeWhile, throwError, type Observable } from 'rxjs';
import { McpError, RequestTimeoutError, RpcError } from '../errors.js';
import type { Connection } from '../session/connection.js';
import { Backoff, LONG_LIFE_MS } from '../transport/backoff.js';
import { deadline } from '../transport/deadline.js';
import { META_KEYS } from '../wire/mcp/meta.js';
import type { SubscriptionFilter } from '../wire/mcp/subscriptions.js';
import { isObject, type JsonRpcNotification, type RequestId } from '../wire/message.js';

/** What comes of a `subscriptions/listen` request. */
export type ListenSignal =
  /** It is open, perhaps again, for what the server honours: what changed before is not known. */
  | { readonly type: 'open'; readonly honoured: SubscriptionFilter }
  | { readonly type: 'changed'; readonly notification: JsonRpcNotification }
  /** Nothing will be announced, for now at least. */
  | { readonly type: 'refused' };

/** Longest wait for the acknowledgement, in milliseconds. */
const ACKNOWLEDGE_MS = 30_000;

/** The server ended the stream without an answer. */
class ListenDropped extends McpError {
  override readonly name = 'ListenDropped';
}

/**
 * Keeps one `subscriptions/listen` request open. Completes when the server ends
 * it in good order; opens it again, with capped backoff, when it is dropped.
 * Only a change, or a long life, resets the backoff.
 *
 * @see MCP 2026-07-28, Subscriptions
 */
export function listening(connection: Connection, notifications: SubscriptionFilter): Observable<ListenSignal> {
  return defer(() => {
    const backoff = new Backoff(Infinity);
    let openedAt: number | undefined;
    const once$ = listenOnce(connection, notifications).pipe(
      map((signal) => {
        if (signal.type === 'changed') backoff.reset();
        else openedAt = asyncScheduler.now();
        return signal;
      }),
    );
    const refused$ = of<ListenSignal>({ type: 'refused' });
    let isFirst = true;
    let toldOf: unknown;
    /** Who waits is not left waiting when it does not open the first time. */
    const tellOfFirst = (error: unknown) => {
      if (isFirst && openedAt === undefined) toldOf = error;
      isFirst = false;
      return concat(toldOf === error ? refused$ : EMPTY, throwError(() => error));
    };
    const delay = (error: unknown) => {
      if (error instanceof RpcError || !connection.connected) return throwError(() => error);
      if (openedAt !== undefined && asyncScheduler.now() - openedAt >= LONG_LIFE_MS) backoff.reset();
      openedAt = undefined;
      return backoff.next() ?? EMPTY;
    };
    return once$.pipe(
      catchError(tellOfFirst),
      retry({ delay }),
      catchError((error: unknown) => (toldOf === error ? EMPTY : refused$)),
    );
  });
}

function listenOnce(connection: Connection, notifications: SubscriptionFilter): Observable<ListenSignal> {
  return defer(() => {
    let id: RequestId | undefined;
    const mine$ = connection.notifications$.pipe(
      filter((notification) => subscriptionOf(notification) === id),
      map((notification): ListenSignal => {
        const { method, params } = notification;
        if (method === 'notifications/cancelled') throw new ListenDropped('The server ended the subscription');
        if (method !== 'notifications/subscriptions/acknowledged') return { type: 'changed', notification };
        return { type: 'open', honoured: isObject(params?.notifications) ? params.notifications : {} };
      }),
    );
    const options = {
      timeoutMs: Infinity,
      onId: (given: RequestId) => {
        id = given;
      },
    };
    const request$ = connection.request('subscriptions/listen', { notifications }, options).pipe(ignoreElements());
    return merge(mine$, concat(request$, of(undefined))).pipe(
      takeWhile((signal) => signal !== undefined),
      deadline({ ms: ACKNOWLEDGE_MS, firstOnly: true, error: (ms) => new RequestTimeoutError('subscriptions/listen', ms) }),
    );
  });
}

/** Which `subscriptions/listen` request a notification belongs to, or ends. */
function subscriptionOf({ method, params }: JsonRpcNotification): unknown {
  if (method === 'notifications/cancelled') return params?.requestId;
  return isObject(params?._meta) ? params._meta[META_KEYS.subscriptionId] : undefined;
}
