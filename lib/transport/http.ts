import {
  BehaviorSubject,
  catchError,
  concat,
  defer,
  EMPTY,
  first,
  type Observable,
  Subject,
  Subscription,
  switchMap,
  take,
  takeUntil,
  tap,
  timer,
  type Unsubscribable,
} from 'rxjs';
import { ConfigError, NetworkError, NoResponseError, ParseError, QueueFullError, RpcError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { eventStream } from '../framing/event-stream.js';
import { isFailure, isJsonRpcMessage, isRequest, isResponse, matchingId, type JsonRpcMessage, type JsonRpcRequest, type RequestId } from '../wire/message.js';
import { excerptOf } from './diagnostic.js';
import { fetchHandler, withoutSecrets } from './fetch-handler.js';
import { httpError, readErrorBody, readText } from './http-body.js';
import { intercepted, type HttpHandler, type HttpInterceptor, type HttpRequest, type HttpResponse } from './http-handler.js';
import { checkHeaders, encodeMirrored, mediaType, resolveHeaders, type HeadersSource } from './http-headers.js';
import { DEFAULT_MAX_MESSAGE_BYTES, type CommonConfig } from './config.js';
import { followRedirects } from './redirects.js';
import { contextOf, type SendContext } from './send-context.js';
import { reading } from './reading.js';
import { messageOf, sseListener } from './sse-listener.js';
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

/** How long a stream may stay open after its answer came: reading it to its end keeps the socket usable. */
const LINGER_MS = 1_000;
/** How long `close()` waits for notifications under way, and again for the end of the session. */
const CLOSE_STEP_MS = 2_000;

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
  readonly #maxConcurrent: number;
  readonly #maxQueued: number;

  readonly #active = new Map<RequestId, Subscription>();
  readonly #waiting = new Map<RequestId, JsonRpcRequest>();
  readonly #others = new Subscription();
  readonly #othersCount$ = new BehaviorSubject(0);
  #held: JsonRpcMessage[] | undefined;
  #listener = Subscription.EMPTY;
  #session: string | undefined;
  #version: string | undefined;

  constructor(config: HttpConfig) {
    super();
    checkUrl(config.url);
    this.#config = config;
    this.#handler = intercepted(config.handler ?? fetchHandler(), [...(config.interceptors ?? []), followRedirects()]);
    this.#maxBytes = config.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.#maxConcurrent = config.maxConcurrentRequests ?? 256;
    this.#maxQueued = config.maxQueuedRequests ?? 100_000;
  }

  release(id: RequestId): boolean {
    if (this.#waiting.delete(id)) return false;
    const held = this.#held?.findIndex((message) => isRequest(message) && message.id === id) ?? -1;
    if (held !== -1) {
      this.#held?.splice(held, 1);
      return false;
    }
    this.#active.get(id)?.unsubscribe();
    return true;
  }

  startSSEListener(context: SendContext = {}): Unsubscribable {
    if (this.status !== 'connected' || !this.#listener.closed) return this.#listener;
    this.#listener = sseListener({
      open: (lastEventId) =>
        this.#request('GET', context, {
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        }),
      maxEventBytes: this.#maxBytes,
      onMessage: (value) => {
        this.receive(value);
      },
      onDiagnostic: (diagnostic) => {
        this.diagnose(diagnostic);
      },
    }).subscribe();
    return this.#listener;
  }

  protected open(): void {
    this.opened();
  }

  protected shutDown(): void {
    this.#listener.unsubscribe();
    for (const exchange of this.#active.values()) exchange.unsubscribe();
    this.#waiting.clear();
    this.#held = undefined;
    const othersDone$ = this.#othersCount$.pipe(first((count) => count === 0));
    const bounded = (step$: Observable<unknown>) => step$.pipe(takeUntil(timer(CLOSE_STEP_MS)));
    concat(bounded(othersDone$), bounded(defer(() => this.#endSession())))
      .subscribe({
        complete: () => {
          this.#others.unsubscribe();
          this.closed(undefined);
        },
      });
  }

  protected send(message: JsonRpcMessage): void {
    if (this.#held !== undefined && !isResponse(message)) this.#held.push(message);
    else if (!isRequest(message)) this.#sendOther(message);
    else if (this.#active.size < this.#maxConcurrent) this.#sendRequest(message);
    else if (this.#waiting.size < this.#maxQueued) this.#waiting.set(message.id, message);
    else this.#fail(message, new QueueFullError(this.#maxQueued, 'requests', 'maxQueuedRequests'));
  }

  #sendRequest(message: JsonRpcRequest): void {
    const exchange = new Subscription();
    exchange.add(() => {
      this.#active.delete(message.id);
      if (contextOf(message).barrier) this.#lift();
      this.#sendNext();
    });
    this.#active.set(message.id, exchange);
    if (contextOf(message).barrier) this.#held ??= [];
    exchange.add(
      this.#exchange(message).subscribe({
        error: (error: unknown) => {
          this.#fail(message, error);
          exchange.unsubscribe();
        },
        complete: () => {
          exchange.unsubscribe();
        },
      }),
    );
  }

  /** Notifications and answers of ours: taken by any 2xx, whatever it says. */
  #sendOther(message: JsonRpcMessage): void {
    const { barrier } = contextOf(message);
    if (barrier) this.#held ??= [];
    this.#othersCount$.next(this.#othersCount$.value + 1);
    const done = new Subscription(() => {
      this.#othersCount$.next(this.#othersCount$.value - 1);
      if (barrier) this.#lift();
    });
    const post$ = this.#post(message).pipe(
      reading((response) => {
        if (isSuccess(response)) this.deliver({ type: 'accepted', message });
        return readErrorBody(response).pipe(
          tap((body) => {
            // After success the body is only read to its end: real servers put all sorts of things there.
            if (!isSuccess(response)) throw this.#errorIn(response, body, undefined);
          }),
          takeUntil(timer(LINGER_MS)),
        );
      }),
    );
    done.add(
      post$.subscribe({
        error: (error: unknown) => {
          this.#fail(message, error);
          done.unsubscribe();
        },
        complete: () => {
          done.unsubscribe();
        },
      }),
    );
    this.#others.add(done);
  }

  #sendNext(): void {
    for (const [id, message] of this.#waiting) {
      if (this.#active.size >= this.#maxConcurrent) return;
      this.#waiting.delete(id);
      this.#sendRequest(message);
    }
  }

  /** A barrier is through: what waited behind it goes out, in order. */
  #lift(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of held) this.send(message);
  }

  /** One request and its answer. Completes when both are over. */
  #exchange(message: JsonRpcRequest): Observable<never> {
    const answered$ = new Subject<void>();
    let answered = false;
    let status: number | undefined;
    const take = (value: unknown) => {
      if (isIdlessFailure(value)) {
        answered = true;
        const { code, message: text, data } = value.error;
        this.#fail(message, new RpcError(code, text, data));
        return;
      }
      if (answers(value, message.id)) answered = true;
      this.receive(value, message.id);
      if (answered) answered$.next();
    };
    return this.#post(message).pipe(
      reading((response) => {
        status = response.status;
        if (!isSuccess(response)) {
          return readErrorBody(response).pipe(
            tap((body) => {
              throw this.#errorIn(response, body, message.id);
            }),
          );
        }
        return this.#readAnswer(message, response, take);
      }),
      takeUntil(answered$.pipe(switchMap(() => timer(LINGER_MS)))),
      tap({
        complete: () => {
          if (!answered) this.#fail(message, new NoResponseError(message.id, status));
        },
      }),
    );
  }

  /** Completes at the end of the body. */
  #readAnswer(message: JsonRpcRequest, response: HttpResponse, take: (value: unknown) => void): Observable<unknown> {
    const contentType = response.headers.get('content-type');
    if (mediaType(contentType) === 'text/event-stream') {
      this.deliver({ type: 'streaming', message });
      return response.body$.pipe(
        eventStream(this.#maxBytes),
        tap((item) => {
          const value = messageOf(item, (diagnostic) => {
            this.diagnose(diagnostic);
          });
          if (value !== undefined) take(value);
        }),
      );
    }
    if (response.status === 202 || response.status === 204) return EMPTY;
    return readText(response.body$, this.#maxBytes).pipe(
      tap((text) => {
        for (const value of parseBody(text, response.status, contentType)) take(value);
      }),
    );
  }

  #post(message: JsonRpcMessage): Observable<HttpResponse> {
    return defer(() => {
      const context = contextOf(message);
      const session = this.#session;
      this.#version = context.mirrored?.[VERSION_HEADER] ?? this.#version;
      return this.#request('POST', context, { accept: ACCEPT, 'content-type': 'application/json' }, encodeMessage(message)).pipe(
        tap((response) => {
          const given = response.headers.get(SESSION_HEADER);
          const isCurrent = session === this.#session; // an answer to an earlier session changes nothing
          if (context.session !== false && isCurrent && isSuccess(response) && given) this.#session = given;
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

  /** What an answer that is not 2xx says: a JSON-RPC error for this call, or an HTTP error. */
  #errorIn(response: HttpResponse, body: string, id: RequestId | undefined): Error {
    const value = parsed(body);
    if (isJsonRpcMessage(value) && isFailure(value)) {
      const { code, message, data } = value.error;
      if (value.id == null || value.id === id || answers(value, id)) return new RpcError(code, message, data, response.status);
    }
    return httpError(response, this.#config.url, body);
  }

  #fail(message: JsonRpcMessage, reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.deliver({ type: 'failed', message, error, mayHaveRun: mayHaveRun(error) });
  }
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Whether a value is the answer to the request with this id. */
function answers(value: unknown, id: RequestId | undefined): boolean {
  return isJsonRpcMessage(value) && isResponse(value) && matchingId(value.id, (candidate) => candidate === id) !== undefined;
}

/** An error that cannot name its request; on a stream of its own it can only mean that one. */
function isIdlessFailure(value: unknown): value is { error: { code: number; message: string; data?: unknown } } {
  return isJsonRpcMessage(value) && isFailure(value) && value.id == null;
}

function parseBody(text: string, status: number, contentType: string | null): unknown[] {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value : [value];
  } catch (error) {
    throw new ParseError(error, excerptOf(text), status, contentType ?? undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Errors of the system that come before anything could be sent. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function mayHaveRun(error: Error): boolean {
  if (error instanceof NetworkError) return error.code === undefined || !NEVER_SENT.includes(error.code);
  if (error instanceof ConfigError || error instanceof QueueFullError) return false;
  const { status } = error as { status?: unknown };
  return typeof status !== 'number' || status < 400 || status >= 500;
}

function checkUrl(url: string): void {
  let protocol: string;
  try {
    ({ protocol } = new URL(url));
  } catch {
    throw new ConfigError(`Not a valid URL: ${withoutSecrets(url)}`);
  }
  if (protocol !== 'http:' && protocol !== 'https:') throw new ConfigError(`Not an http or https URL: ${withoutSecrets(url)}`);
}
