import { EMPTY, expand, map, of, Subscription, switchMap, timer, type Observable, type ObservableInput } from 'rxjs';
import { webSocket } from 'rxjs/webSocket';
import { ConfigError, ConnectionClosedError, McpError, MessageTooLargeError, NetworkError, RequestTimeoutError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import type { JsonRpcMessage, RequestId } from '../wire/message.js';
import { DEFAULT_MAX_MESSAGE_BYTES, type CommonConfig } from './config.js';
import { after } from './deadline-clock.js';
import { excerptOf } from './diagnostic.js';
import { withoutSecrets } from './fetch-handler.js';
import { firstOf } from './first-of.js';
import { SendQueue } from './send-queue.js';
import { TransportCore } from './transport-core.js';

/** What is used of a WebSocket, beside its events. @public */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Cuts the connection; browsers cannot. */
  terminate?(): void;
}

/** A WebSocket class: the platform's, or that of a package such as `ws`. @public */
export type WebSocketConstructor = new (url: string, protocols?: string | string[]) => WebSocketLike;

/**
 * Subprotocols: a list, or a function that gives one for each connection, as an
 * Observable (its first value), a Promise, or an array that holds the list.
 *
 * @public
 */
export type ProtocolsSource = readonly string[] | (() => ObservableInput<readonly string[]>);

/** A server behind a WebSocket. @public */
export interface WebSocketConfig extends CommonConfig {
  readonly type: 'websocket';
  /** `ws:` or `wss:` */
  readonly url: string;
  /** Offered after `mcp`: the place for a ticket, since a page cannot set headers and URLs end in logs. */
  readonly protocols?: ProtocolsSource | undefined;
  /** @defaultValue the global `WebSocket`: browsers and Node since 22 */
  readonly WebSocketCtor?: WebSocketConstructor | undefined;
  /** Most that waits to be sent, in bytes. @defaultValue 67_108_864 (64 MiB) */
  readonly maxQueuedBytes?: number | undefined;
}

const SUBPROTOCOL = 'mcp';
const OPEN = 1;
/** What ends a connection without a close frame. @see RFC 6455 §7.4.1 */
const ABNORMAL = 1006;
/** Programs in browsers may only use 1000 and 3000 to 4999; this one is like 1009. */
const TOO_LARGE = 4009;

/** How long the server may take to accept, in milliseconds. */
const OPENING_MS = 30_000;
/** How long the server may take to say goodbye, in milliseconds. */
const CLOSING_MS = 2_000;
/** How much the socket may hold before the rest waits here, where it can be taken back. */
const HIGH_WATER_BYTES = 1_048_576;
/** A socket does not tell when it has room again. How soon it is asked, at first and at last, in milliseconds. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 256;

const encoder = new TextEncoder();

/** Talks over a WebSocket: one JSON message per text frame. It connects once; who wants to reconnect makes a new one. */
export class WebSocketTransport extends TransportCore {
  readonly hasRequestStreams = false;
  readonly #config: WebSocketConfig;
  readonly #WebSocket: WebSocketConstructor;
  /** Everything that runs. */
  readonly #work = new Subscription();
  #opening = Subscription.EMPTY;
  /** Once it is open. */
  #socket: WebSocketLike | undefined;
  /** What the socket failed with, if it told. */
  #failure: unknown;

  readonly #queue: SendQueue;
  #looking = Subscription.EMPTY;

  /** @throws {@link ConfigError} the URL is none, or there is no WebSocket. */
  constructor(config: WebSocketConfig) {
    super();
    const { url, WebSocketCtor = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket } = config;
    if (!isWebSocketUrl(url)) throw new ConfigError(`A "websocket" server needs a ws or wss URL; got ${typeof url === 'string' ? withoutSecrets(url) : typeof url}`);
    if (typeof WebSocketCtor !== 'function') {
      throw new ConfigError('There is no WebSocket here (Node has one since 22): give a class as "WebSocketCtor", for instance that of the package ws');
    }
    this.#config = config;
    this.#queue = new SendQueue(config.maxQueuedBytes);
    this.#WebSocket = WebSocketCtor;
  }

  release(sent: RequestId | JsonRpcMessage): boolean {
    return this.#queue.release(sent);
  }

  protected open(): void {
    this.#opening = after(OPENING_MS, () => {
      this.#finish(new RequestTimeoutError('open', OPENING_MS));
    });
    this.#work.add(this.#opening);
    this.#work.add(
      this.#subprotocols()
        .pipe(switchMap((protocols) => this.#frames(protocols)))
        .subscribe({
          next: (frame) => {
            this.#take(frame);
          },
          error: (error: unknown) => {
            this.#failed(error);
          },
        }),
    );
  }

  protected shutDown(): void {
    if (this.#socket === undefined) {
      this.#finish(undefined);
      return;
    }
    this.#flush(Infinity);
    this.#close(1000, '');
  }

  protected send(message: JsonRpcMessage): void {
    let text: string;
    try {
      text = encodeMessage(message);
    } catch (error) {
      this.deliver({ type: 'failed', message, error: error as ConfigError, mayHaveRun: false });
      return;
    }
    if (this.#queue.waiting.length === 0 && this.#hasRoom(HIGH_WATER_BYTES)) {
      this.#socket?.send(text);
      this.deliver({ type: 'written', message });
      return;
    }
    const error = this.#queue.add({ message, text, bytes: encoder.encode(text).length });
    if (error !== undefined) {
      this.deliver({ type: 'failed', message, error, mayHaveRun: false });
      return;
    }
    if (this.#looking.closed) this.#look();
  }

  #subprotocols(): Observable<string[]> {
    const { protocols = [] } = this.#config;
    const given = typeof protocols === 'function' ? protocols : () => [protocols];
    const none = () => new ConfigError('The source of the subprotocols completed without a value');
    return firstOf(given, none).pipe(
      map((further) => [...new Set([SUBPROTOCOL, ...further])]),
    );
  }

  /** Opens the socket. Whatever ends it arrives in {@link #ended}, after an error too. */
  #frames(protocol: string[]): Observable<unknown> {
    return webSocket<unknown>({
      url: this.#config.url,
      protocol,
      WebSocketCtor: this.#WebSocket as new () => WebSocket,
      binaryType: 'arraybuffer',
      deserializer: ({ data }) => data as unknown,
      openObserver: {
        next: ({ target }) => {
          this.#opening.unsubscribe();
          this.#socket = target as unknown as WebSocketLike;
          this.opened();
        },
      },
      closeObserver: {
        next: ({ code, reason }) => {
          this.#ended(code, reason);
        },
      },
    });
  }

  #take(frame: unknown): void {
    const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = this.#config;
    if (this.#failure !== undefined) return;
    if (typeof frame !== 'string') {
      this.diagnose({ kind: 'malformed', message: 'Skipped a binary frame' });
    } else if (!fits(frame, maxMessageBytes)) {
      this.#failure = new MessageTooLargeError(maxMessageBytes);
      this.#close(TOO_LARGE, 'Message too large');
    } else {
      this.#parse(frame);
    }
  }

  #parse(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.diagnose({ kind: 'malformed', message: 'Skipped a frame that is not JSON', excerpt: excerptOf(text) });
      return;
    }
    this.receive(value);
  }

  #hasRoom(highWaterBytes: number): boolean {
    return this.#socket?.readyState === OPEN && this.#socket.bufferedAmount < highWaterBytes;
  }

  /** @returns whether anything was sent. */
  #flush(highWaterBytes: number): boolean {
    let count = 0;
    for (const { text } of this.#queue.waiting) {
      if (!this.#hasRoom(highWaterBytes)) break;
      this.#socket?.send(text);
      count++;
    }
    for (const { message } of this.#queue.take(count)) this.deliver({ type: 'written', message });
    return count > 0;
  }

  /** Asks the socket for room, later each time that it has none, for as long as something waits. */
  #look(): void {
    const look = (ms: number) => timer(ms).pipe(map(() => (this.#flush(HIGH_WATER_BYTES) ? FIRST_LOOK_MS : Math.min(2 * ms, LAST_LOOK_MS))));
    this.#looking = of(FIRST_LOOK_MS)
      .pipe(expand((ms) => (this.#queue.waiting.length > 0 ? look(ms) : EMPTY)))
      .subscribe();
    this.#work.add(this.#looking);
  }

  #close(code: number, reason: string): void {
    this.#socket?.close(code, reason);
    this.#work.add(
      after(CLOSING_MS, () => {
        this.#socket?.terminate?.();
        this.#ended(ABNORMAL, '');
      }),
    );
  }

  /** An event of the socket, which will close; or there is no socket, because of what the caller gave. */
  #failed(error: unknown): void {
    if (isEvent(error)) {
      this.#failure ??= error.error;
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.#finish(error instanceof McpError ? error : new ConfigError(`Cannot open ${withoutSecrets(this.#config.url)}: ${reason}`, { cause: error }));
  }

  #ended(code: number, reason: string): void {
    const { name, url } = this.#config;
    const failure = this.#failure;
    if (this.status === 'closing') this.#finish(undefined);
    else if (failure instanceof McpError) this.#finish(failure);
    else if (this.#socket === undefined) this.#finish(unreachable(url, failure));
    else this.#finish(new ConnectionClosedError({ server: name, closeCode: code, closeReason: reason, cause: failure }));
  }

  #finish(cause: McpError | undefined): void {
    this.#work.unsubscribe();
    this.#queue.clear();
    this.closed(cause);
  }
}

function isWebSocketUrl(url: unknown): url is string {
  return typeof url === 'string' && /^wss?:\/\//i.test(url) && URL.canParse(url);
}

/** Whether a text has at most so many bytes. */
function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && encoder.encode(text).length <= maxBytes);
}

/** What went wrong is in `error` where the platform tells; browsers do not. */
function isEvent(error: unknown): error is { readonly target: unknown; readonly error?: unknown } {
  return typeof error === 'object' && error !== null && 'target' in error;
}

function unreachable(url: string, failure: unknown): NetworkError {
  const { code, message } = (failure ?? {}) as { code?: unknown; message?: string };
  return new NetworkError(withoutSecrets(url), typeof code === 'string' ? code : undefined, message ?? 'the WebSocket could not be opened', failure);
}
