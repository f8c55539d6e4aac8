import { Subscription } from 'rxjs';
import { ConfigError } from '../errors.js';
import { FreshMap } from '../transport/fresh-map.js';
import { matchingId, type JsonRpcResponse, type RequestId } from '../wire/message.js';
import type { CallNews } from './request-options.js';

/** A request that waits for its reply. */
export interface Waiting {
  /** The reply has come. */
  settle(reply: JsonRpcResponse): void;
  /** There will be no reply. */
  fail(error: Error): void;
  /** Something happened on the way. */
  inform(news: CallNews): void;
  /** Its deadline stands still. */
  hold(): void;
  /** Its deadline goes on. */
  resume(): void;
}

/** The requests that wait, by id: one lookup for each reply, however many wait. */
export class Replies {
  readonly #waiting = new FreshMap<RequestId, Waiting>();
  readonly #isWaiting = (id: RequestId) => this.#waiting.has(id);

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** @throws {@link ConfigError} the id is in use. */
  add(id: RequestId, waiting: Waiting): void {
    if (this.#waiting.has(id)) throw new ConfigError(`Request ID ${id} is still in use; ids must never repeat`);
    this.#waiting.set(id, waiting);
  }

  /** @returns whether its reply was still owed. */
  remove(id: RequestId): boolean {
    return this.#waiting.delete(id);
  }

  /** @returns whether somebody waited for this reply. */
  settle(reply: JsonRpcResponse): boolean {
    const id = matchingId(reply.id, this.#isWaiting);
    const waiting = id === undefined ? undefined : this.#take(id);
    waiting?.settle(reply);
    return waiting !== undefined;
  }

  /** @returns whether somebody waited. */
  fail(id: RequestId, error: Error): boolean {
    const waiting = this.#take(id);
    waiting?.fail(error);
    return waiting !== undefined;
  }

  failAll(makeError: () => Error): void {
    for (const [id] of this.#waiting.entries()) this.fail(id, makeError());
  }

  /** Hands news to the request it is about; there is no harm in news that comes too late. */
  inform(id: RequestId, news: CallNews): void {
    const known = matchingId(id, this.#isWaiting);
    if (known !== undefined) this.#waiting.get(known)?.inform(news);
  }

  /**
   * Holds the deadline of one request, or of all, while the server waits for
   * us; until unsubscribed.
   *
   * @param id - Undefined where it is not known which one the server is at.
   */
  hold(id: RequestId | undefined): Subscription {
    const held = this.#waiting.entries().filter(([one]) => id === undefined || one === id);
    for (const [, waiting] of held) waiting.hold();
    return new Subscription(() => {
      for (const [one, waiting] of held) if (this.#waiting.get(one) === waiting) waiting.resume();
    });
  }

  #take(id: RequestId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
