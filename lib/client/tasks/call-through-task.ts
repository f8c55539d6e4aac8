import { asyncScheduler, concatMap, EMPTY, ignoreElements, map, Observable, of, takeUntil } from 'rxjs';
import { abortionOf } from '../../session/abort.js';
import type { Sending } from '../../session/connection.js';
import type { CallEvent, RequestOptions } from '../../session/request-options.js';
import { isObject, type JsonObject, type RequestId } from '../../wire/message.js';
import type { Call, CallHandler } from '../feature.js';
import { followTask, type TaskLink } from './follow-task.js';
import { snapshotOf, type Snapshot } from './snapshot.js';
import { EXPERIMENTAL_FORM } from './task-form.js';
import type { ToolSupport } from './tool-support.js';

/** In the options of a call, which interceptors hand on: a task is wanted, with these metadata. */
export const AS_TASK = Symbol('as task');

export interface AsTaskOptions extends RequestOptions {
  readonly [AS_TASK]?: { readonly ttl?: number };
}

/** An event of the call proper, and the task that it tells of. */
interface Answer {
  readonly event: CallEvent<JsonObject>;
  readonly created: Snapshot | undefined;
}

/** A call of a tool, through its task if it becomes one. */
export function callThroughTask(link: TaskLink, support: ToolSupport, call: Call, next: CallHandler): Observable<CallEvent<JsonObject>> {
  const startedAt = asyncScheduler.now();
  const abortion$ = abortionOf(call.options);
  let progressToken: RequestId | undefined;
  const options: Sending = {
    ...call.options,
    ...(abortion$ && { signal: undefined, abort$: undefined }),
    resultTypes: [...(call.options.resultTypes ?? []), 'task'],
    onId: (id) => (progressToken = id),
  };
  const events$ = wantedTask(link, support, call).pipe(
    concatMap((task) => {
      if (task === undefined) return next({ ...call, options }).pipe(map((event) => ({ event, created: link.form === EXPERIMENTAL_FORM ? undefined : createdIn(link, event) })));
      const asked$ = next({ ...call, params: { ...call.params, task }, options: { ...options, cancel: 'local' } }).pipe(map((event) => ({ event, created: createdIn(link, event) })));
      return call.options.cancel === 'local' ? asked$ : staying(link, asked$);
    }),
    concatMap(({ event, created }) => (created === undefined ? of(event) : followTask(link, { taskId: created.task.taskId, origin: call, startedAt, seed: created, progressToken }))),
  );
  return abortion$ === undefined ? events$ : events$.pipe(takeUntil(abortion$)); // once for all requests
}

/** @throws {@link ProtocolError} there is a task, but one that cannot be told. */
function createdIn({ form }: TaskLink, event: CallEvent<JsonObject>): Snapshot | undefined {
  const created = event.type === 'result' && isObject(event.result) ? form.created(event.result) : undefined;
  return created === undefined ? undefined : snapshotOf(created);
}

/**
 * Who leaves before the task has an id leaves the request behind, for as long
 * as its deadline: the task can be cancelled when it has one, and in no other way.
 *
 * @see MCP 2025-11-25 Cancellation, "Behavior Requirements"
 */
function staying({ client }: TaskLink, answers$: Observable<Answer>): Observable<Answer> {
  return new Observable((subscriber) => {
    const taken$ = answers$.pipe(
      concatMap((answer) => {
        if (!subscriber.closed) return of(answer);
        const { created } = answer;
        return created === undefined ? EMPTY : client.request('tasks/cancel', { taskId: created.task.taskId }).pipe(ignoreElements());
      }),
    );
    taken$.subscribe({
      next: (answer) => {
        subscriber.next(answer);
      },
      error: (error: unknown) => {
        subscriber.error(error);
      },
      complete: () => {
        subscriber.complete();
      },
    });
  });
}

/**
 * What to ask for a task with: nothing where the server decides by itself or
 * has none, and only for the tools that want it. Emits once.
 *
 * @see MCP 2025-11-25 Tasks, "Tool-Level Negotiation"
 */
function wantedTask({ client, form }: TaskLink, support: ToolSupport, { params, options }: Call): Observable<object | undefined> {
  if (form !== EXPERIMENTAL_FORM || client.capabilities?.tasks?.requests?.tools?.call === undefined) return of(undefined);
  const asTask = (options as AsTaskOptions)[AS_TASK];
  return support.of(String(params?.name)).pipe(map((value) => (value === 'required' || (value === 'optional' && asTask !== undefined) ? (asTask ?? {}) : undefined)));
}
