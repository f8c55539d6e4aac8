import { Observable, type Subscriber } from 'rxjs';
import { ConfigError } from '../errors.js';
import type { LoggingMessageParams } from '../wire/mcp/logging.js';
import type { ProgressParams } from '../wire/mcp/notifications.js';
import { matchingId, type JsonRpcResponse, type RequestId } from '../wire/message.js';

/** What can come for a request: news of it, then its reply. */
export type Arrival =
  | { readonly type: 'progress'; readonly progress: ProgressParams }
  | { readonly type: 'log'; readonly log: LoggingMessageParams }
  | { readonly type: 'reply'; readonly reply: JsonRpcResponse };

interface Waiting {
  readonly subscriber: Subscriber<Arrival>;
  streaming: boolean;
}

/** The requests that wait, by id: one lookup for each reply, however many wait. */
export class Replies {
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #isWaiting = (id: RequestId) => this.#waiting.has(id);

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * What comes for one request. Subscribing registers it, so subscribe before
   * sending; unsubscribing removes it. Completes after the reply.
   *
   * @param abandoned - Called when it is removed while the reply is still owed.
   * @throws {@link ConfigError} the id is in use.
   */
  forId(id: RequestId, abandoned?: () => void): Observable<Arrival> {
    return new Observable((subscriber) => {
      if (this.#waiting.has(id)) {
        subscriber.error(new ConfigError(`Request ID ${id} is still in use; ids must never repeat`));
        return undefined;
      }
      const waiting: Waiting = { subscriber, streaming: false };
      this.#waiting.set(id, waiting);
      return () => {
        if (this.#waiting.get(id) !== waiting) return;
        this.#waiting.delete(id);
        abandoned?.();
      };
    });
  }

  /** @returns whether somebody waited for this reply. */
  settle(reply: JsonRpcResponse): boolean {
    const id = matchingId(reply.id, this.#isWaiting);
    const waiting = id === undefined ? undefined : this.#take(id);
    waiting?.subscriber.next({ type: 'reply', reply });
    waiting?.subscriber.complete();
    return waiting !== undefined;
  }

  /** Hands news to the request it is about; there is no harm in news that comes too late. */
  inform(id: RequestId, arrival: Arrival): void {
    this.#waiting.get(id)?.subscriber.next(arrival);
  }

  /** @returns whether somebody waited. */
  fail(id: RequestId, error: Error): boolean {
    const waiting = this.#take(id);
    waiting?.subscriber.error(error);
    return waiting !== undefined;
  }

  failAll(makeError: () => Error): void {
    for (const id of [...this.#waiting.keys()]) this.fail(id, makeError());
  }

  /** The head of this request's answer has come; the answer itself has not. */
  markStreaming(id: RequestId): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting.streaming = true;
  }

  isStreaming(id: RequestId): boolean {
    return this.#waiting.get(id)?.streaming === true;
  }

  #take(id: RequestId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
