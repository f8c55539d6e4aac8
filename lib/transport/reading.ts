import { count, defaultIfEmpty, switchMap, take, type Observable, type OperatorFunction } from 'rxjs';
import type { HttpResponse } from './http-handler.js';

/**
 * Reads an answer with `read`; emits once and completes when that is over, or
 * when there is no answer. The handler may stay open longer, for instance for a
 * first answer that an interceptor left unread when it sent again; that ends here too.
 */
export function reading(read: (response: HttpResponse) => Observable<unknown>): OperatorFunction<HttpResponse, unknown> {
  return (response$) =>
    response$.pipe(
      switchMap((response) => read(response).pipe(count())), // emits when the body has ended
      take(1),
      defaultIfEmpty(0),
    );
}
