import { concat, defer, EMPTY, ignoreElements, type Observable, Subject, Subscription, take } from 'rxjs';
import { QueueFullError } from '../errors.js';
import { isRequest, isResponse, type JsonRpcMessage, type JsonRpcRequest, type RequestId } from '../wire/message.js';
import { contextOf } from './send-context.js';

export interface HttpOutboxOptions {
  readonly maxConcurrentRequests: number;
  readonly maxQueuedRequests: number;
  /** Sends one message and reads what comes back; completes when both are over. */
  readonly post: (message: JsonRpcMessage) => Observable<never>;
  readonly onFailed: (message: JsonRpcMessage, error: unknown) => void;
}

/**
 * Decides when each message is posted. Requests have a bounded number of
 * places; a barrier holds back what is sent after it until it is through.
 * Answers to the server wait for nothing: a call may be waiting for them.
 */
export class HttpOutbox {
  readonly #options: HttpOutboxOptions;
  readonly #running = new Map<RequestId | JsonRpcMessage, Subscription>();
  readonly #waiting = new Map<RequestId, JsonRpcRequest>();
  readonly #ended = new Subject<void>();
  #requests = 0;
  #held: JsonRpcMessage[] | undefined;

  constructor(options: HttpOutboxOptions) {
    this.#options = options;
  }

  send(message: JsonRpcMessage): void {
    const { maxConcurrentRequests, maxQueuedRequests, onFailed } = this.#options;
    if (this.#held !== undefined && !isResponse(message)) this.#held.push(message);
    else if (!isRequest(message) || this.#requests < maxConcurrentRequests) this.#start(message);
    else if (this.#waiting.size < maxQueuedRequests) this.#waiting.set(message.id, message);
    else onFailed(message, new QueueFullError(maxQueuedRequests, 'requests', 'maxQueuedRequests'));
  }

  /** @returns whether the request had been posted, or is not known here. */
  release(id: RequestId): boolean {
    const held = this.#held?.findIndex((message) => isRequest(message) && message.id === id) ?? -1;
    if (held !== -1) this.#held?.splice(held, 1);
    if (held !== -1 || this.#waiting.delete(id)) return false;
    this.#running.get(id)?.unsubscribe();
    return true;
  }

  /** Ends the requests; completes once the rest is through. */
  drain(): Observable<never> {
    this.#waiting.clear();
    this.#held = undefined;
    for (const [key, exchange] of this.#running) if (typeof key !== 'object') exchange.unsubscribe();
    const ended$ = this.#ended.pipe(take(1), ignoreElements());
    const rest$: Observable<never> = defer(() => (this.#running.size === 0 ? EMPTY : concat(ended$, rest$)));
    return rest$;
  }

  /** Ends everything. */
  stop(): void {
    for (const exchange of this.#running.values()) exchange.unsubscribe();
  }

  #start(message: JsonRpcMessage): void {
    const { post, onFailed } = this.#options;
    const key = isRequest(message) ? message.id : message;
    const isCounted = isRequest(message);
    const { barrier } = contextOf(message);
    if (barrier) this.#held ??= [];
    if (isCounted) this.#requests++;
    const exchange = new Subscription(() => {
      this.#running.delete(key);
      if (isCounted) this.#requests--;
      if (barrier) this.#lift();
      this.#startNext();
      this.#ended.next();
    });
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
  }

  #startNext(): void {
    for (const [id, message] of this.#waiting) {
      if (this.#requests >= this.#options.maxConcurrentRequests) return;
      this.#waiting.delete(id);
      this.#start(message);
    }
  }

  /** A barrier is through: what waited behind it goes out, in order. */
  #lift(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of held) this.send(message);
  }
}
