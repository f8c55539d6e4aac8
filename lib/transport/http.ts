import { catchError, concat, defer, EMPTY, map, noop, Observable, Subscription, switchMap, take, takeUntil, timer, type Unsubscribable } from 'rxjs';
import { ConfigError, NetworkError, NoResponseError, QueueFullError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { isFailure, isJsonRpcMessage, isObject, isRequest, type JsonRpcMessage, type JsonRpcRequest, type RequestId } from '../wire/message.js';
import { DEFAULT_MAX_MESSAGE_BYTES, type CommonConfig } from './config.js';
import { DeadlineClock, Wait } from './deadline-clock.js';
import type { Diagnostic } from './diagnostic.js';
import { withCorsHint } from './cors-hint.js';
import { fetchHandler, withoutSecrets } from './fetch-handler.js';
import { answersTo, isEventStream, isSuccess, readBody, readEvents, readRefusal } from './http-answer.js';
import { readErrorBody } from './http-body.js';
import { intercepted, type HttpHandler, type HttpInterceptor, type HttpRequest, type HttpResponse } from './http-handler.js';
import { checkHeaders, encodeMirrored, utf8Bytes, withHeaders, type HeadersSource } from './http-headers.js';
import { HttpOutbox } from './http-outbox.js';
import { wasNeverSent } from './never-sent.js';
import { reading } from './reading.js';
import { followRedirects } from './redirects.js';
import { Resends } from './resend.js';
import { readResuming } from './resume.js';
import { contextOf, type SendContext } from './send-context.js';
import { sseListener } from './sse-listener.js';
import { TransportCore } from './transport-core.js';

/** A server behind a URL. @public */
export interface HttpConfig extends CommonConfig {
  /** `"http"` speaks Streamable HTTP; `"sse"` tries the pair of 2024-11-05 first, where that is at hand: see {@link withHttpSse}. */
  readonly type: 'http' | 'sse';
  readonly url: string;
  /** Sent with every request to the server. */
  readonly headers?: HeadersSource | undefined;
  /** What sends the requests. @defaultValue `fetchHandler()` */
  readonly handler?: HttpHandler | undefined;
  /** Stand before the handler; the first one is the outermost. They see every redirect followed as one request. */
  readonly interceptors?: readonly HttpInterceptor[] | undefined;
  /** Most requests under way at once; more wait. @defaultValue 256 */
  readonly maxConcurrentRequests?: number | undefined;
  /** Most requests that wait for their turn. @defaultValue 100_000 */
  readonly maxQueuedRequests?: number | undefined;
}

const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';
const ACCEPT = 'application/json, text/event-stream';

/** How long a body may go on after what it was read for: reading it to its end keeps the socket usable. */
const LINGER_MS = 1_000;
/** How long `close()` waits for notifications under way, and again for the end of the session. */
const CLOSE_STEP_MS = 2_000;
const DEFAULT_MAX_CONCURRENT = 256;
const DEFAULT_MAX_QUEUED = 100_000;

/**
 * Talks to a server over Streamable HTTP: every message is a POST, what comes
 * back is merged into `inbound$`.
 *
 * @see MCP 2025-11-25 Transports, "Streamable HTTP"; MCP 2026-07-28 Streamable HTTP
 */
export class HttpTransport extends TransportCore {
  readonly hasRequestStreams = true;
  readonly #config: HttpConfig;
  readonly #handler: HttpHandler;
  readonly #maxBytes: number;
  readonly #outbox: HttpOutbox;
  readonly #clock = new DeadlineClock();
  readonly #onDiagnostic = (diagnostic: Diagnostic) => {
    this.diagnose(diagnostic);
  };
  #listener = Subscription.EMPTY;
  #session: string | undefined;
  /** Whether a session was opened, be its id visible or not. */
  #hasOpened = false;
  /** The session that the server no longer knew, by the message it refused. */
  readonly #refusedIn = new WeakMap<JsonRpcMessage, string>();
  #version: string | undefined;

  constructor(config: HttpConfig) {
    super();
    const { url, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, handler = fetchHandler(), interceptors = [] } = config;
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new ConfigError(`Not an http or https URL: ${withoutSecrets(url)}`);
    this.#config = config;
    this.#handler = intercepted(handler, [...interceptors, followRedirects()]);
    this.#maxBytes = maxMessageBytes;
    this.#outbox = new HttpOutbox({
      maxConcurrentRequests: config.maxConcurrentRequests ?? DEFAULT_MAX_CONCURRENT,
      maxQueuedRequests: config.maxQueuedRequests ?? DEFAULT_MAX_QUEUED,
      post: (message) => (isRequest(message) ? this.#exchange(message) : this.#submit(message)),
      onFailed: (message, error) => {
        const refusedIn = this.#refusedIn.get(message);
        const session = refusedIn === undefined ? undefined : refusedIn === this.#session ? 'lost' : 'replaced';
        this.deliver({ type: 'failed', message, error: error as Error, mayHaveRun: mayHaveRun(error), session });
      },
    });
  }

  release(sent: RequestId | JsonRpcMessage): boolean {
    return this.#outbox.release(sent);
  }

  startSSEListener(context: SendContext = {}, onGone?: () => void): Unsubscribable {
    if (this.status === 'connected' && this.#listener.closed) {
      this.#listener = sseListener({
        open: (lastEventId) => this.#openStream(context, this.#session, lastEventId),
        maxEventBytes: this.#maxBytes,
        onMessage: (value) => {
          this.receive(value);
        },
        onDiagnostic: this.#onDiagnostic,
        onGone,
      }).subscribe();
    }
    return this.#listener;
  }

  protected open(): void {
    this.opened();
  }

  protected shutDown(): void {
    this.#listener.unsubscribe();
    const bounded = (step$: Observable<unknown>) => step$.pipe(takeUntil(timer(CLOSE_STEP_MS)));
    concat(bounded(this.#outbox.drain()), bounded(defer(() => this.#endSession()))).subscribe({
      complete: () => {
        this.#outbox.stop();
        this.closed(undefined);
      },
    });
  }

  protected send(message: JsonRpcMessage): void {
    this.#outbox.send(message);
  }

  /** A notification or an answer of ours: any 2xx takes it, whatever its body says. */
  #submit(message: JsonRpcMessage): Observable<unknown> {
    let isAccepted = false;
    const submit$ = this.#post(message, (response) => {
      isAccepted = true;
      this.#outbox.answered(message);
      this.deliver({ type: 'accepted', message });
      return readErrorBody(response);
    });
    return submit$.pipe(
      map(() => {
        if (!isAccepted) throw new NetworkError(withoutSecrets(this.#config.url), undefined, 'no answer', undefined);
      }),
    );
  }

  /** A request and its answer. */
  #exchange(message: JsonRpcRequest): Observable<unknown> {
    const { id } = message;
    let answered = false;
    let status: number | undefined;
    let onAnswer = noop;
    const receive = (value: unknown) => {
      if (isObject(value) && 'method' in value) {
        this.receive(value, id);
        return;
      }
      // An error that cannot name its request can only mean the one whose answer this is.
      const mine = isJsonRpcMessage(value) && isFailure(value) && value.id == null ? { ...value, id } : value;
      const isAnswer = Array.isArray(mine) ? mine.some((item) => answersTo(item, id)) : answersTo(mine, id);
      this.receive(mine, id);
      if (!isAnswer || answered) return;
      answered = true;
      this.#outbox.answered(message);
      onAnswer();
    };
    const readStream = (response: HttpResponse, session: string | undefined) => {
      this.deliver({ type: 'streaming', message });
      const stream$ = contextOf(message).resumable
        ? this.#readResuming(response, message, session, receive, () => answered)
        : readEvents(response, this.#maxBytes, receive, this.#onDiagnostic);
      return new Observable((subscriber) => {
        onAnswer = () => {
          const passed = () => {
            subscriber.complete();
          };
          subscriber.add(new Wait(this.#clock, LINGER_MS, { passed }));
        };
        stream$.subscribe(subscriber);
      });
    };
    const exchange$ = this.#post(message, (response, session) => {
      ({ status } = response);
      return isEventStream(response) ? readStream(response, session) : readBody(response, this.#maxBytes, receive);
    });
    return exchange$.pipe(
      map(() => {
        if (!answered) throw new NoResponseError(id, status);
      }),
    );
  }

  #readResuming(response: HttpResponse, message: JsonRpcRequest, session: string | undefined, onMessage: (value: unknown) => void, isAnswered: () => boolean): Observable<unknown> {
    return readResuming(response, {
      id: message.id,
      url: this.#config.url,
      open: (lastEventId) => this.#openStream(contextOf(message), session, lastEventId),
      maxEventBytes: this.#maxBytes,
      onMessage,
      isAnswered,
      onDiagnostic: this.#onDiagnostic,
    });
  }

  /** Posts a message and reads what is no refusal with `read`, which is told the session it was sent in. Emits when that is over. */
  #post(message: JsonRpcMessage, read: (response: HttpResponse, session: string | undefined) => Observable<unknown>): Observable<unknown> {
    const context = contextOf(message);
    const { session: membership = true } = context;
    const resends = new Resends(message);
    let refusal: HttpResponse | undefined;
    let session: string | undefined;
    const note = (response: HttpResponse) => {
      const given = response.headers.get(SESSION_HEADER) ?? '';
      if (isSuccess(response) && membership === 'new') this.#hasOpened = true;
      const isCurrent = membership === true && session === this.#session; // an answer to an earlier session changes nothing
      if (isSuccess(response) && (membership === 'new' || (isCurrent && given !== ''))) this.#session = given === '' ? undefined : given;
      if (response.status === 404 && session !== undefined && !context.handshake) this.#refusedIn.set(message, session);
    };
    const response$ = defer(() => {
      refusal = undefined;
      session = membership === true ? this.#session : undefined;
      if (membership !== false) this.#version = context.mirrored?.[VERSION_HEADER];
      return this.#request('POST', context, session, { accept: ACCEPT, 'content-type': 'application/json' }, encodeMessage(message));
    });
    return response$.pipe(
      reading((response) => {
        note(response);
        if (isSuccess(response)) return read(response, session);
        refusal = response;
        return readRefusal(response, this.#config.url, isRequest(message) ? message.id : undefined);
      }),
      catchError((error: unknown, again$: Observable<unknown>) => {
        const wait$ = refusal && resends.after(refusal);
        if (wait$ !== undefined) return wait$.pipe(switchMap(() => again$));
        throw membership === true && this.#hasOpened ? withCorsHint(error, this.#config.url, session) : error;
      }),
    );
  }

  #openStream(context: SendContext, session: string | undefined, lastEventId: string | undefined): Observable<HttpResponse> {
    const after = lastEventId === undefined ? {} : { 'last-event-id': utf8Bytes(lastEventId) };
    return this.#request('GET', context, session, { accept: 'text/event-stream', ...after });
  }

  #request(method: HttpRequest['method'], context: SendContext, session: string | undefined, fields: Record<string, string>, body?: string): Observable<HttpResponse> {
    return withHeaders(this.#config.headers, (configured) => {
      const headers: Record<string, string> = { ...configured, ...checkHeaders(context.headers ?? {}), ...fields };
      for (const [name, value] of Object.entries(context.mirrored ?? {})) headers[name] = encodeMirrored(value);
      if (session !== undefined) headers[SESSION_HEADER] = session;
      return this.#handler({ method, url: this.#config.url, headers, body });
    });
  }

  #endSession(): Observable<unknown> {
    if (this.#session === undefined) return EMPTY;
    const mirrored = this.#version === undefined ? {} : { [VERSION_HEADER]: this.#version };
    return this.#request('DELETE', { mirrored }, this.#session, {}).pipe(
      take(1), // a refusal is as good
      catchError(() => EMPTY),
    );
  }
}

function mayHaveRun(error: unknown): boolean {
  if (wasNeverSent(error) || error instanceof ConfigError || error instanceof QueueFullError) return false;
  const { status } = error as { status?: unknown };
  return typeof status !== 'number' || status < 400 || status >= 500;
}
