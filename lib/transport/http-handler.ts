import type { Observable } from 'rxjs';

/** One HTTP request. @public */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The head of an HTTP answer, and its body to come. @public */
export interface HttpResponse {
  /** 0 when a browser hides a redirect. */
  readonly status: number;
  readonly statusText: string;
  /** Looks a header up without regard to case; null when absent, or hidden by CORS. */
  readonly headers: { get(name: string): string | null };
  /** The body in chunks. Subscribe at most once; unsubscribing cancels the rest. */
  readonly body$: Observable<Uint8Array>;
}

/**
 * Sends a request. Cold: subscribing sends. Emits the head of the answer once
 * and stays subscribed while the body is read: unsubscribing ends the whole
 * exchange at any time, so `take(1)` on it would cut the body off.
 *
 * @throws {@link NetworkError} no HTTP answer.
 * @public
 */
export type HttpHandler = (request: HttpRequest) => Observable<HttpResponse>;

/**
 * Stands between a transport and its handler: may change the request, the
 * answer, send again, or answer by itself.
 *
 * @public
 */
export type HttpInterceptor = (request: HttpRequest, next: HttpHandler) => Observable<HttpResponse>;

/** A handler behind interceptors; the first one is the outermost. */
export function intercepted(handler: HttpHandler, interceptors: readonly HttpInterceptor[]): HttpHandler {
  return interceptors.reduceRight<HttpHandler>((next, interceptor) => (request) => interceptor(request, next), handler);
}
