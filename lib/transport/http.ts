import { catchError, concat, defer, EMPTY, Observable, Subscription, take, takeUntil, timer, type Unsubscribable } from 'rxjs';
import { ConfigError, NetworkError, NoResponseError, QueueFullError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { isFailure, isJsonRpcMessage, isObject, isRequest, type JsonRpcMessage, type JsonRpcRequest, type RequestId } from '../wire/message.js';
import { DEFAULT_MAX_MESSAGE_BYTES, type CommonConfig } from './config.js';
import { DeadlineClock } from './deadline-clock.js';
import type { Diagnostic } from './diagnostic.js';
import { withCorsHint } from './cors-hint.js';
import { fetchHandler, withoutSecrets } from './fetch-handler.js';
import { answersTo, isEventStream, isSuccess, readBody, readEvents, readRefusal } from './http-answer.js';
import { readErrorBody } from './http-body.js';
import { intercepted, type HttpHandler, type HttpInterceptor, type HttpRequest, type HttpResponse } from './http-handler.js';
import { checkHeaders, encodeMirrored, utf8Bytes, withHeaders, type HeadersSource } from './http-headers.js';
import { exchange, type ExchangeHost, type HttpExchange } from './http-exchange.js';
import { HttpOutbox } from './http-outbox.js';
import { wasNeverSent } from './never-sent.js';
import { followRedirects } from './redirects.js';
import { readResuming } from './resume.js';
import type { SendContext } from './send-context.js';
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
    const host: ExchangeHost = {
      post: (one) => this.#post(one),
      read: (one, response) => this.#read(one, response),
      verdict: (one) => this.#verdict(one),
      explain: (one, error) => this.#explain(one, error),
    };
    this.#outbox = new HttpOutbox({
      maxConcurrentRequests: config.maxConcurrentRequests ?? DEFAULT_MAX_CONCURRENT,
      maxQueuedRequests: config.maxQueuedRequests ?? DEFAULT_MAX_QUEUED,
      post: (message) => exchange(host, message),
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

  #post(exchange: HttpExchange): Observable<HttpResponse> {
    const { context, membership, message } = exchange;
    exchange.session = membership === true ? this.#session : undefined;
    if (membership !== false) this.#version = context.mirrored?.[VERSION_HEADER];
    return this.#request('POST', context, exchange.session, { accept: ACCEPT, 'content-type': 'application/json' }, encodeMessage(message));
  }

  #read(exchange: HttpExchange, response: HttpResponse): Observable<unknown> {
    const { message } = exchange;
    this.#noteSession(exchange, response);
    if (!isSuccess(response)) return readRefusal(response, this.#config.url, isRequest(message) ? message.id : undefined);
    return isRequest(message) ? this.#readAnswer(exchange, message, response) : this.#accepted(exchange, response);
  }

  #noteSession({ context, membership, message, session }: HttpExchange, response: HttpResponse): void {
    const given = response.headers.get(SESSION_HEADER) ?? '';
    const isNew = isSuccess(response) && membership === 'new';
    const isCurrent = isSuccess(response) && membership === true && session === this.#session; // an answer to an earlier session changes nothing
    if (isNew) this.#hasOpened = true;
    if (isNew || (isCurrent && given !== '')) this.#session = given === '' ? undefined : given;
    if (response.status === 404 && session !== undefined && !context.handshake) this.#refusedIn.set(message, session);
  }

  /** A notification or an answer of ours: any 2xx takes it, whatever its body says. */
  #accepted(exchange: HttpExchange, response: HttpResponse): Observable<unknown> {
    const { message } = exchange;
    exchange.isSettled = true;
    this.#outbox.answered(message);
    this.deliver({ type: 'accepted', message });
    return readErrorBody(response);
  }

  #readAnswer(exchange: HttpExchange, message: JsonRpcRequest, response: HttpResponse): Observable<unknown> {
    const isStream = isEventStream(response);
    const receive = (value: unknown) => {
      if (!this.#receive(message, value) || exchange.isSettled) return;
      exchange.isSettled = true;
      this.#outbox.answered(message);
      if (isStream) exchange.endWithin(this.#clock, LINGER_MS);
    };
    if (!isStream) return readBody(response, this.#maxBytes, receive);
    this.deliver({ type: 'streaming', message });
    return exchange.context.resumable ? this.#readResuming(exchange, message, response, receive) : readEvents(response, this.#maxBytes, receive, this.#onDiagnostic);
  }

  /** @returns whether it is the answer. */
  #receive({ id }: JsonRpcRequest, value: unknown): boolean {
    if (isObject(value) && 'method' in value) {
      this.receive(value, id);
      return false;
    }
    // An error that cannot name its request can only mean the one whose answer this is.
    const mine = isJsonRpcMessage(value) && isFailure(value) && value.id == null ? { ...value, id } : value;
    this.receive(mine, id);
    return Array.isArray(mine) ? mine.some((item) => answersTo(item, id)) : answersTo(mine, id);
  }

  #readResuming(exchange: HttpExchange, { id }: JsonRpcRequest, response: HttpResponse, onMessage: (value: unknown) => void): Observable<unknown> {
    return readResuming(response, {
      id,
      url: this.#config.url,
      open: (lastEventId) => this.#openStream(exchange.context, exchange.session, lastEventId),
      maxEventBytes: this.#maxBytes,
      onMessage,
      isAnswered: () => exchange.isSettled,
      onDiagnostic: this.#onDiagnostic,
    });
  }

  #verdict({ isSettled, message, status }: HttpExchange): Error | undefined {
    if (isSettled) return undefined;
    return isRequest(message) ? new NoResponseError(message.id, status) : new NetworkError(withoutSecrets(this.#config.url), undefined, 'no answer', undefined);
  }

  #explain({ membership, session }: HttpExchange, error: unknown): unknown {
    return membership === true && this.#hasOpened ? withCorsHint(error, this.#config.url, session) : error;
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
