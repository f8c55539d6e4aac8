import { EMPTY, Observable } from 'rxjs';
import { NetworkError } from '../errors.js';
import type { HttpHandler } from './http-handler.js';

/** The part of `fetch` that is needed, so that a replacement need not have the rest. @public */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/**
 * An {@link HttpHandler} over `fetch`. Redirects are not followed but reported
 * as they come; credentials are left to the platform's default.
 *
 * @param fetchLike - @defaultValue the global `fetch`, looked up at each request
 * @public
 */
export function fetchHandler(fetchLike: FetchLike = (url, init) => fetch(url, init)): HttpHandler {
  return ({ url, method, headers, body }) =>
    new Observable((subscriber) => {
      const controller = new AbortController(); // one for each subscription: an aborted one cannot be used again
      let isOver = false;
      const over = () => {
        isOver = true;
        subscriber.complete();
      };
      const init: RequestInit = { method, headers, redirect: 'manual', signal: controller.signal };
      if (body !== undefined) init.body = body;
      fetchLike(url, init).then(
        (response) => {
          if (subscriber.closed) return;
          const { status, statusText } = response;
          subscriber.next({ status, statusText, headers: response.headers, body$: read(response.body, url, over) });
          if (response.body === null) over();
        },
        (error: unknown) => {
          isOver = true;
          subscriber.error(networkError(url, error));
        },
      );
      return () => {
        if (!isOver) controller.abort(); // which costs an error with its stack
      };
    });
}

/** A reader loop: stream pipes cost more and hold on to what was cancelled. */
function read(body: ReadableStream<Uint8Array> | null, url: string, onEnd: () => void): Observable<Uint8Array> {
  if (body === null) return EMPTY;
  return new Observable((subscriber) => {
    const reader = body.getReader();
    let done = false;
    const step = () => {
      if (subscriber.closed) return;
      reader.read().then(
        (chunk) => {
          if (subscriber.closed) return;
          if (chunk.done) {
            done = true;
            onEnd();
            subscriber.complete();
            return;
          }
          subscriber.next(chunk.value);
          step();
        },
        (error: unknown) => {
          done = true;
          subscriber.error(networkError(url, error));
        },
      );
    };
    step();
    return () => {
      // Nothing is waited for: a read that was aborted may stay pending for good.
      if (!done) reader.cancel().catch(() => undefined);
    };
  });
}

export function networkError(url: string, error: unknown): NetworkError {
  // Node's fetch keeps the system's error as cause; a code that is no text is a DOMException's.
  const { code, message } = ((error as { cause?: unknown }).cause ?? error) as { code?: unknown; message?: string };
  return new NetworkError(withoutSecrets(url), typeof code === 'string' ? code : undefined, message, error);
}

/** A URL for people: without user, password and query, where tokens are kept. */
export function withoutSecrets(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1').replace(/[?#].*$/, '');
}
