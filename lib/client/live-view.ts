import { catchError, concat, defer, distinctUntilChanged, EMPTY, exhaustMap, ignoreElements, of, repeat, ReplaySubject, share, tap, throwError, timer, type Observable } from 'rxjs';
import { ConnectionClosedError, NotConnectedError } from '../errors.js';
import type { RequestOptions } from '../session/request-options.js';

/** Least time between two fetches, in milliseconds: some servers announce a change whenever they are asked. */
const PAUSE_MS = 200;

/**
 * A value that follows its server: fetched when somebody subscribes, fetched
 * again whenever `due$` emits, and shared. One fetch runs and at most one
 * waits, so a burst costs two and a change during a fetch is not lost. Emits
 * only what differs from before. Late subscribers get the latest value; after
 * an error, or the last unsubscribe, the next subscriber starts afresh.
 *
 * A fetch that fails because the connection ended is no error: what makes the
 * connection ready again makes the view due.
 *
 * @param due$ - Emits first when the first fetch may start.
 * @param fetch - From then on what is cached is of no use: a change may have been missed.
 */
export function liveView<T>(due$: Observable<unknown>, fetch: (options: Pick<RequestOptions, 'cache'>) => Observable<T>): Observable<T> {
  const orLost = catchError<T, Observable<T>>((error: unknown) => (isConnectionLoss(error) ? EMPTY : throwError(() => error)));
  const pause$ = timer(PAUSE_MS).pipe(ignoreElements());
  return defer(() => {
    let isDue = false;
    let cache: RequestOptions['cache'];
    const once$ = defer(() => {
      const options = { cache };
      isDue = false;
      cache = 'bypass';
      return concat(defer(() => fetch(options)).pipe(orLost), pause$);
    });
    return due$.pipe(
      tap(() => {
        isDue = true; // also while a fetch runs, when exhaustMap lets nothing through
      }),
      exhaustMap(() => once$.pipe(repeat({ delay: () => (isDue ? of(isDue) : EMPTY) }))),
    );
  }).pipe(
    distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b)),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true, resetOnError: true, resetOnComplete: true }),
  );
}

function isConnectionLoss(error: unknown): boolean {
  return error instanceof ConnectionClosedError || error instanceof NotConnectedError;
}
