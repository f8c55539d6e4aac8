import { catchError, defer, EMPTY, type Observable, Subscription } from 'rxjs';
import { ConnectionClosedError, McpError, ProtocolError, RequestTimeoutError } from '../errors.js';
import { consume } from '../framing/consume.js';
import { encodeMessage } from '../framing/encode.js';
import { eventStream, type StreamItem } from '../framing/event-stream.js';
import type { JsonRpcMessage } from '../wire/message.js';
import { DEFAULT_MAX_MESSAGE_BYTES } from './config.js';
import { DeadlineClock, Wait } from './deadline-clock.js';
import { excerptOf } from './diagnostic.js';
import { fetchHandler } from './fetch-handler.js';
import type { HttpConfig } from './http.js';
import { isEventStream, isSuccess, messageOf, readRefusal } from './http-answer.js';
import { readErrorBody } from './http-body.js';
import { intercepted, type HttpHandler, type HttpRequest, type HttpResponse } from './http-handler.js';
import { checkHeaders, withHeaders } from './http-headers.js';
import { reading } from './reading.js';
import { followRedirects } from './redirects.js';
import { contextOf } from './send-context.js';
import { TransportCore } from './transport-core.js';

/** How long the server may take to say where to post, in milliseconds. */
const ENDPOINT_MS = 30_000;

/**
 * The deprecated pair of 2024-11-05: one GET stream for all that the server
 * says, and an endpoint, named by its first event, for all that we say.
 *
 * @see MCP 2024-11-05 Transports, "HTTP with SSE"
 */
export class HttpSseTransport extends TransportCore {
  readonly hasRequestStreams = false;
  override readonly usesContext = true;
  readonly #config: HttpConfig;
  readonly #handler: HttpHandler;
  readonly #posts = new Subscription();
  readonly #stream = new Subscription();
  #endpoint: string | undefined;

  constructor(config: HttpConfig) {
    super();
    this.#config = config;
    this.#handler = intercepted(config.handler ?? fetchHandler(), [...(config.interceptors ?? []), followRedirects()]);
  }

  /** A message that was posted cannot be taken back; its answer comes on the stream. */
  release(): boolean {
    return true;
  }

  protected open(): void {
    const { url, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = this.#config;
    const passed = (ms: number) => {
      this.#end(new RequestTimeoutError('endpoint', ms));
    };
    const deadline = new Wait(new DeadlineClock(), ENDPOINT_MS, { passed });
    this.#stream.add(deadline);
    const stream$ = defer(() => this.#request('GET', url, { accept: 'text/event-stream' })).pipe(
      reading((response) => {
        if (!isSuccess(response)) return readRefusal(response, url, undefined);
        if (!isEventStream(response)) throw new ProtocolError(`No event stream at ${url}: HTTP ${response.status}`);
        return response.body$.pipe(
          eventStream(maxMessageBytes),
          consume((item) => {
            this.#take(item, deadline);
          }),
        );
      }),
    );
    this.#stream.add(
      stream$.subscribe({
        error: (error: unknown) => {
          this.#end(error instanceof McpError && this.#endpoint === undefined ? error : this.#lost(error));
        },
        complete: () => {
          this.#end(this.#lost(undefined));
        },
      }),
    );
  }

  protected shutDown(): void {
    this.#end(undefined);
  }

  protected send(message: JsonRpcMessage): void {
    const { headers = {} } = contextOf(message);
    const post$ = defer(() =>
      this.#request('POST', this.#endpoint ?? '', { ...checkHeaders(headers), 'content-type': 'application/json' }, encodeMessage(message)),
    ).pipe(
      reading((response) => {
        if (!isSuccess(response)) return readRefusal(response, this.#endpoint ?? '', 'id' in message ? (message.id ?? undefined) : undefined);
        this.deliver({ type: 'accepted', message });
        return readErrorBody(response); // to its end, so that the socket can be used again
      }),
      catchError((error: unknown) => {
        this.deliver({ type: 'failed', message, error: error as Error, mayHaveRun: true });
        return EMPTY;
      }),
    );
    this.#posts.add(post$.subscribe());
  }

  #take(item: StreamItem, deadline: Wait): void {
    if (item.type === 'event' && item.event.event === 'endpoint') {
      this.#locate(item.event.data, deadline);
      return;
    }
    try {
      const value = messageOf(item, (diagnostic) => {
        this.diagnose(diagnostic);
      });
      if (value !== undefined) this.receive(value);
    } catch (error) {
      this.diagnose({ kind: 'failure', message: 'Skipped an event that is not JSON', error: error as Error });
    }
  }

  /** Where to post. Credentials go there, so it must be where they were meant for. */
  #locate(text: string, deadline: Wait): void {
    if (this.#endpoint !== undefined) {
      this.diagnose({ kind: 'skipped-event', message: 'Skipped a second endpoint', excerpt: excerptOf(text) });
      return;
    }
    const { url } = this.#config;
    const target = URL.canParse(text, url) && text !== '' ? new URL(text, url) : undefined;
    if (target?.origin !== new URL(url).origin) {
      this.#end(new ProtocolError(`The endpoint ${JSON.stringify(excerptOf(text))} is not of the same origin as ${url}`));
      return;
    }
    deadline.unsubscribe();
    this.#endpoint = target.href;
    this.opened();
  }

  #request(method: HttpRequest['method'], url: string, fields: Record<string, string>, body?: string): Observable<HttpResponse> {
    return withHeaders(this.#config.headers, (configured) => this.#handler({ method, url, headers: { ...configured, ...fields }, body }));
  }

  #lost(cause: unknown): ConnectionClosedError {
    return new ConnectionClosedError({ server: this.#config.name, cause });
  }

  #end(cause: McpError | undefined): void {
    this.#stream.unsubscribe();
    this.#posts.unsubscribe();
    this.closed(cause);
  }
}

