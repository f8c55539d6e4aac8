import { catchError, distinctUntilChanged, EMPTY, filter, ignoreElements, map, merge, mergeMap, switchMap, takeUntil, tap, throwError, type Observable } from 'rxjs';
import { ProtocolError, RpcError } from '../../errors.js';
import type { CallEvent, RequestOptions } from '../../session/request-options.js';
import type { InputResponses } from '../../wire/mcp/input-required.js';
import { errorIn, isObject, type JsonObject, type JsonRpcErrorObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import type { Call } from '../feature.js';
import { questionsIn, sourcesOf } from '../input/input-sources.js';
import { namingTask, persevering } from './perseverance.js';
import { isOver, type Snapshot } from './snapshot.js';
import { TaskError } from './task-errors.js';

/** One task, as somebody follows it. */
export interface FollowedTask {
  readonly client: McpClient;
  readonly taskId: string;
  /** What made it, for who is asked something. */
  readonly origin: Call;
  /** Of the requests about it. */
  readonly options: RequestOptions;
  /** How it stands now. Cold. */
  readonly current$: Observable<Snapshot>;
}

/** What differs between tasks of 2025-11-25 and those of the extension. */
export interface TaskForm {
  /** The new task that a call was answered with, if it was. */
  created(result: JsonObject): unknown;
  /** Whether a notification tells all there is to know. */
  isWhole(snapshot: Snapshot): boolean;
  /**
   * Gives the task the input it needs, emits its result, errors as it failed.
   *
   * @throws {@link TaskError} it failed or was cancelled.
   */
  outcome(task: FollowedTask, snapshots$: Observable<Snapshot>): Observable<CallEvent<JsonObject>>;
}

/** The extension `io.modelcontextprotocol/tasks`: everything is in the states. @see SEP-2663 */
export const EXTENSION_FORM: TaskForm = {
  created: (result) => (result.resultType === 'task' ? result : undefined),
  isWhole: ({ task: { status }, details: { result, error, inputRequests } }) =>
    status === 'completed' ? isObject(result) : status === 'failed' ? isObject(error) : status !== 'input_required' || isObject(inputRequests),
  outcome: (task, snapshots$) => merge(answered(task, snapshots$), snapshots$.pipe(filter(isOver), map(endOf))),
};

/** The experimental tasks: `tasks/result` has the result, and while it is asked for the server may ask. @see MCP 2025-11-25 Tasks */
export const EXPERIMENTAL_FORM: TaskForm = {
  created: (result) => (isObject(result.task) ? result.task : undefined),
  isWhole: () => true,
  outcome: (task, snapshots$) =>
    snapshots$.pipe(
      distinctUntilChanged((a, b) => a.task.status === b.task.status),
      switchMap((snapshot) => fetched(task, snapshot)),
    ),
};

/** Asks each question once, however often it is told, and withdraws it when it is told no more. */
function answered(followed: FollowedTask, snapshots$: Observable<Snapshot>): Observable<CallEvent<JsonObject>> {
  const { client, origin } = followed;
  const asked = new Set<string>();
  return snapshots$.pipe(
    mergeMap((snapshot) => {
      const fresh = Object.entries(neededBy(snapshot)).filter(([key]) => !asked.has(key));
      return questionsIn(Object.fromEntries(fresh), sourcesOf(client), origin);
    }),
    mergeMap(([key, answer$]) => {
      asked.add(key);
      const withdrawn$ = snapshots$.pipe(
        filter((snapshot) => !Object.hasOwn(neededBy(snapshot), key)),
        tap(() => asked.delete(key)),
      );
      const wanted$ = answer$.pipe(takeUntil(withdrawn$));
      return wanted$.pipe(
        mergeMap((answer) => given(followed, Object.fromEntries([[key, answer]]) as InputResponses)), // also for a key like __proto__
      );
    }),
  );
}

function neededBy({ task, details }: Snapshot): JsonObject {
  return task.status === 'input_required' && isObject(details.inputRequests) ? details.inputRequests : {};
}

/** Gives input; a refusal is no harm where the task is over by now. */
function given({ client, taskId, options, current$ }: FollowedTask, inputResponses: InputResponses): Observable<CallEvent<JsonObject>> {
  return client.request('tasks/update', { taskId, inputResponses }, options).pipe(
    persevering(client),
    ignoreElements(),
    catchError((error: unknown) => {
      const now$ = current$.pipe(
        map((snapshot) => {
          if (!isOver(snapshot)) throw error;
          return endOf(snapshot);
        }),
      );
      return error instanceof RpcError ? now$ : throwError(() => error).pipe(namingTask(taskId));
    }),
  );
}

/** @throws {@link TaskError} it failed or was cancelled. */
function endOf({ task, details: { result, error } }: Snapshot): CallEvent<JsonObject> {
  if (task.status === 'completed') {
    if (!isObject(result)) throw new ProtocolError(`Task ${task.taskId} is completed and has no result`);
    return { type: 'result', result };
  }
  if (error === undefined) throw new TaskError(task);
  const { code, message, data } = errorIn({ jsonrpc: '2.0', error: error as JsonRpcErrorObject });
  throw new TaskError(task, { cause: new RpcError(code, message, data) });
}

/** The result of a task that is over, or that waits for input: there the server asks while it owes the result. */
function fetched({ client, taskId, options }: FollowedTask, snapshot: Snapshot): Observable<CallEvent<JsonObject>> {
  const { task } = snapshot;
  const result = (resultOptions: RequestOptions): Observable<CallEvent<JsonObject>> =>
    client.request('tasks/result', { taskId }, resultOptions).pipe(
      persevering(client),
      map((value): CallEvent<JsonObject> => ({ type: 'result', result: value })),
    );
  if (task.status === 'input_required') return result({ ...options, timeoutMs: Infinity }).pipe(catchError(() => EMPTY)); // the next state tells more
  if (!isOver(snapshot)) return EMPTY;
  if (task.status === 'cancelled') return throwError(() => new TaskError(task));
  return result(options).pipe(
    catchError((error: unknown) => {
      throw task.status === 'failed' && error instanceof RpcError ? new TaskError(task, { cause: error }) : error;
    }),
    namingTask(taskId),
  );
}
