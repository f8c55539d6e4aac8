import {
  asyncScheduler,
  AsyncSubject,
  catchError,
  concat,
  concatMap,
  defer,
  ignoreElements,
  merge,
  type Observable,
  of,
  Subject,
  Subscription,
  throwError,
} from 'rxjs';
import { ConfigError, ConnectionClosedError, FallbackError, NotConnectedError, ProtocolError, RequestTimeoutError, RpcError } from '../errors.js';
import { Connection, type ConnectionOptions } from '../session/connection.js';
import { checkTimeout, deadline } from '../transport/deadline.js';
import { HarmfulProbe, negotiate, type EraVerdict, type Negotiated, type ServerSession } from '../session/negotiate.js';
import type { NotifyOptions } from '../session/request-options.js';
import type { Diagnostic } from '../transport/diagnostic.js';
import { Current } from '../transport/current.js';
import { EmitQueue } from '../transport/emit-queue.js';
import type { Transport } from '../transport/transport.js';
import { isModernErrorCode } from '../wire/codes.js';
import type { Implementation } from '../wire/mcp/base.js';
import type { ClientCapabilities } from '../wire/mcp/capabilities.js';
import type { LoggingMessageParams } from '../wire/mcp/logging.js';
import type { JsonRpcNotification, RequestId } from '../wire/message.js';
import type { NotificationParamsOf } from '../wire/methods.js';
import { SUPPORTED_REVISIONS, type Revision } from '../wire/revision.js';

/** How a client connects. @public */
export interface LinkOptions extends Omit<ConnectionOptions, 'onClose' | 'onError' | 'onNotification'> {
  /** How the client names itself. @defaultValue name and version of this package */
  readonly clientInfo?: Implementation | undefined;
  /** What the client can do for the server. @defaultValue nothing */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Deadline for connecting, from the start to the first call, in milliseconds. @defaultValue 60_000 */
  readonly handshakeTimeoutMs?: number | undefined;
  /** How long a server that ignores `server/discover` holds the handshake up, in milliseconds. @defaultValue 3_000 */
  readonly probeTimeoutMs?: number | undefined;
  /** The revisions to speak. @defaultValue {@link SUPPORTED_REVISIONS} */
  readonly revisions?: readonly Revision[] | undefined;
  /** How this server is to be spoken to, when that is known from before: saves the probe. */
  readonly verdict?: EraVerdict | undefined;
  /** Whether to open the HTTP listener stream, on revisions that have one. @defaultValue true */
  readonly listen?: boolean | undefined;
}

/** What a client is doing. @public */
export type ClientState =
  | { readonly status: 'idle' | 'connecting' | 'closed' }
  | { readonly status: 'ready'; readonly session: ServerSession }
  /** Connecting failed, or the connection was lost; `connect()` and `reconnect()` try again. */
  | { readonly status: 'disconnected'; readonly cause: unknown };

const DEFAULT_HANDSHAKE_MS = 60_000;
const DEFAULT_PROBE_MS = 3_000;
/** Most notifications kept for whoever gets the client. */
const MAX_HELD = 100;

/** Kept in step with package.json by a spec. */
export const CLIENT_INFO: Implementation = { name: 'rxjs-mcp', version: '0.1.0' };

/** One server, over as many connections as it takes: at most one at a time. */
export class ServerLink {
  readonly #ways: readonly (() => Transport)[];
  /** The way that is taken. */
  #way = 0;
  readonly #options: LinkOptions;
  readonly #handshakeMs: number;
  readonly #nextId: () => RequestId;
  readonly #queue = new EmitQueue();
  readonly #state = new Current<ClientState>({ status: 'idle' }, this.#queue);
  readonly #connection = new Current<Connection | undefined>(undefined, this.#queue);
  readonly #notifications = new Subject<JsonRpcNotification>();
  readonly #logs = new Subject<LoggingMessageParams>();
  readonly #diagnostics = new Subject<Diagnostic>();
  /** Those that have not ended, the ones being closed included. */
  readonly #open = new Set<Connection>();
  readonly #errors = new Subject<unknown>();
  readonly #closed = new AsyncSubject<void>();
  #attempt: { readonly ready: AsyncSubject<void>; readonly work: Subscription } | undefined;
  #verdict: EraVerdict | undefined;
  #held: JsonRpcNotification[] | undefined = [];
  #handOut = Subscription.EMPTY;

  readonly state$: Observable<ClientState> = this.#state.value$;
  readonly connection$: Observable<Connection | undefined> = this.#connection.value$;
  readonly notifications$: Observable<JsonRpcNotification> = this.#notifications.asObservable();
  readonly logs$: Observable<LoggingMessageParams> = this.#logs.asObservable();
  readonly diagnostics$: Observable<Diagnostic> = this.#diagnostics.asObservable();
  readonly errors$: Observable<unknown> = this.#errors.asObservable();
  readonly diagnose = (diagnostic: Diagnostic): void => {
    this.#diagnostics.next(diagnostic);
  };
  /** Takes what a callback of the user's throws. */
  readonly report = (error: unknown): void => {
    this.#errors.next(error);
  };

  /** @param ways - See {@link McpClient}. */
  constructor(ways: readonly (() => Transport)[], options: LinkOptions) {
    this.#ways = ways;
    this.#options = options;
    this.#handshakeMs = checkTimeout('handshakeTimeoutMs', options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_MS);
    checkTimeout('probeTimeoutMs', options.probeTimeoutMs ?? DEFAULT_PROBE_MS);
    this.#verdict = options.verdict;
    let last = 0;
    this.#nextId = options.nextId ?? (() => ++last); // one count for all connections: an id never comes twice
  }

  get state(): ClientState {
    return this.#state.value;
  }

  /** @throws {@link NotConnectedError} there is no connection that is ready. */
  ready(): Connection {
    const connection = this.#connection.value;
    if (this.state.status !== 'ready' || connection === undefined) throw new NotConnectedError();
    return connection;
  }

  notify<M extends string>(method: M, params?: NotificationParamsOf<M>, options?: NotifyOptions): Observable<void> {
    const connection = this.#connection.value;
    if (this.state.status === 'ready' && connection !== undefined) return connection.notify(method, params, options);
    return throwError(() => new NotConnectedError());
  }

  /** One attempt, however many ask; a failed one is not remembered. */
  connect(): Observable<void> {
    const ready = new AsyncSubject<void>();
    const { status } = this.state;
    if (status === 'closed') ready.error(new NotConnectedError());
    else if (status === 'ready') ready.complete();
    else if (this.#attempt !== undefined) return this.#attempt.ready.asObservable();
    else this.#start(ready);
    return ready.asObservable();
  }

  /** Ends the connection in use, if there is one, and makes a new one. */
  reconnect(): Observable<void> {
    if (this.state.status !== 'ready') return this.connect();
    const ready = new AsyncSubject<void>();
    this.#start(ready);
    return ready.asObservable();
  }

  close(): Observable<void> {
    if (this.state.status === 'closed') return this.#closed.asObservable();
    this.#handOut.unsubscribe();
    this.#state.next({ status: 'closed' });
    this.#abandonAttempt();
    this.#closeAll().subscribe({
      complete: () => {
        this.#connection.next(undefined);
        for (const subject of [this.#state, this.#connection, this.#notifications, this.#logs, this.#diagnostics, this.#errors]) subject.complete();
        this.#closed.next();
        this.#closed.complete();
      },
    });
    return this.#closed.asObservable();
  }

  /** Every connection that has not ended is closed; some servers cannot run twice. */
  #closeAll(): Observable<void> {
    return merge(...[...this.#open].map((connection) => connection.close()));
  }

  #start(ready: AsyncSubject<void>): void {
    const work = new Subscription();
    const attempt = { ready, work };
    this.#attempt = attempt;
    this.#state.next({ status: 'connecting' });
    this.#connection.next(undefined);
    if (this.#attempt !== attempt) return; // a handler has closed the client
    work.add(
      concat(this.#closeAll().pipe(ignoreElements()), defer(() => this.#connected(this.#verdict)))
        .pipe(
          deadline({
            ms: this.#handshakeMs,
            error: (passedMs) => new RequestTimeoutError('initialize', passedMs),
          }),
        )
        .subscribe({
          next: (session) => {
            this.#attempt = undefined;
            this.#verdict = session.verdict;
            this.#state.next({ status: 'ready', session });
            if (this.state.status === 'ready') ready.complete();
            else ready.error(new NotConnectedError()); // a handler has closed the client
            this.#handOver();
          },
          error: (error: unknown) => {
            this.#attempt = undefined;
            this.#verdict = undefined; // what was remembered may be why
            this.#drop(error);
            ready.error(error);
          },
        }),
    );
  }

  /** Opens a connection and agrees on how to speak. */
  #connected(verdict: EraVerdict | undefined, isSecond = false): Observable<ServerSession> {
    const connection = this.#openConnection();
    const { clientInfo = CLIENT_INFO, capabilities = {}, revisions = SUPPORTED_REVISIONS, probeTimeoutMs = DEFAULT_PROBE_MS } = this.#options;
    return concat(
      connection.connect().pipe(ignoreElements()),
      negotiate(connection, { clientInfo, capabilities, revisions, probeTimeoutMs, verdict }),
    ).pipe(
      concatMap((negotiated) => this.#opened(connection, negotiated)),
      catchError((error: unknown) => {
        if (this.#way + 1 < this.#ways.length && isElsewhere(error)) return this.#elsewhere(connection, error);
        const again = isSecond ? undefined : this.#secondTry(connection, error, verdict);
        const reason = withPhase(error instanceof HarmfulProbe ? error.reason : error);
        if (again === undefined) throw reason;
        return concat(connection.close().pipe(ignoreElements()), defer(() => this.#connected(again.verdict, true))).pipe(
          catchError((second: unknown) => {
            throw second instanceof NotConnectedError ? reason : second; // the same transport again, which lives once
          }),
        );
      }),
    );
  }

  /** Takes the next way; if that fails too, both reasons are told. @see MCP 2025-11-25 Transports, "Backwards Compatibility" */
  #elsewhere(connection: Connection, first: Error): Observable<ServerSession> {
    this.#way++;
    return concat(connection.close().pipe(ignoreElements()), defer(() => this.#connected(undefined))).pipe(
      catchError((second: unknown) => {
        this.#way = 0;
        throw new FallbackError([first, second as Error]);
      }),
    );
  }

  #opened(connection: Connection, { session, era }: Negotiated): Observable<ServerSession> {
    connection.adopt(era);
    if (era.name === 'modern') return of(session);
    const ready$ = defer(() => {
      if (era.hasListener && this.#options.listen !== false) connection.startSSEListener();
      return of(session);
    });
    return concat(connection.notify('notifications/initialized').pipe(ignoreElements()), ready$);
  }

  /**
   * When a fresh start may help: once the probe did a process harm, and when
   * what was remembered of the server no longer holds.
   */
  #secondTry(connection: Connection, error: unknown, verdict: EraVerdict | undefined): { verdict: EraVerdict | undefined } | undefined {
    if (error instanceof HarmfulProbe && !connection.hasRequestStreams) return { verdict: { era: 'legacy', revision: '2025-11-25' } };
    if (error instanceof RpcError && verdict?.era === 'legacy') return { verdict: undefined };
    return undefined;
  }

  #transport(): Transport {
    const make = this.#ways[this.#way];
    if (make === undefined) throw new ConfigError('A client needs a way to make a transport');
    return make();
  }

  #openConnection(): Connection {
    const onNotification = (notification: JsonRpcNotification) => {
      this.#notify(notification);
    };
    const connection = new Connection(this.#transport(), { ...this.#options, nextId: this.#nextId, onNotification });
    this.#open.add(connection);
    this.#connection.next(connection);
    connection.diagnostics$.subscribe((diagnostic) => {
      this.#diagnostics.next(diagnostic);
    });
    connection.errors$.subscribe((error) => {
      this.#errors.next(error);
    });
    connection.renewals$.subscribe((session) => {
      if (this.#connection.value === connection && this.state.status === 'ready') this.#state.next({ status: 'ready', session });
    });
    connection.state$.subscribe((state) => {
      if (state.status !== 'closed') return;
      this.#open.delete(connection);
      if (this.#connection.value === connection && this.state.status === 'ready') this.#drop(state.cause ?? new ConnectionClosedError());
    });
    return connection;
  }

  /** The connection is of no more use. */
  #drop(cause: unknown): void {
    const connection = this.#connection.value;
    void connection?.close();
    this.#state.next({ status: 'disconnected', cause });
    if (this.#connection.value === connection) this.#connection.next(undefined);
  }

  #abandonAttempt(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    attempt?.work.unsubscribe();
    attempt?.ready.error(new ConnectionClosedError({ server: this.#options.name, phase: 'connecting' }));
  }

  /** What comes before the client is handed out is kept, up to a bound, and delivered then. */
  #notify(notification: JsonRpcNotification): void {
    if (this.#held === undefined) this.#emit(notification);
    else if (this.#held.length < MAX_HELD) this.#held.push(notification);
    else this.#diagnostics.next({ kind: 'dropped-notification', message: `Dropped ${notification.method}: ${MAX_HELD} came before anybody listened` });
  }

  #emit(notification: JsonRpcNotification): void {
    if (this.#notifications.observed) this.#notifications.next(notification);
    if (notification.method === 'notifications/message' && notification.params !== undefined) this.#logs.next(notification.params as unknown as LoggingMessageParams);
  }

  /** A moment later, so that who awaited the client has subscribed by then. */
  #handOver(): void {
    const held = this.#held;
    if (held === undefined || this.state.status !== 'ready') return;
    this.#handOut = asyncScheduler.schedule(() => {
      for (const notification of held) this.#emit(notification); // more may join while it runs
      this.#held = undefined;
    });
  }
}

/** Whether the answer means that the server does not speak this transport. */
function isElsewhere(error: unknown): error is Error {
  if (error instanceof RpcError && isModernErrorCode(error.code)) return false;
  const { status } = error as { status?: unknown };
  return status === 400 || status === 404 || status === 405 || error instanceof ProtocolError;
}

/** Says of a connection that ended that it did so while connecting. */
function withPhase(error: unknown): unknown {
  return error instanceof ConnectionClosedError ? Object.assign(error, { phase: 'connecting' }) : error;
}
