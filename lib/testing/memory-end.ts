import { asapScheduler, Subscription } from 'rxjs';
import { ConnectionClosedError, type McpError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { TransportCore } from '../transport/transport-core.js';
import type { JsonRpcMessage } from '../wire/message.js';

/** Who sits at the other end. */
export interface FarSide {
  /** The client has sent this. */
  take(message: JsonRpcMessage): void;
  /** The connection is over. */
  gone(by: 'client' | 'server'): void;
}

/**
 * The client's transport to a server in the same process. As on a real wire a
 * message arrives a microtask after it was sent, as a copy that went through JSON.
 */
export class MemoryEnd extends TransportCore {
  readonly hasRequestStreams = false;
  readonly #far: FarSide;
  readonly #onTheWay: (() => void)[] = [];
  #delivery = Subscription.EMPTY;

  constructor(far: FarSide) {
    super();
    this.#far = far;
  }

  release(): boolean {
    return true;
  }

  /** The server sends this. @throws {@link ConfigError} it cannot be written as JSON. */
  arrives(message: object): void {
    const text = encodeMessage(message);
    this.#soon(() => {
      this.receive(JSON.parse(text));
    });
  }

  /** A message got lost on its way, and the client learns why. */
  fails(message: JsonRpcMessage, error: Error): void {
    this.#soon(() => {
      this.deliver({ type: 'failed', message, error, mayHaveRun: true });
    });
  }

  /** The server ends the connection; what it sent before still arrives. */
  ends(cause: McpError = new ConnectionClosedError()): void {
    this.#soon(() => {
      this.endsNow(cause);
    });
  }

  /** The same without delay; what is on its way is lost. */
  endsNow(cause: McpError = new ConnectionClosedError()): void {
    this.#end('server', cause);
  }

  protected open(): void {
    this.opened();
  }

  protected shutDown(): void {
    this.#end('client', undefined);
  }

  protected send(message: JsonRpcMessage): void {
    try {
      const text = encodeMessage(message);
      this.#soon(() => {
        this.#far.take(JSON.parse(text) as JsonRpcMessage);
      });
      this.deliver({ type: 'written', message });
    } catch (error) {
      this.deliver({ type: 'failed', message, error: error as Error, mayHaveRun: false });
    }
  }

  #end(by: 'client' | 'server', cause: McpError | undefined): void {
    if (this.status === 'closed') return;
    this.#delivery.unsubscribe();
    this.closed(cause);
    this.#far.gone(by);
  }

  #soon(work: () => void): void {
    if (this.status === 'closed') return;
    this.#onTheWay.push(work);
    if (this.#onTheWay.length > 1) return;
    this.#delivery = asapScheduler.schedule(() => {
      for (const arrive of this.#onTheWay.splice(0)) if (this.status !== 'closed') arrive();
    });
  }
}
