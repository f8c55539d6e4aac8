import { asyncScheduler, filter, last, map, merge, NEVER, Observable, takeUntil, tap, using, type Unsubscribable } from 'rxjs';
import { fromFetch } from 'rxjs/fetch';
import { createClient, RequestTimeoutError, withHttpSse, withLogLevel, withWebSocket, type ClientFeature, type ClientOptions, type McpClient, type RequestId } from '../../../lib/index.ts';
import type { History } from './history.ts';
import type { Offer } from './offer.ts';

/** Ids over all connections of the page, so that a request is known by its id alone. */
let latestId = 0;

/**
 * Connects, and writes down what happens from the first message to the last;
 * emits the client once it is ready, closes it when unsubscribed.
 */
export function openSession(offer: Offer, history: History): Observable<McpClient> {
  return using(
    () => new Session(offer, history),
    (resource) => merge((resource as Session).client.connect(), NEVER),
  );
}

class Session implements Unsubscribable {
  readonly client: McpClient;

  constructor(offer: Offer, history: History) {
    const options: ClientOptions = { nextId: () => ++latestId, features: [withHttpSse(), withWebSocket(), withLogLevel('debug'), withEndings(history)], handshakeTimeoutMs: 20_000 };
    this.client = clientFor(offer, options);
    // Goes on after unsubscribe(), as closing has its messages too; ends with the last state.
    record(this.client, history).subscribe();
  }

  unsubscribe(): void {
    void this.client.close();
  }
}

function clientFor({ type, url }: Offer, options: ClientOptions): McpClient {
  if (type === 'http') return createClient({ type, url: new URL(url, location.href).href }, options);
  if (type === 'websocket') return createClient({ type, url }, options);
  return createClient({ type: 'websocket', url, protocols: () => freshTicket() }, options);
}

/** A bridge takes each ticket once, so each connection asks for its own. */
function freshTicket(): Observable<string[]> {
  return fromFetch('/ticket', { method: 'POST', selector: (response) => response.json() as Promise<{ ticket: string }> }).pipe(map(({ ticket }) => [ticket]));
}

function record(client: McpClient, history: History): Observable<unknown> {
  return merge(
    client.connection$.pipe(filter((connection) => connection !== undefined), tap(() => history.connectionOpened())),
    client.wire$.pipe(tap((record) => history.message(record))),
    client.state$.pipe(tap((state) => history.state(state, asyncScheduler.now()))),
  ).pipe(takeUntil(client.state$.pipe(last())));
}

/** Writes down how calls end that the caller gives up, or that take too long: on the wire that is not always seen. */
function withEndings(history: History): ClientFeature {
  return {
    name: 'endings',
    intercept: (call, next) =>
      new Observable((subscriber) => {
        let id: RequestId = 0;
        const subscription = next(call)
          .pipe(
            tap({
              unsubscribe: () => history.ended(id, 'cancelled', 'The caller unsubscribed', asyncScheduler.now()),
              error: (error: unknown) => history.ended(id, error instanceof RequestTimeoutError ? 'timeout' : 'error', String(error), asyncScheduler.now()),
            }),
          )
          .subscribe(subscriber);
        id = latestId; // sent while subscribing
        return subscription;
      }),
  };
}

export const offers = (): Observable<Offer[]> => fromFetch('/offers', { selector: (response) => response.json() as Promise<Offer[]> });
