import { asapScheduler, Subscription } from 'rxjs';
import { ConnectionClosedError } from '../errors.js';
import type { JsonRpcMessage } from '../wire/message.js';
import { TransportCore } from './transport-core.js';
import type { Transport } from './transport.js';

/** @public */
export interface MemoryPairOptions {
  /**
   * Whether a message arrives inside the `next()` that sends it, or one
   * microtask later as on a real wire. @defaultValue false
   */
  readonly synchronous?: boolean | undefined;
}

/**
 * Two transports linked in memory: what one sends, the other receives. For
 * specs, and for a server that lives in the same process.
 *
 * Messages are handed over by reference. Closing one side closes the other.
 *
 * @returns the client's side and the server's side.
 * @public
 */
export function createMemoryPair({ synchronous = false }: MemoryPairOptions = {}): [Transport, Transport] {
  const client = new MemoryTransport(synchronous);
  const server = new MemoryTransport(synchronous);
  client.linkTo(server);
  server.linkTo(client);
  return [client, server];
}

class MemoryTransport extends TransportCore {
  readonly hasRequestStreams = false;
  readonly #unread: JsonRpcMessage[] = [];
  #reading = Subscription.EMPTY;
  #peer: MemoryTransport | undefined;

  constructor(readonly synchronous: boolean) {
    super();
  }

  linkTo(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  release(): boolean {
    return true;
  }

  protected open(): void {
    this.opened();
    this.#read();
  }

  protected shutDown(): void {
    this.#reading.unsubscribe();
    this.closed(undefined);
    if (this.#peer !== undefined) this.#peer.#lost();
  }

  protected send(message: JsonRpcMessage): void {
    this.deliver({ type: 'written', message });
    if (this.#peer !== undefined) this.#peer.#accept(message);
  }

  #accept(message: JsonRpcMessage): void {
    this.#unread.push(message);
    if (this.synchronous) this.#read();
    else if (this.#unread.length === 1) {
      this.#reading = asapScheduler.schedule(() => {
        this.#read();
      });
    }
  }

  /** Messages that came before `connect()` wait for it, as in a pipe. */
  #read(): void {
    if (this.status !== 'connected') return;
    for (const message of this.#unread.splice(0)) this.receive(message);
  }

  /** The other side is gone: what it sent before still counts. */
  #lost(): void {
    if (this.status === 'closed') return;
    this.#read();
    this.#reading.unsubscribe();
    this.closed(new ConnectionClosedError());
  }
}
