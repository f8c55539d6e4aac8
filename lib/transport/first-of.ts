import { defer, take, throwIfEmpty, type Observable, type ObservableInput } from 'rxjs';

/** The first value of what `source` gives, which is asked for when this is subscribed; errors with `none()` where there is no value. */
export function firstOf<T>(source: () => ObservableInput<T>, none: () => Error): Observable<T> {
  return defer(source).pipe(take(1), throwIfEmpty(none));
}
