import { defaultIfEmpty, ignoreElements, switchMap, take, type Observable, type OperatorFunction } from 'rxjs';
import type { HttpResponse } from './http-handler.js';

/**
 * Reads an answer with `read` and completes when that is over. The handler may
 * stay open longer, for instance for a first answer that an interceptor left
 * unread when it sent again; that ends here too.
 */
export function reading(read: (response: HttpResponse) => Observable<unknown>): OperatorFunction<HttpResponse, unknown> {
  return (response$) =>
    response$.pipe(
      switchMap((response) => read(response).pipe(ignoreElements(), defaultIfEmpty(0))), // a sign of its end
      take(1),
    );
}
