import { AsyncSubject, catchError, concat, defer, EMPTY, type Observable } from 'rxjs';
import type { Delivery } from '../transport/transport.js';
import { isResponse, type JsonRpcMessage } from '../wire/message.js';

/**
 * Opens a session anew that the server has lost: once for all messages that
 * were refused for it, each of which is then sent again, once.
 *
 * @see MCP 2025-11-25 Transports, "Session Management"
 */
export class SessionRecovery {
  readonly #renew: () => Observable<never>;
  readonly #resent = new WeakSet<JsonRpcMessage>();
  #running: Observable<never> | undefined;

  /** @param renew - Opens a new session; completes when it can be used. */
  constructor(renew: () => Observable<never>) {
    this.#renew = renew;
  }

  /**
   * When a message that failed is to be sent again: on completion. Errors when there is no new session.
   *
   * @returns undefined when it has failed for good. Our answers have: a new session does not know the question.
   */
  after({ message, session }: Extract<Delivery, { type: 'failed' }>): Observable<never> | undefined {
    if (session === undefined || isResponse(message) || this.#resent.has(message)) return undefined;
    this.#resent.add(message);
    return session === 'replaced' ? EMPTY : (this.#running ?? this.#start());
  }

  #start(): Observable<never> {
    const renewed = new AsyncSubject<never>();
    this.#running = renewed;
    const ended$ = defer(() => {
      this.#running = undefined;
      return EMPTY;
    });
    const renewal$ = concat(this.#renew(), ended$).pipe(
      catchError((error: unknown) => {
        this.#running = undefined;
        throw error;
      }),
    );
    renewal$.subscribe(renewed);
    return renewed;
  }
}
