import { defer, Observable, Subscription, type Observer, type OperatorFunction, type Subscriber } from 'rxjs';
import type { HttpResponse } from './http-handler.js';

type Read = (response: HttpResponse) => Observable<unknown>;

/**
 * Reads an answer with `read` and completes when that is over, or when there is
 * none. The handler may stay open longer, for instance for a first answer that an
 * interceptor left unread when it sent again; that ends here too.
 */
export function reading(read: Read): OperatorFunction<HttpResponse, never> {
  return (response$) =>
    new Observable((subscriber) => {
      subscriber.add(response$.subscribe(new Reading(read, subscriber)));
    });
}

/** One object for each answer that is read, since hundreds may be under way. */
class Reading implements Observer<HttpResponse> {
  readonly #read: Read;
  readonly #subscriber: Subscriber<never>;
  #body: Subscription | undefined;

  constructor(read: Read, subscriber: Subscriber<never>) {
    this.#read = read;
    this.#subscriber = subscriber;
  }

  /** The head of an answer; a later one takes its place. */
  next(response: HttpResponse): void {
    if (this.#subscriber.closed) return;
    this.#body?.unsubscribe();
    const body = new Subscription(); // there before anything comes
    this.#body = body;
    this.#subscriber.add(body);
    const ended = {
      error: (error: unknown) => {
        this.error(error);
      },
      complete: () => {
        this.#subscriber.complete();
      },
    };
    body.add(defer(() => this.#read(response)).subscribe(ended));
  }

  error(error: unknown): void {
    this.#subscriber.error(error);
  }

  /** The handler has no more to say; what it gave is read to its end. */
  complete(): void {
    if (this.#body === undefined) this.#subscriber.complete();
  }
}
