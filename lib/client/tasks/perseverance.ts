import { catchError, defer, filter, merge, retry, skip, take, throwError, type MonoTypeOperatorFunction } from 'rxjs';
import { ConnectionClosedError, HttpError, NetworkError, NoResponseError, NotConnectedError, RequestTimeoutError, RpcError } from '../../errors.js';
import { Backoff, isWorthRetrying } from '../../transport/backoff.js';
import { INVALID_PARAMS } from '../../wire/codes.js';
import type { McpClient } from '../client.js';
import { TaskError, TaskLostError, TaskNotFoundError } from './task-errors.js';

/**
 * Asks again after what may pass: no answer in time, a connection that ended,
 * a server that is overloaded. Later with each attempt in vain, and not for
 * ever; at once when there is a connection again. For requests that may run twice.
 */
export function persevering<T>(client: McpClient): MonoTypeOperatorFunction<T> {
  return (source$) =>
    defer(() => {
      const backoff = new Backoff();
      const reconnected$ = client.state$.pipe(
        skip(1), // what holds now, and did not help
        filter(({ status }) => status === 'ready'),
      );
      const delay = (error: unknown) => {
        const wait$ = mayPass(error) ? backoff.next() : undefined;
        return wait$ === undefined ? throwError(() => error) : merge(wait$, reconnected$).pipe(take(1));
      };
      return source$.pipe(retry({ delay }));
    });
}

/** Says which task it is that cannot be asked about. */
export function namingTask<T>(taskId: string): MonoTypeOperatorFunction<T> {
  return catchError((error: unknown) => {
    if (error instanceof TaskError) throw error;
    if (error instanceof RpcError && error.code === INVALID_PARAMS) throw new TaskNotFoundError(taskId, { cause: error });
    throw new TaskLostError(taskId, error as Error);
  });
}

function mayPass(error: unknown): boolean {
  if (error instanceof HttpError || error instanceof RpcError) return error.status !== undefined && isWorthRetrying(error.status);
  return [RequestTimeoutError, ConnectionClosedError, NotConnectedError, NetworkError, NoResponseError].some((kind) => error instanceof kind);
}
