import { asyncScheduler, type Observable, type Subscription, type Unsubscribable } from 'rxjs';

/** What an Observable did so far. Times are in milliseconds since {@link collect} was called. @public */
export interface Collected<T> extends Unsubscribable {
  readonly values: readonly T[];
  /** When each value came. */
  readonly times: readonly number[];
  /** What it errored with. */
  readonly error: unknown;
  readonly status: 'active' | 'completed' | 'errored' | 'unsubscribed';
  /** When it completed or errored. */
  readonly endedAt: number | undefined;
}

/** How an Observable ended. @public */
export interface Outcome<T> {
  readonly values: readonly T[];
  /** What it errored with; undefined when it completed. */
  readonly error: unknown;
}

/** Subscribes at once, and writes down what comes. In virtual time the times are virtual, too. @public */
export function collect<T>(source$: Observable<T>): Collected<T> {
  const start = asyncScheduler.now();
  const values: T[] = [];
  const times: number[] = [];
  let error: unknown;
  let status: Collected<T>['status'] = 'active';
  let endedAt: number | undefined;
  const now = (): number => asyncScheduler.now() - start;
  const end = (how: 'completed' | 'errored', reason?: unknown): void => {
    status = how;
    error = reason;
    endedAt = now();
  };
  const subscription: Subscription = source$.subscribe({
    next: (value) => {
      values.push(value);
      times.push(now());
    },
    error: (reason: unknown) => {
      end('errored', reason);
    },
    complete: () => {
      end('completed');
    },
  });
  return {
    values,
    times,
    get error() {
      return error;
    },
    get status() {
      return status;
    },
    get endedAt() {
      return endedAt;
    },
    unsubscribe: () => {
      if (status === 'active') status = 'unsubscribed';
      subscription.unsubscribe();
    },
  };
}

/** Subscribes, and resolves with the end, whichever it is. On the real clock only. @public */
export function outcome<T>(source$: Observable<T>): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const values: T[] = [];
    source$.subscribe({
      next: (value) => values.push(value),
      error: (error: unknown) => {
        resolve({ values, error });
      },
      complete: () => {
        resolve({ values, error: undefined });
      },
    });
  });
}
