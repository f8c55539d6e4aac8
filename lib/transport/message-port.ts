import { fromEvent, merge, Subscription, type Observable } from 'rxjs';
import { ConfigError, ConnectionClosedError, type McpError } from '../errors.js';
import { consume } from '../framing/consume.js';
import { isJsonRpcMessage, type JsonRpcMessage } from '../wire/message.js';
import type { CommonConfig } from './config.js';
import { excerptOf } from './diagnostic.js';
import { TransportCore } from './transport-core.js';

/** What is used of a port: a `MessagePort` of a page or of `node:worker_threads`, a `Worker` of a page, a worker's own scope. @public */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: any) => void): void; // eslint-disable-line @typescript-eslint/no-explicit-any -- every platform has an event type of its own
  removeEventListener(type: string, listener: (event: any) => void): void; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** A `MessagePort` has it: it holds messages back until then. */
  start?(): void;
  close?(): void;
  terminate?(): void;
}

/**
 * A server in a worker, a frame or another thread. Messages are structured
 * clones: nothing is serialised, so `maxMessageBytes` has no effect, and
 * nothing waits, so there is no queue. Node tells when the other port is
 * closed; browsers do not all, and there calls end at their deadlines.
 *
 * @public
 */
export interface MessagePortConfig extends CommonConfig {
  readonly type: 'message-port';
  /**
   * The port, or a function that makes one for each connection. A `MessagePort`
   * is closed with the connection, for good. Anything else, such as a `Worker`,
   * is closed or terminated only if the function made it.
   */
  readonly port: MessagePortLike | (() => MessagePortLike);
}

/** What the events of a port hold: `data` of a message, the rest of an error. */
interface PortEvent {
  readonly data?: unknown;
  readonly message?: string;
  readonly error?: unknown;
}

/** Talks to a port: one object per message, not text. */
export class MessagePortTransport extends TransportCore {
  readonly hasRequestStreams = false;
  readonly #config: MessagePortConfig;
  readonly #work = new Subscription();
  #port: MessagePortLike | undefined;
  #heard = false;

  /** @throws {@link ConfigError} there is no port. */
  constructor(config: MessagePortConfig) {
    super();
    if (typeof config.port !== 'function') checkPort(config.port);
    this.#config = config;
  }

  /** A message that was posted cannot be taken back. */
  release(): boolean {
    return true;
  }

  protected open(): void {
    const { port } = this.#config;
    try {
      this.#port = checkPort(typeof port === 'function' ? port() : port);
    } catch (error) {
      this.#finish(error instanceof ConfigError ? error : new ConfigError(`The port could not be made: ${textOf(error)}`, { cause: error }));
      return;
    }
    this.#work.add(this.#listen(this.#port));
    this.#port.start?.();
    this.opened();
  }

  protected shutDown(): void {
    this.#finish(undefined);
  }

  protected send(message: JsonRpcMessage): void {
    try {
      this.#port?.postMessage(message);
    } catch (error) {
      const reason = new ConfigError(`The message cannot be cloned: ${textOf(error)}`, { cause: error });
      this.deliver({ type: 'failed', message, error: reason, mayHaveRun: false });
      return;
    }
    this.deliver({ type: 'written', message });
  }

  #listen(port: MessagePortLike): Subscription {
    const event$ = (type: string) => fromEvent(port, type) as Observable<PortEvent>;
    return merge(
      event$('message').pipe(
        consume(({ data }) => {
          this.#take(data);
        }),
      ),
      event$('messageerror').pipe(
        consume(() => {
          this.diagnose({ kind: 'malformed', message: 'Skipped a message that could not be read here' });
        }),
      ),
      event$('error').pipe(
        consume((event) => {
          this.#onError(event);
        }),
      ),
      event$('close').pipe(
        consume(() => {
          this.#finish(this.#lost(undefined));
        }),
      ),
    ).subscribe();
  }

  #take(data: unknown): void {
    this.#heard = true;
    const values: unknown[] = Array.isArray(data) && data.length > 0 ? data : [data];
    for (const value of values) {
      if (isJsonRpcMessage(value)) this.receive(value);
      else this.diagnose({ kind: 'not-json-rpc', message: 'Skipped what is no JSON-RPC message', excerpt: excerptOf(textOf(value)) });
    }
  }

  /** A worker lives on after an error, unless that happened while it was starting. */
  #onError({ message = 'it could not be started', error }: PortEvent): void {
    const failure = error instanceof Error ? error : new Error(`The worker failed: ${message}`);
    if (this.#heard) this.diagnose({ kind: 'failure', message: failure.message, error: failure });
    else this.#finish(this.#lost(failure));
  }

  #lost(cause: unknown): ConnectionClosedError {
    return new ConnectionClosedError({ server: this.#config.name, cause });
  }

  #finish(cause: McpError | undefined): void {
    this.#work.unsubscribe();
    const port = this.#port;
    this.#port = undefined;
    if (port !== undefined && (port.start !== undefined || typeof this.#config.port === 'function')) {
      if (port.close === undefined) port.terminate?.();
      else port.close();
    }
    this.closed(cause);
  }
}

function checkPort(port: unknown): MessagePortLike {
  const { postMessage, addEventListener } = Object(port) as Partial<MessagePortLike>;
  if (typeof postMessage === 'function' && typeof addEventListener === 'function') return port as MessagePortLike;
  throw new ConfigError('A "message-port" server needs a "port" with postMessage() and addEventListener()');
}

/** A structured clone can be what JSON cannot be: undefined, a BigInt, a cycle. */
function textOf(value: unknown): string {
  if (value instanceof Error) return value.message;
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text ?? String(value);
  } catch {
    return String(value);
  }
}
