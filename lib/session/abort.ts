import { concat, map, merge, NEVER, Observable } from 'rxjs';
import { AbortError } from '../errors.js';

/** What is needed of an `AbortSignal`; the session room has no DOM types. @public */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Two ways to give a call up; unsubscribing is the third. @public */
export interface AbortOptions {
  /** Its `reason` is what the caller sees. */
  readonly signal?: AbortSignalLike | undefined;
  /** Its error is what the caller sees; a value stands for an {@link AbortError}; completing changes nothing. */
  readonly abort$?: Observable<unknown> | undefined;
}

/**
 * Errors with the caller's reason as soon as there is one; never emits or
 * completes. For `takeUntil`, which would end empty if the notifier emitted.
 *
 * @returns undefined when nothing can abort.
 */
export function abortionOf({ signal, abort$ }: AbortOptions): Observable<never> | undefined {
  if (signal === undefined) return abort$ && abortOnValue(abort$);
  return abort$ === undefined ? fromSignal(signal) : merge(fromSignal(signal), abortOnValue(abort$));
}

function abortOnValue(abort$: Observable<unknown>): Observable<never> {
  const abort = (): never => {
    throw new AbortError();
  };
  return concat(abort$.pipe(map(abort)), NEVER);
}

function fromSignal(signal: AbortSignalLike): Observable<never> {
  return new Observable((subscriber) => {
    const abort = () => {
      subscriber.error(signal.reason ?? new AbortError());
    };
    if (signal.aborted) {
      abort();
      return undefined;
    }
    signal.addEventListener('abort', abort);
    return () => {
      signal.removeEventListener('abort', abort);
    };
  });
}
