import { catchError, map, Observable, of, takeUntil, timer } from 'rxjs';
import { HttpError, MessageTooLargeError } from '../errors.js';
import { excerptOf } from './diagnostic.js';
import { withoutSecrets } from './fetch-handler.js';
import type { HttpResponse } from './http-handler.js';

/** How much of an error page is read, in bytes. */
const MAX_ERROR_BODY = 1_048_576;
/** How long an error page is read, in milliseconds; what has come by then is used. */
const MAX_WAIT_MS = 1_000;

/**
 * The whole body as text. Emits once.
 *
 * @throws {@link MessageTooLargeError} more than `maxBytes`.
 */
export function readText(body$: Observable<Uint8Array>, maxBytes: number): Observable<string> {
  return new Observable((subscriber) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    return body$.subscribe({
      next: (chunk) => {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) subscriber.error(new MessageTooLargeError(maxBytes, 'body'));
        else chunks.push(chunk);
      },
      error: (error: unknown) => {
        subscriber.error(error);
      },
      complete: () => {
        const [only = joined(chunks, bytes)] = chunks.length === 1 ? chunks : [];
        subscriber.next(UTF8.decode(only));
        subscriber.complete();
      },
    });
  });
}

/** Makes no difference between texts; making one costs more than a short text. */
const UTF8 = new TextDecoder();

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** The body of an answer that is not 2xx; what cannot be read is left out. */
export function readErrorBody(response: HttpResponse): Observable<string> {
  return readText(response.body$.pipe(takeUntil(timer(MAX_WAIT_MS))), MAX_ERROR_BODY).pipe(catchError(() => of('')));
}

/** The error for an answer that is not 2xx. */
export function httpError(response: HttpResponse, url: string, body: string): HttpError {
  const header = (name: string) => response.headers.get(name) ?? undefined;
  return new HttpError(response.status, excerptOf(body.trim()) || response.statusText || 'no further information', {
    url: withoutSecrets(url),
    wwwAuthenticate: header('www-authenticate'),
    mcpAuthServer: header('mcp-auth-server'),
    retryAfter: header('retry-after'),
  });
}

/** Reads the body and errors with what it says. */
export function failWith(response: HttpResponse, url: string): Observable<never> {
  return readErrorBody(response).pipe(
    map((body): never => {
      throw httpError(response, url, body);
    }),
  );
}
