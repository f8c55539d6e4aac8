import { AsyncSubject, Subject, throwError, type Observable } from 'rxjs';
import { NotConnectedError, type McpError } from '../errors.js';
import { isJsonRpcMessage, isResponse, type JsonRpcMessage, type RequestId } from '../wire/message.js';
import { Current } from './current.js';
import { excerptOf, type Diagnostic } from './diagnostic.js';
import { EmitQueue } from './emit-queue.js';
import { OutboundSubject } from './outbound-subject.js';
import { withOrigin } from './send-context.js';
import type { ConnectionState, Delivery, Transport } from './transport.js';

/**
 * The part every transport of ours shares: the streams, their one queue, and
 * the life from idle to closed. A transport adds how bytes come and go.
 */
export abstract class TransportCore implements Transport {
  readonly #queue = new EmitQueue();
  readonly #inbound = new Subject<JsonRpcMessage>();
  readonly #deliveries = new Subject<Delivery>();
  readonly #diagnostics = new Subject<Diagnostic>();
  readonly #state = new Current<ConnectionState>({ status: 'idle' }, this.#queue);
  readonly #connected = new AsyncSubject<void>();
  readonly #closed = new AsyncSubject<void>();
  #wasConnected = false;

  readonly inbound$: Observable<JsonRpcMessage> = this.#inbound.asObservable();
  readonly outbound$: Subject<JsonRpcMessage> = new OutboundSubject((message) => {
    if (this.status === 'connected') this.send(message);
    else this.deliver({ type: 'failed', message, error: new NotConnectedError(), mayHaveRun: false });
  });
  readonly deliveries$: Observable<Delivery> = this.#deliveries.asObservable();
  readonly diagnostics$: Observable<Diagnostic> = this.#diagnostics.asObservable();
  readonly state$: Observable<ConnectionState> = this.#state.value$;
  abstract readonly hasRequestStreams: boolean;
  readonly usesContext?: boolean;

  connect(): Observable<void> {
    const { status } = this;
    const isOver = status === 'closing' || status === 'closed';
    if (isOver && this.#wasConnected) return throwError(() => new NotConnectedError());
    if (status === 'idle') {
      this.#state.next({ status: 'connecting' });
      if (this.#isConnecting()) this.open(); // a handler may have closed it
    }
    return this.#connected.asObservable();
  }

  close(): Observable<void> {
    if (this.status !== 'closing' && this.status !== 'closed') {
      const opened = this.status !== 'idle';
      this.#state.next({ status: 'closing' });
      if (opened) this.shutDown();
      else this.closed(undefined);
    }
    return this.#closed.asObservable();
  }

  abstract release(sent: RequestId | JsonRpcMessage): boolean;

  /** Starts; ends in {@link opened} or {@link closed}. */
  protected abstract open(): void;
  /** Ends what runs, in bounded time; ends in {@link closed}. */
  protected abstract shutDown(): void;
  /** Takes one message; only called while connected. */
  protected abstract send(message: JsonRpcMessage): void;

  protected get status(): ConnectionState['status'] {
    return this.#state.value.status;
  }

  /** Usable from now on. */
  protected opened(): void {
    if (!this.#isConnecting()) return;
    this.#state.next({ status: 'connected' });
    this.#queue.run(() => {
      if (this.status !== 'connected') return;
      this.#wasConnected = true;
      this.#connected.next();
      this.#connected.complete();
    });
  }

  /** Over. Only the first call counts. */
  protected closed(cause: McpError | undefined): void {
    if (this.status === 'closed') return;
    this.#state.next({ status: 'closed', cause });
    this.#state.complete();
    this.#queue.run(() => {
      this.#connected.error(cause ?? new NotConnectedError()); // no effect once it has settled
      for (const subject of [this.#inbound, this.#deliveries, this.#diagnostics]) subject.complete();
      this.#closed.next();
      this.#closed.complete();
    });
  }

  /**
   * Takes one parsed JSON value from the server; an array is a batch.
   * @see MCP 2025-03-26, "Batching"
   */
  protected receive(value: unknown, origin?: RequestId): void {
    if (Array.isArray(value) && value.length > 0) {
      for (const item of value) this.#receiveOne(item, origin);
    } else this.#receiveOne(value, origin);
  }

  protected deliver(delivery: Delivery): void {
    this.#queue.next(this.#deliveries, delivery);
  }

  protected diagnose(diagnostic: Diagnostic): void {
    this.#queue.next(this.#diagnostics, diagnostic);
  }

  #isConnecting(): boolean {
    return this.status === 'connecting';
  }

  #receiveOne(value: unknown, origin: RequestId | undefined): void {
    if (!isJsonRpcMessage(value)) {
      this.diagnose({
        kind: 'not-json-rpc',
        message: 'Skipped JSON that is no JSON-RPC message',
        excerpt: excerptOf(JSON.stringify(value)),
      });
      return;
    }
    if (origin !== undefined && !isResponse(value) && value.method !== 'notifications/progress') withOrigin(value, origin); // those two say themselves whose they are
    this.#queue.next(this.#inbound, value);
  }
}
