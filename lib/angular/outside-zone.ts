import { NgZone } from '@angular/core';
import { Observable, Subject, takeUntil, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * Works outside of Angular's zone, so that no timer, socket or stream of ours
 * keeps the application from being stable; what comes of it arrives where it
 * was subscribed. Without zone.js it changes nothing.
 */
export function outsideZone<T>(zone: NgZone): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      const isInside = NgZone.isInAngularZone();
      const arrive = (deliver: () => void) => {
        if (isInside) zone.run(deliver);
        else deliver();
      };
      const gone = new Subject<void>();
      subscriber.add(() => {
        zone.runOutsideAngular(() => {
          gone.next();
        });
      });
      zone.runOutsideAngular(() =>
        source$.pipe(takeUntil(gone)).subscribe({
          next: (value) => {
            arrive(() => {
              subscriber.next(value);
            });
          },
          error: (error: unknown) => {
            arrive(() => {
              subscriber.error(error);
            });
          },
          complete: () => {
            arrive(() => {
              subscriber.complete();
            });
          },
        }),
      );
    });
}
