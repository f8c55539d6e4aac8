import { catchError, concat, defer, EMPTY, map, type Observable, Subject, Subscription, switchMap, take, takeUntil, type Unsubscribable, timer } from 'rxjs';
import { ConfigError, NetworkError, NoResponseError, QueueFullError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { isFailure, isJsonRpcMessage, isRequest, type JsonRpcMessage, type JsonRpcRequest, type RequestId } from '../wire/message.js';
import { DEFAULT_MAX_MESSAGE_BYTES, type CommonConfig } from './config.js';
import type { Diagnostic } from './diagnostic.js';
import { fetchHandler, withoutSecrets } from './fetch-handler.js';
import { answersTo, isEventStream, isSuccess, readAnswer, readRefusal } from './http-answer.js';
import { readErrorBody } from './http-body.js';
import { intercepted, type HttpHandler, type HttpInterceptor, type HttpRequest, type HttpResponse } from './http-handler.js';
import { checkHeaders, encodeMirrored, resolveHeaders, utf8Bytes, type HeadersSource } from './http-headers.js';
import { HttpOutbox } from './http-outbox.js';
import { reading } from './reading.js';
import { followRedirects } from './redirects.js';
import { contextOf, type SendContext } from './send-context.js';
import { sseListener } from './sse-listener.js';
import { TransportCore } from './transport-core.js';

/** A server behind a URL. @public */
export interface HttpConfig extends CommonConfig {
  /** Both speak Streamable HTTP. */
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
  readonly #onDiagnostic = (diagnostic: Diagnostic) => {
    this.diagnose(diagnostic);
  };
  #listener = Subscription.EMPTY;
  #session: string | undefined;
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
        this.deliver({ type: 'failed', message, error: error as Error, mayHaveRun: mayHaveRun(error) });
      },
    });
  }

  release(sent: RequestId | JsonRpcMessage): boolean {
    return this.#outbox.release(sent);
  }

  startSSEListener(context: SendContext = {}): Unsubscribable {
    if (this.status === 'connected' && this.#listener.closed) {
      this.#listener = sseListener({
        open: (lastEventId) =>
          this.#request('GET', context, {
            accept: 'text/event-stream',
            ...(lastEventId === undefined ? {} : { 'last-event-id': utf8Bytes(lastEventId) }),
          }),
        maxEventBytes: this.#maxBytes,
        onMessage: (value) => {
          this.receive(value);
        },
        onDiagnostic: this.#onDiagnostic,
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
  #submit(message: JsonRpcMessage): Observable<never> {
    let isAccepted = false;
    const submit$ = this.#post(message).pipe(
      reading((response) => {
        if (!isSuccess(response)) return readRefusal(response, this.#config.url, undefined);
        isAccepted = true;
        this.#outbox.answered(message);
        this.deliver({ type: 'accepted', message });
        return readErrorBody(response);
      }),
    );
    return concat(submit$, defer(() => {
      if (!isAccepted) throw new NetworkError(withoutSecrets(this.#config.url), undefined, 'no answer', undefined);
      return EMPTY;
    }));
  }

  /** A request and its answer. */
  #exchange(message: JsonRpcRequest): Observable<never> {
    const { id } = message;
    const answered$ = new Subject<void>();
    let answered = false;
    let status: number | undefined;
    const receive = (value: unknown) => {
      if (value === undefined) return;
      // An error that cannot name its request can only mean the one whose answer this is.
      const mine = isJsonRpcMessage(value) && isFailure(value) && value.id == null ? { ...value, id } : value;
      answered ||= [mine].flat().some((item) => isJsonRpcMessage(item) && answersTo(item, id));
      this.receive(mine, id);
      if (!answered) return;
      this.#outbox.answered(message);
      answered$.next();
    };
    const exchange$ = this.#post(message).pipe(
      reading((response) => {
        ({ status } = response);
        if (!isSuccess(response)) return readRefusal(response, this.#config.url, id);
        if (isEventStream(response)) this.deliver({ type: 'streaming', message });
        return readAnswer(response, this.#maxBytes, this.#onDiagnostic).pipe(map(receive));
      }),
      takeUntil(answered$.pipe(take(1), switchMap(() => timer(LINGER_MS)))),
    );
    const verdict$ = defer(() => {
      if (!answered) throw new NoResponseError(id, status);
      return EMPTY;
    });
    return concat(exchange$, verdict$);
  }

  #post(message: JsonRpcMessage): Observable<HttpResponse> {
    return defer(() => {
      const context = contextOf(message);
      const session = this.#session;
      if (context.session !== false) this.#version = context.mirrored?.[VERSION_HEADER];
      return this.#request('POST', context, { accept: ACCEPT, 'content-type': 'application/json' }, encodeMessage(message)).pipe(
        map((response) => {
          const given = response.headers.get(SESSION_HEADER);
          const isCurrent = session === this.#session; // an answer to an earlier session changes nothing
          if (context.session !== false && isCurrent && isSuccess(response) && given) this.#session = given;
          return response;
        }),
      );
    });
  }

  #request(method: HttpRequest['method'], context: SendContext, fields: Record<string, string>, body?: string): Observable<HttpResponse> {
    return resolveHeaders(this.#config.headers).pipe(
      switchMap((configured) => {
        const headers: Record<string, string> = { ...configured, ...checkHeaders(context.headers ?? {}), ...fields };
        for (const [name, value] of Object.entries(context.mirrored ?? {})) headers[name] = encodeMirrored(value);
        if (context.session !== false && this.#session !== undefined) headers[SESSION_HEADER] = this.#session;
        return this.#handler({ method, url: this.#config.url, headers, body });
      }),
    );
  }

  #endSession(): Observable<unknown> {
    if (this.#session === undefined) return EMPTY;
    const mirrored = this.#version === undefined ? {} : { [VERSION_HEADER]: this.#version };
    return this.#request('DELETE', { mirrored }, {}).pipe(
      take(1), // a refusal is as good
      catchError(() => EMPTY),
    );
  }
}

/** Errors of the system that come before anything could be sent. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function mayHaveRun(error: unknown): boolean {
  if (error instanceof NetworkError) return error.code === undefined || !NEVER_SENT.includes(error.code);
  if (error instanceof ConfigError || error instanceof QueueFullError) return false;
  const { status } = error as { status?: unknown };
  return typeof status !== 'number' || status < 400 || status >= 500;
}
