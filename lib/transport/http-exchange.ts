import { asyncScheduler, defer, Observable, Subscription, timer, type Observer, type Subscriber, type Unsubscribable } from 'rxjs';
import type { JsonRpcMessage } from '../wire/message.js';
import { Wait, type DeadlineClock, type Waiter } from './deadline-clock.js';
import { isSuccess } from './http-answer.js';
import type { HttpResponse } from './http-handler.js';
import { reading } from './reading.js';
import { resendDelay } from './resend.js';
import { contextOf, type SendContext } from './send-context.js';

/** What an exchange needs of its transport. */
export interface ExchangeHost {
  /** Sends its message. */
  post(exchange: HttpExchange): Observable<HttpResponse>;
  /** Reads what came back, to its end; errors with what a refusal says. */
  read(exchange: HttpExchange, response: HttpResponse): Observable<unknown>;
  /** What is wrong once all is read, if anything is. */
  verdict(exchange: HttpExchange): Error | undefined;
  /** What its caller is told of an error. */
  explain(exchange: HttpExchange, error: unknown): unknown;
}

/**
 * Posts one message, again where the server was too busy for it, and reads what
 * comes back. Completes when that is over; emits nothing.
 */
export function exchange(host: ExchangeHost, message: JsonRpcMessage): Observable<never> {
  return new Observable((subscriber) => {
    subscriber.add(new HttpExchange(host, message, subscriber));
  });
}

/** One exchange. One object, since hundreds may be under way: a chain of operators held 8 kB for each. */
export class HttpExchange implements Pick<Observer<never>, 'error' | 'complete'>, Waiter, Unsubscribable {
  readonly message: JsonRpcMessage;
  readonly context: SendContext;
  /** Whether it belongs to the HTTP session, or opens a new one. */
  readonly membership: boolean | 'new';
  /** The session it was sent in. */
  session: string | undefined;
  /** The status of the answer, once its head has come. */
  status: number | undefined;
  /** Whether the server has done its part: answered a request, taken anything else. */
  isSettled = false;
  readonly #host: ExchangeHost;
  readonly #subscriber: Subscriber<never>;
  /** When nobody waits any more, on the scheduler's clock: it is not posted again later than that. */
  readonly #end: number;
  #refusals = 0;
  #refusal: HttpResponse | undefined;
  /** What is under way: an attempt, or the wait for the next. */
  #attempt = Subscription.EMPTY;

  constructor(host: ExchangeHost, message: JsonRpcMessage, subscriber: Subscriber<never>) {
    this.message = message;
    this.context = contextOf(message);
    this.membership = this.context.session ?? true;
    this.#host = host;
    this.#subscriber = subscriber;
    this.#end = asyncScheduler.now() + (this.context.timeoutMs ?? Infinity);
    this.#begin();
  }

  error(error: unknown): void {
    const waitMs = this.#refusal === undefined ? Infinity : resendDelay(this.message, ++this.#refusals, this.#refusal);
    if (asyncScheduler.now() + waitMs < this.#end) {
      this.#attempt = timer(waitMs).subscribe(() => {
        this.#begin();
      });
    } else this.#subscriber.error(this.#host.explain(this, error));
  }

  complete(): void {
    const problem = this.#host.verdict(this);
    if (problem === undefined) this.#subscriber.complete();
    else this.#subscriber.error(problem);
  }

  /** Ends it after a while, if it does not end by itself: reading a body to its end keeps the socket usable. */
  endWithin(clock: DeadlineClock, ms: number): void {
    this.#attempt.add(new Wait(clock, ms, this));
  }

  passed(): void {
    this.complete();
  }

  unsubscribe(): void {
    this.#attempt.unsubscribe();
  }

  #begin(): void {
    const attempt = new Subscription(); // there before anything comes
    this.#attempt = attempt;
    this.#refusal = undefined;
    const answer$ = defer(() => this.#host.post(this)).pipe(reading((response) => this.#read(response)));
    attempt.add(answer$.subscribe(this));
  }

  #read(response: HttpResponse): Observable<unknown> {
    this.status = response.status;
    this.#refusal = isSuccess(response) ? undefined : response;
    return this.#host.read(this, response);
  }
}
