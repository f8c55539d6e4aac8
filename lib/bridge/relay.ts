import { Buffer } from 'node:buffer';
import { AsyncSubject, filter, forkJoin, fromEvent, map, merge, noop, Subject, Subscription, take, type Observable } from 'rxjs';
import type { WebSocket } from 'ws';
import { ConnectionClosedError, McpError, MessageTooLargeError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { after } from '../transport/deadline-clock.js';
import { excerptOf, type Diagnostic } from '../transport/diagnostic.js';
import type { StdioTransport } from '../transport/stdio.js';
import type { ConnectionState, Delivery } from '../transport/transport.js';
import { INTERNAL_ERROR } from '../wire/codes.js';
import { isJsonRpcMessage, isRequest } from '../wire/message.js';
import type { BridgeConnection, BridgeEnd } from './bridge.js';

/** What a relay is made of. */
export interface RelayParts {
  readonly id: number;
  readonly origin: string | undefined;
  readonly socket: WebSocket;
  readonly child: StdioTransport;
  readonly maxQueuedBytes: number;
}

const OPEN = 1;
const NORMAL = 1000;
const GOING_AWAY = 1001;
const TOO_LARGE = 1009;
const FAILED = 1011;
const OVERLOADED = 1013;
/** How long the page may take to say goodbye, in milliseconds. */
const CLOSING_MS = 2_000;
/** What a close frame has room for. @see RFC 6455 §5.5 */
const MAX_REASON_BYTES = 123;

/** Carries messages between a socket and a process, and the end of either to the other. */
export class Relay implements BridgeConnection {
  readonly #socket: WebSocket;
  readonly #child: StdioTransport;
  readonly #maxQueuedBytes: number;
  readonly #diagnostics = new Subject<Diagnostic>();
  readonly #closed = new AsyncSubject<BridgeEnd>();
  #closing = Subscription.EMPTY;
  /** What this side said goodbye with. */
  #goodbye: { readonly code: number; readonly reason: string } | undefined;

  readonly id: number;
  readonly origin: string | undefined;
  readonly stderr$: Observable<string>;
  readonly diagnostics$: Observable<Diagnostic>;
  readonly closed$: Observable<BridgeEnd> = this.#closed.asObservable();

  constructor({ id, origin, socket, child, maxQueuedBytes }: RelayParts) {
    this.id = id;
    this.origin = origin;
    this.#socket = socket;
    this.#child = child;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.stderr$ = child.stderr$;
    this.diagnostics$ = merge(this.#diagnostics, child.diagnostics$);
    this.#relay();
    this.#end();
    socket.pause(); // the page may send before the process can read
    child.connect().subscribe({ error: noop, complete: () => socket.resume() }); // that it failed is told by its state
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  close(): void {
    this.#sayGoodbye(GOING_AWAY, 'The bridge has ended the connection');
    void this.#child.close();
  }

  #relay(): void {
    fromPage<{ data: unknown }>(this.#socket, 'message').subscribe(({ data }) => {
      this.#take(data);
    });
    fromPage(this.#socket, 'error').subscribe(); // "close" comes after it
    this.#child.inbound$.subscribe((message) => {
      this.#send(message);
    });
    this.#child.deliveries$.subscribe((delivery) => {
      this.#answerFor(delivery);
    });
  }

  #end(): void {
    const gone$ = fromPage<{ code: number; reason: string }>(this.#socket, 'close').pipe(take(1));
    const ended$ = this.#child.state$.pipe(filter(isClosed), take(1));
    gone$.subscribe(() => {
      this.#closing.unsubscribe();
      void this.#child.close();
    });
    ended$.subscribe(({ cause }) => {
      this.#sayGoodbye(cause === undefined ? NORMAL : codeOf(cause), cause === undefined ? '' : reasonOf(cause));
    });
    forkJoin([gone$, ended$])
      .pipe(map(([{ code, reason }, { cause }]) => ({ code, reason, ...this.#goodbye, cause })))
      .subscribe((end) => {
        this.#diagnostics.complete();
        this.#closed.next(end);
        this.#closed.complete();
      });
  }

  #take(data: unknown): void {
    let value: unknown;
    try {
      value = JSON.parse(data as string);
    } catch {
      const isText = typeof data === 'string';
      this.#diagnostics.next({
        kind: 'malformed',
        message: isText ? 'Skipped a frame that is not JSON' : 'Skipped a binary frame',
        ...(isText && { excerpt: excerptOf(data) }),
      });
      return;
    }
    const messages: unknown[] = Array.isArray(value) ? value : [value];
    for (const message of messages) {
      if (isJsonRpcMessage(message)) this.#child.outbound$.next(message);
      else this.#diagnostics.next({ kind: 'not-json-rpc', message: 'Skipped JSON that is no JSON-RPC message', excerpt: excerptOf(JSON.stringify(message)) });
    }
  }

  #send(message: object): void {
    if (this.#socket.readyState !== OPEN) return;
    if (this.#socket.bufferedAmount > this.#maxQueuedBytes) this.#sayGoodbye(OVERLOADED, 'The page reads too slowly');
    else this.#socket.send(encodeMessage(message), noop); // that it failed is told by "close"
  }

  /** A request that the process was not given must not be waited for. */
  #answerFor(delivery: Delivery): void {
    if (delivery.type !== 'failed' || !isRequest(delivery.message)) return;
    const { message, error } = delivery;
    this.#send({ jsonrpc: '2.0', id: message.id, error: { code: INTERNAL_ERROR, message: error.message } });
  }

  /** Closes the socket, in bounded time. */
  #sayGoodbye(code: number, text: string): void {
    if (this.#socket.readyState !== OPEN) return;
    const reason = cutToBytes(text, MAX_REASON_BYTES);
    this.#goodbye = { code, reason };
    this.#socket.resume();
    this.#socket.close(code, reason);
    this.#closing = after(CLOSING_MS, () => {
      this.#socket.terminate();
    });
  }
}

function fromPage<E = unknown>(socket: WebSocket, type: string): Observable<E> {
  return fromEvent(socket as unknown as EventTarget, type) as Observable<E>;
}

function isClosed(state: ConnectionState): state is Extract<ConnectionState, { status: 'closed' }> {
  return state.status === 'closed';
}

function codeOf(cause: McpError): number {
  if (cause instanceof MessageTooLargeError) return TOO_LARGE;
  return cause instanceof ConnectionClosedError && cause.exitCode === 0 ? NORMAL : FAILED;
}

/** What fits into a close frame: how the process ended, and the line of its stderr that is most likely to say why. */
function reasonOf(cause: McpError): string {
  if (!(cause instanceof ConnectionClosedError)) return cause.message;
  const { exitCode, signal, stderrTail = '' } = cause;
  const how = signal == null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`;
  const lines = stderrTail.split('\n').filter((line) => line.trim() !== '');
  const why = lines.findLast((line) => /error|exception/i.test(line)) ?? lines.at(-1);
  return why === undefined ? how : `${how}: ${why.trim()}`;
}

/** The start of a text, marked when cut, with no character cut in two. */
function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  return `${bytes.subarray(0, maxBytes - Buffer.byteLength('…')).toString().replace(/\uFFFD+$/, '')}…`;
}
