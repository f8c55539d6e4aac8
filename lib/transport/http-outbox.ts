import { concat, defer, EMPTY, ignoreElements, type Observable, Subject, Subscription, take } from 'rxjs';
import { QueueFullError } from '../errors.js';
import { isRequest, isResponse, isSame, type JsonRpcMessage, type RequestId } from '../wire/message.js';
import { FreshMap } from './fresh-map.js';
import { contextOf } from './send-context.js';

export interface HttpOutboxOptions {
  readonly maxConcurrentRequests: number;
  readonly maxQueuedRequests: number;
  /** Sends one message and reads what comes back; completes when both are over. */
  readonly post: (message: JsonRpcMessage) => Observable<unknown>;
  readonly onFailed: (message: JsonRpcMessage, error: unknown) => void;
}

/**
 * Decides when each message is posted. Requests have a bounded number of
 * places; a barrier holds back what is sent after it until it is answered.
 * Answers to the server wait for nothing: a call may be waiting for them.
 */
export class HttpOutbox {
  readonly #options: HttpOutboxOptions;
  readonly #running = new FreshMap<RequestId | JsonRpcMessage, Subscription>();
  readonly #waiting = new Map<RequestId, JsonRpcMessage>();
  readonly #ended = new Subject<void>();
  #places: number;
  #barrier: JsonRpcMessage | undefined;
  #held: JsonRpcMessage[] = [];

  constructor(options: HttpOutboxOptions) {
    this.#options = options;
    this.#places = options.maxConcurrentRequests;
  }

  send(message: JsonRpcMessage): void {
    const { maxQueuedRequests, onFailed } = this.#options;
    const isFull = this.#waiting.size + this.#held.length >= maxQueuedRequests;
    if (isResponse(message)) this.#start(message);
    else if (this.#barrier !== undefined && contextOf(message).handshake) this.#held.unshift(message); // what waits, waits for it too
    else if (this.#barrier === undefined && (!needsPlace(message) || this.#places > 0)) this.#start(message);
    else if (isFull) onFailed(message, new QueueFullError(maxQueuedRequests, 'requests', 'maxQueuedRequests'));
    else if (this.#barrier !== undefined) this.#held.push(message);
    else if (isRequest(message)) this.#waiting.set(message.id, message);
  }

  /** @returns whether the message had been posted, or is not known here. */
  release(sent: RequestId | JsonRpcMessage): boolean {
    const held = this.#held.findIndex((message) => isSame(message, sent));
    if (held !== -1) this.#held.splice(held, 1);
    if (held !== -1 || (typeof sent !== 'object' && this.#waiting.delete(sent))) return false;
    this.#running.get(sent)?.unsubscribe();
    return true;
  }

  /** The answer to this message is there: if it is a barrier, what waited behind it goes out, in order. */
  answered(message: JsonRpcMessage): void {
    if (this.#barrier !== message) return;
    this.#barrier = undefined;
    for (const held of this.#held.splice(0)) this.send(held);
  }

  /** Ends the requests; completes once the rest is through. */
  drain(): Observable<never> {
    this.#waiting.clear();
    this.#held = [];
    for (const [key, exchange] of this.#running.entries()) if (typeof key !== 'object') exchange.unsubscribe();
    const ended$ = this.#ended.pipe(take(1), ignoreElements());
    const rest$: Observable<never> = defer(() => (this.#running.size === 0 ? EMPTY : concat(ended$, rest$)));
    return rest$;
  }

  /** Ends everything. */
  stop(): void {
    for (const [, exchange] of this.#running.entries()) exchange.unsubscribe();
  }

  #start(message: JsonRpcMessage): void {
    const { post, onFailed } = this.#options;
    const key = isRequest(message) ? message.id : message;
    const place = needsPlace(message) ? 1 : 0;
    if (contextOf(message).barrier) this.#barrier = message;
    this.#places -= place;
    const exchange = new Subscription();
    this.#running.set(key, exchange);
    exchange.add(
      post(message).subscribe({
        error: (error: unknown) => {
          onFailed(message, error);
          exchange.unsubscribe();
        },
        complete: () => {
          exchange.unsubscribe();
        },
      }),
    );
    exchange.add(() => {
      // Last, when the exchange itself has ended: the next one takes its place.
      if (this.#running.get(key) === exchange) this.#running.delete(key); // it may have been sent again
      this.#places += place;
      this.answered(message);
      this.#startNext();
      this.#ended.next();
    });
  }

  #startNext(): void {
    for (const [id, message] of this.#waiting) {
      if (this.#places <= 0) return;
      this.#waiting.delete(id);
      this.#start(message);
    }
  }

}

/** The handshake takes no place: a server may leave the probe hanging. */
function needsPlace(message: JsonRpcMessage): boolean {
  return isRequest(message) && contextOf(message).handshake !== true;
}
