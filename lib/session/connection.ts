import { asyncScheduler, AsyncSubject, concat, concatMap, defer, EMPTY, ignoreElements, merge, noop, Subject, Subscription, type Observable, type Unsubscribable } from 'rxjs';
import { ConfigError, ConnectionClosedError, NotConnectedError, RequestTimeoutError, type McpError } from '../errors.js';
import type { Diagnostic } from '../transport/diagnostic.js';
import { EmitQueue } from '../transport/emit-queue.js';
import { OutboundSubject } from '../transport/outbound-subject.js';
import { contextOf, originOf, withContext, type SendContext } from '../transport/send-context.js';
import type { ConnectionState, Delivery, Transport } from '../transport/transport.js';
import { excerptOf } from '../transport/diagnostic.js';
import type { LoggingMessageParams } from '../wire/mcp/logging.js';
import type { CancelledParams, ProgressParams } from '../wire/mcp/notifications.js';
import { INTERNAL_ERROR } from '../wire/codes.js';
import { isFailure, isRequest, isResponse, type JsonObject, type JsonRpcMessage, type JsonRpcNotification, type JsonRpcRequest, type JsonRpcResponse, type RequestId } from '../wire/message.js';
import type { NotificationParamsOf, ParamsOf, ResultOf } from '../wire/methods.js';
import { checkTimeout, deadline } from '../transport/deadline.js';
import { DeadlineClock } from '../transport/deadline-clock.js';
import { OPENING_ERA, type Era } from './era.js';
import { guarded } from './guard.js';
import type { Negotiated, ServerSession } from './negotiate.js';
import { Replies } from './replies.js';
import { DEFAULT_TIMEOUT_MS, type CallEvent, type NotifyOptions, type RequestOptions } from './request-options.js';
import { sendRequest, sendRequestForEvents, type Outlet, type RequestPlan } from './send-request.js';
import { ServerRequests, type ServerRequestHandlers } from './server-requests.js';
import { SessionRecovery } from './session-recovery.js';

/** One message as it passed, in either direction. @public */
export interface WireRecord {
  readonly direction: 'in' | 'out';
  readonly message: JsonRpcMessage;
  /** Milliseconds since 1970, of the scheduler's clock. */
  readonly time: number;
  /** The name the server was configured under. */
  readonly server: string | undefined;
}

/** @public */
export interface ConnectionOptions {
  /** Deadline of requests and notifications that name none, in milliseconds. @defaultValue 30_000 */
  readonly timeout?: number | undefined;
  /** The server's name, for errors and records. */
  readonly name?: string | undefined;
  /** Gives each request its id; must never repeat one. @defaultValue 1, 2, 3, … */
  readonly nextId?: (() => RequestId) | undefined;
  /** Answers to the server's own requests, by method; `ping` is built in. */
  readonly requestHandlers?: ServerRequestHandlers | undefined;
  /** Called once when the connection is over, with what ended it. */
  readonly onClose?: ((cause: McpError | undefined) => void) | undefined;
  /** Called with failures that belong to no single call. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called with every notification of the server. */
  readonly onNotification?: ((notification: JsonRpcNotification) => void) | undefined;
}

/** Methods that must never be cancelled. @see MCP 2025-11-25, Cancellation, "Behavior Requirements" */
const NEVER_CANCELLED = ['initialize', 'server/discover'];

/** How to send what the caller asks for. */
export interface Sending extends RequestOptions {
  /** Instead of the connection's own; for the negotiation. */
  readonly era?: Era | undefined;
  /** More body fields to mirror into headers. */
  readonly mirrored?: Readonly<Record<string, string>> | undefined;
  /** Told the id of the request before it is sent. */
  readonly onId?: ((id: RequestId) => void) | undefined;
}

/**
 * A transport with what everyone needs above it: requests that get their
 * answers, notifications, deadlines, cancellation, and answers to the server.
 *
 * @public
 */
export class Connection implements Transport {
  readonly #transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #replies = new Replies();
  readonly #clock = new DeadlineClock();
  /** What was handed to `outbound$` and has to wait before the transport gets it. */
  readonly #unsent = new Set<JsonRpcMessage>();
  /** Notifications and answers of ours that are not taken yet. */
  readonly #untaken = new Map<JsonRpcMessage, Subject<void>>();
  readonly #serverRequests: ServerRequests;
  readonly #notifications = new Subject<JsonRpcNotification>();
  readonly #diagnostics = new Subject<Diagnostic>();
  readonly #errors = new Subject<unknown>();
  readonly #renewals = new Subject<ServerSession>();
  readonly #queue = new EmitQueue();
  readonly #wire = new Subject<WireRecord>();
  readonly #report = (error: unknown) => {
    this.#errors.next(error);
  };
  readonly #outlet: Outlet;
  readonly #onNotification: ((notification: JsonRpcNotification) => void) | undefined;
  readonly #send = (message: JsonRpcMessage) => {
    this.#record('out', message);
    this.#transport.outbound$.next(message);
  };
  readonly #sendLate = (message: JsonRpcMessage) => {
    if (this.#unsent.delete(message)) this.#send(message); // else it was given up meanwhile
  };
  #isOpen = false;
  #recovery: SessionRecovery | undefined;
  #listener: Unsubscribable | undefined;
  /** Ends the listener stream, also one that took the place of another. */
  readonly #listening: Unsubscribable = {
    unsubscribe: () => {
      this.#listener?.unsubscribe();
      this.#listener = undefined;
    },
  };
  #era = OPENING_ERA;

  readonly inbound$: Observable<JsonRpcMessage>;
  readonly outbound$: Subject<JsonRpcMessage> = new OutboundSubject((message) => {
    const mustWait = this.#queue.isBusy;
    if (mustWait) this.#unsent.add(message);
    this.#queue.call(mustWait ? this.#sendLate : this.#send, message);
  });
  readonly deliveries$: Observable<Delivery>;
  readonly state$: Observable<ConnectionState>;
  readonly stderr$?: Observable<string>;
  readonly hasRequestStreams: boolean;
  /** Every notification of the server. Hot; no replay; completes on close. */
  readonly notifications$ = this.#notifications.asObservable();
  /** What was skipped or dropped, here and in the transport. Hot; completes on close. */
  readonly diagnostics$ = this.#diagnostics.asObservable();
  /** Failures that belong to no single call, such as those of callbacks. Hot; completes on close. */
  readonly errors$ = this.#errors.asObservable();
  /** The session each time it was opened anew because the server had lost it. Hot; completes on close. */
  readonly renewals$ = this.#renewals.asObservable();
  /** Every message, both ways. Hot; completes on close. */
  readonly wire$ = this.#wire.asObservable();

  constructor(transport: Transport, options: ConnectionOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    const timeoutMs = checkTimeout('timeout', options.timeout ?? DEFAULT_TIMEOUT_MS);
    this.#outlet = {
      replies: this.#replies,
      clock: this.#clock,
      timeoutMs,
      usesContext: transport.usesContext ?? transport.hasRequestStreams,
      nextId: options.nextId ?? countingIds(),
      send: (request) => {
        this.outbound$.next(request);
      },
      abandon: (request, era, cancel) => {
        this.#abandon(request, era, cancel);
      },
      report: this.#report,
    };
    this.inbound$ = transport.inbound$;
    this.deliveries$ = transport.deliveries$;
    this.state$ = transport.state$;
    if (transport.stderr$ !== undefined) this.stderr$ = transport.stderr$;
    this.hasRequestStreams = transport.hasRequestStreams;
    this.#serverRequests = new ServerRequests(
      options.requestHandlers ?? {},
      (response) => {
        this.#answer(response);
      },
      this.#report,
      (request) => this.#replies.hold(originOf(request)),
    );
    this.#onNotification = options.onNotification && guarded(options.onNotification, this.#report);
    if (options.onError) this.#errors.subscribe(guarded(options.onError, noop)); // there is nobody left to tell
    transport.diagnostics$.subscribe((diagnostic) => {
      this.#diagnose(diagnostic);
    });
    transport.inbound$.subscribe((message) => {
      this.#dispatch(message);
    });
    transport.deliveries$.subscribe((delivery) => {
      this.#delivered(delivery);
    });
    transport.state$.subscribe((state) => {
      this.#enter(state);
    });
  }

  /** Whether requests can be made now. */
  get connected(): boolean {
    return this.#isOpen;
  }

  /** How many requests wait for their answer. */
  get pendingRequests(): number {
    return this.#replies.size;
  }

  /** What depends on the protocol era; set once by the negotiation. */
  get era(): Era {
    return this.#era;
  }

  /** Speaks this era from now on. */
  adopt(era: Era): void {
    this.#era = era;
  }

  /** How a session that the server has lost is opened again. */
  recoverWith(reopen: () => Observable<Negotiated>): void {
    this.#recovery = new SessionRecovery(() => this.#renew(reopen));
  }

  connect(): Observable<void> {
    return this.#transport.connect();
  }

  close(): Observable<void> {
    this.#isOpen = false; // at once, even if the transport's queue has more to say first
    return this.#transport.close();
  }

  release(sent: RequestId | JsonRpcMessage): boolean {
    return this.#transport.release(sent);
  }

  /** Opens the background stream of an HTTP transport, on revisions that have one. */
  startSSEListener(): Unsubscribable {
    if (!this.#era.hasListener) return Subscription.EMPTY;
    this.#listener = this.#transport.startSSEListener?.(this.#era.context('', undefined), () => {
      this.request('ping').subscribe({ error: noop }); // which finds out whether the session is lost, and opens it anew
    });
    return this.#listening;
  }

  /** Calls `handler` with every notification. What it throws goes to `errors$`. */
  onNotification(handler: (notification: JsonRpcNotification) => void): Subscription {
    return this.#notifications.subscribe(guarded(handler, this.#report));
  }

  /**
   * Sends a request and emits its result. Cold: each subscription sends again,
   * unsubscribing cancels.
   *
   * @throws {@link RpcError} the server answered with an error.
   * @throws {@link RequestTimeoutError} no answer in time.
   * @throws {@link NotConnectedError} before `connect()` or after `close()`.
   * @throws {@link ConnectionClosedError} the connection ended first.
   * @throws {@link NoResponseError}, {@link HttpError}, {@link NetworkError}, {@link ParseError} HTTP only.
   */
  request<M extends string>(method: M, params?: ParamsOf<M>, options: Sending = {}): Observable<ResultOf<M>> {
    return defer(() => this.requestNow(method, params, options));
  }

  /** Like {@link request}, but decides now whether there is a connection. @throws {@link NotConnectedError} */
  requestNow<M extends string>(method: M, params: ParamsOf<M> | undefined, options: Sending): Observable<ResultOf<M>> {
    return sendRequest(this.#outlet, this.#plan(method, params, options)) as Observable<ResultOf<M>>; // servers are taken at their word
  }

  /** Like {@link request}, but emits what happens on the way too. */
  exchange<M extends string>(method: M, params?: ParamsOf<M>, options: Sending = {}): Observable<CallEvent<ResultOf<M>>> {
    return defer(() => sendRequestForEvents(this.#outlet, this.#plan(method, params, options))) as Observable<CallEvent<ResultOf<M>>>;
  }

  /**
   * Sends a notification. Eager: it is sent whether anybody subscribes or not;
   * completes once it is written (stdio) or accepted (HTTP).
   *
   * @throws {@link RequestTimeoutError} not taken in time.
   * @throws {@link NotConnectedError} before `connect()` or after `close()`.
   */
  notify<M extends string>(method: M, params?: NotificationParamsOf<M>, options: NotifyOptions = {}): Observable<void> {
    const { headers, timeoutMs = this.#outlet.timeoutMs } = options;
    const message: JsonRpcNotification = params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params: params as JsonObject };
    return this.#hand(message, method, { timeoutMs, headers });
  }

  /** Sends what gets no answer, and says when it was taken. Eager. */
  #hand(message: JsonRpcNotification | JsonRpcResponse, method: string, { timeoutMs, headers }: { timeoutMs: number; headers?: SendContext['headers'] }): Observable<void> {
    const done = new AsyncSubject<void>();
    const taken = new Subject<void>();
    defer(() => {
      checkTimeout('timeoutMs', timeoutMs);
      if (!this.connected) throw new NotConnectedError();
      this.#untaken.set(message, taken);
      const context = { timeoutMs, ...this.#era.context(method, undefined), headers };
      const error = () => new RequestTimeoutError(method, timeoutMs, 'notify');
      const sent$ = defer(() => {
        this.outbound$.next(withContext(message, context));
        return EMPTY;
      });
      return merge(taken, sent$).pipe(deadline({ ms: timeoutMs, clock: this.#clock, error }));
    })
      .subscribe(done)
      .add(() => {
        if (this.#untaken.delete(message) && !this.#unsent.delete(message)) this.#transport.release(message);
      });
    return done.asObservable();
  }

  /** Answers a request of the server. What cannot be sent is replaced by an error: the server waits. */
  #answer(response: JsonRpcResponse): void {
    this.#hand(response, '', { timeoutMs: this.#outlet.timeoutMs }).subscribe({
      error: (error: unknown) => {
        this.#diagnose({ kind: 'undelivered', message: `Answer to the server not delivered: ${String(error)}` });
        if (!(error instanceof ConfigError) || isFailure(response)) return;
        this.#report(error);
        this.#answer({ jsonrpc: '2.0', id: response.id, error: { code: INTERNAL_ERROR, message: 'Internal error' } });
      },
    });
  }

  /** @throws {@link NotConnectedError} before `connect()` or after `close()`. */
  #plan(method: string, params: object | undefined, options: Sending): RequestPlan {
    if (!this.connected) throw new NotConnectedError();
    return { era: options.era ?? this.#era, method, params: params as JsonObject | undefined, options, mirrored: options.mirrored, onId: options.onId };
  }

  /** Nobody waits for this request any more: it ends here, and the server is told where that takes a message. */
  #abandon(request: JsonRpcRequest, era: Era, cancel: RequestOptions['cancel']): void {
    const { id, method } = request;
    const hadLeft = !this.#unsent.delete(request) && this.#transport.release(id);
    const byMessage = cancel !== 'local' && !NEVER_CANCELLED.includes(method) && era.cancelsByMessage(this.hasRequestStreams);
    if (hadLeft && byMessage && this.connected) void this.notify('notifications/cancelled', { requestId: id, reason: 'The client no longer needs the result' });
  }

  #dispatch(message: JsonRpcMessage): void {
    if (this.#wire.observed) {
      this.#queue.run(() => {
        this.#record('in', message);
      });
    }
    if (isResponse(message)) this.#settle(message);
    else if (isRequest(message)) this.#takeRequest(message);
    else this.#takeNotification(message);
  }

  #settle(response: JsonRpcResponse): void {
    if (this.#replies.settle(response)) return;
    this.#diagnose({ kind: 'unmatched-answer', message: 'Nobody waits for this answer', excerpt: excerptOf(JSON.stringify(response)) });
  }

  #takeRequest(request: JsonRpcRequest): void {
    if (this.#era.answersServerRequests) this.#serverRequests.take(request);
    else this.#diagnose({ kind: 'unexpected-request', message: `Ignored a request for ${request.method}: this revision has none` });
  }

  #takeNotification(notification: JsonRpcNotification): void {
    const { method, params } = notification;
    if (method === 'notifications/progress') this.#progressed(params as unknown as ProgressParams | undefined);
    else if (method === 'notifications/cancelled') this.#cancelled(params);
    else if (method === 'notifications/message') this.#logged(notification);
    this.#onNotification?.(notification);
    if (this.#notifications.observed) this.#notifications.next(notification);
  }

  /** A request's token for progress is its id. */
  #progressed(progress: ProgressParams | undefined): void {
    if (progress?.progressToken !== undefined) this.#replies.inform(progress.progressToken, { type: 'progress', progress });
  }

  #logged(notification: JsonRpcNotification): void {
    const origin = originOf(notification);
    if (origin === undefined) return;
    this.#replies.inform(origin, { type: 'log', log: notification.params as unknown as LoggingMessageParams });
  }

  #cancelled(params: CancelledParams | undefined): void {
    if (params?.requestId !== undefined) this.#serverRequests.cancel(params.requestId);
  }

  #delivered(delivery: Delivery): void {
    const { type, message } = delivery;
    const renewed$ = delivery.type === 'failed' ? this.#recovery?.after(delivery) : undefined;
    if (renewed$ !== undefined) {
      this.#resend(message, renewed$);
      return;
    }
    if (type === 'streaming') {
      if (isRequest(message)) this.#replies.inform(message.id, { type: 'streaming' });
      return;
    }
    if (isRequest(message)) {
      if (type === 'failed') this.#replies.fail(message.id, delivery.error);
      return;
    }
    const taken = this.#untaken.get(message);
    this.#untaken.delete(message);
    if (type === 'failed') taken?.error(delivery.error);
    else taken?.complete();
  }

  /** Sends again what was not run, if somebody still waits for it. */
  #resend(message: JsonRpcMessage, renewed$: Observable<never>): void {
    this.#unsent.add(message); // so that it can be given up meanwhile
    renewed$.subscribe({
      complete: () => {
        if (this.#unsent.delete(message)) this.outbound$.next(withContext(message, { ...contextOf(message), ...this.#era.context('', undefined) }));
      },
      error: (error: unknown) => {
        if (this.#unsent.delete(message)) this.#delivered({ type: 'failed', message, error: error as Error, mayHaveRun: false });
      },
    });
  }

  /** Opens a new session, and a listener stream in it if there was one in the old one. */
  #renew(reopen: () => Observable<Negotiated>): Observable<never> {
    this.#diagnose({ kind: 'session-lost', message: 'The server no longer knows the session (HTTP 404); opening a new one' });
    const { timeoutMs, clock } = this.#outlet;
    const renewed$ = ({ era, session }: Negotiated) => {
      this.adopt(era);
      const ready$ = defer(() => {
        this.#listener?.unsubscribe();
        if (this.#listener !== undefined) this.startSSEListener();
        this.#renewals.next(session);
        return EMPTY;
      });
      return concat(this.notify('notifications/initialized'), ready$);
    };
    return defer(reopen).pipe(
      concatMap(renewed$),
      ignoreElements(),
      deadline({ ms: timeoutMs, clock, error: (ms) => new RequestTimeoutError('initialize', ms) }),
    );
  }

  #enter(state: ConnectionState): void {
    this.#isOpen = state.status === 'connected';
    if (state.status === 'closing') this.#giveUpAll(undefined);
    if (state.status !== 'closed') return;
    this.#giveUpAll(state.cause);
    if (this.#options.onClose) guarded(this.#options.onClose, this.#report)(state.cause);
    for (const subject of [this.#notifications, this.#diagnostics, this.#errors, this.#renewals, this.#wire]) subject.complete();
  }

  /** The connection ends: everybody who is owed an answer learns it now. */
  #giveUpAll(cause: McpError | undefined): void {
    const { name } = this.#options;
    const makeError = () => cause ?? new ConnectionClosedError({ server: name });
    this.#serverRequests.stop();
    this.#replies.failAll(makeError);
    this.#unsent.clear();
    const untaken = [...this.#untaken.values()];
    this.#untaken.clear(); // what is on its way may still arrive
    for (const taken of untaken) taken.error(makeError());
  }

  #diagnose(diagnostic: Diagnostic): void {
    this.#diagnostics.next(diagnostic);
    if (diagnostic.error !== undefined) this.#report(diagnostic.error);
  }

  #record(direction: 'in' | 'out', message: JsonRpcMessage): void {
    if (!this.#wire.observed) return;
    this.#wire.next({ direction, message, time: asyncScheduler.now(), server: this.#options.name });
  }
}

function countingIds(): () => RequestId {
  let last = 0;
  return () => ++last;
}
