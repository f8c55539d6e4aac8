import { computed, effect, untracked, type ResourceRef } from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { Subject, takeUntil, type Observable } from 'rxjs';

/**
 * As `rxResource`, which ends a stream when another takes its place or it is
 * destroyed: this one also when there is nothing to ask for any more. In an
 * injection context.
 */
export function streamResource<P, T>(params: () => P | undefined, stream: (params: P) => Observable<T>): ResourceRef<T | undefined> {
  const wanted = computed(params);
  const idle = new Subject<void>();
  effect(() => {
    if (wanted() !== undefined) return;
    untracked(() => {
      idle.next();
    });
  });
  return rxResource({ params: wanted, stream: ({ params: given }) => stream(given).pipe(takeUntil(idle)) });
}
