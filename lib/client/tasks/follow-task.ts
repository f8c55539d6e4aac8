import { asyncScheduler, concat, connect, defer, distinctUntilChanged, EMPTY, filter, finalize, ignoreElements, map, merge, noop, of, startWith, Subject, switchMap, takeUntil, takeWhile, tap, timer, type Observable } from 'rxjs';
import { RequestTimeoutError } from '../../errors.js';
import { guarded } from '../../session/guard.js';
import { wantsProgress, type CallEvent, type RequestOptions } from '../../session/request-options.js';
import { checkTimeout, deadline } from '../../transport/deadline.js';
import type { ProgressParams } from '../../wire/mcp/notifications.js';
import type { JsonObject, RequestId } from '../../wire/message.js';
import { closingOf } from '../closing.js';
import type { McpClient } from '../client.js';
import type { Call } from '../feature.js';
import { namingTask, persevering } from './perseverance.js';
import { isOver, isSnapshot, pollDelayOf, snapshotOf, type Snapshot } from './snapshot.js';
import { TaskLostError, TaskNotFoundError } from './task-errors.js';
import type { FollowedTask, TaskForm } from './task-form.js';
import type { TaskListener } from './task-listener.js';

/** How seldom a task is asked about that the server announces, in milliseconds: for what gets lost. */
const ANNOUNCED_POLL_MS = 60_000;

/** What tasks are followed with. */
export interface TaskLink {
  readonly client: McpClient;
  readonly form: TaskForm;
  /** When the server names no interval. */
  readonly pollIntervalMs: number;
  readonly listener: TaskListener | undefined;
  /** Takes failures that belong to no call. */
  readonly report: (error: unknown) => void;
}

/** Which task, and where it comes from. */
export interface TaskStart {
  readonly taskId: string;
  readonly origin: Call;
  /** When the call began, on the scheduler's clock. */
  readonly startedAt: number;
  /** Its state when it was made. */
  readonly seed?: Snapshot | undefined;
  readonly progressToken?: RequestId | undefined;
}

/**
 * A task until its end: its states, progress, its result last. Unsubscribing
 * before that cancels it at the server, unless the call's `cancel` is `local`.
 *
 * @throws {@link TaskError}, {@link TaskNotFoundError}, {@link TaskLostError}
 * @throws {@link RequestTimeoutError} not within the call's `maxTotalTimeoutMs`.
 * @throws {@link ConnectionClosedError} the client was closed; the task goes on.
 * @throws {@link InputNotSupportedError}, and whatever a handler of input fails with.
 */
export function followTask(link: TaskLink, start: TaskStart): Observable<CallEvent<JsonObject>> {
  const { client, form } = link;
  const { taskId, origin, seed } = start;
  const { timeoutMs, headers, meta, cancel, maxTotalTimeoutMs = Infinity } = origin.options;
  const options: RequestOptions = { timeoutMs, headers, meta };
  return defer(() => {
    checkTimeout('maxTotalTimeoutMs', maxTotalTimeoutMs);
    const current$ = client.request('tasks/get', { taskId }, { ...options, resultTypes: ['task'] }).pipe(persevering(client), map(snapshotOf), namingTask(taskId));
    const task: FollowedTask = { client, taskId, origin, options, current$ };
    let isGone = false;
    const leave = () => {
      if (!isGone && cancel !== 'local') client.request('tasks/cancel', { taskId }, options).subscribe({ error: noop }); // it may have ended by itself
    };
    return snapshots(link, start, current$).pipe(
      tap({
        next: (snapshot) => (isGone = isOver(snapshot)),
        error: (error: unknown) => (isGone = error instanceof TaskNotFoundError || error instanceof TaskLostError),
      }),
      connect((snapshots$) => merge(statesOf(snapshots$, seed), form.outcome(task, snapshots$), progressOf(link, start))),
      takeWhile(({ type }) => type !== 'result', true),
      tap(({ type }) => (isGone ||= type === 'result')),
      finalize(leave),
      deadline({ ms: start.startedAt + maxTotalTimeoutMs - asyncScheduler.now(), error: () => new RequestTimeoutError(origin.method, maxTotalTimeoutMs) }),
      takeUntil(closingOf(client)),
    );
  });
}

/**
 * All that the server says of a task until it is over, asked or not. Whatever
 * it says puts the next question off.
 */
function snapshots({ client, form, listener, pollIntervalMs }: TaskLink, { taskId, seed }: TaskStart, current$: Observable<Snapshot>): Observable<Snapshot> {
  return defer(() => {
    const waits = new Subject<number>();
    let isAnnounced = false;
    const delayAfter = (snapshot: Snapshot) => Math.max(pollDelayOf(snapshot, pollIntervalMs), isAnnounced ? ANNOUNCED_POLL_MS : 0);
    const polled$ = waits.pipe(
      startWith(seed?.task.status === 'working' ? delayAfter(seed) : 0),
      switchMap((ms) => concat(timer(ms).pipe(ignoreElements()), current$)),
    );
    const heard$ = client.notifications$.pipe(
      filter(({ method, params }) => /^notifications\/tasks(\/status)?$/.test(method) && isSnapshot(params) && params.taskId === taskId),
      map(({ params }) => snapshotOf(params)),
      filter((snapshot) => {
        const isWhole = form.isWhole(snapshot);
        if (!isWhole) waits.next(0);
        return isWhole;
      }),
    );
    const announced$ = (listener?.announces(taskId) ?? EMPTY).pipe(
      tap((announced) => {
        isAnnounced = announced;
        waits.next(0);
      }),
      ignoreElements(),
    );
    return merge(polled$, heard$, announced$).pipe(
      takeWhile((snapshot) => !isOver(snapshot), true),
      tap((snapshot) => {
        waits.next(delayAfter(snapshot));
      }),
    );
  });
}

/** The states for the caller, each once. */
function statesOf(snapshots$: Observable<Snapshot>, seed: Snapshot | undefined): Observable<CallEvent<never>> {
  return concat(seed === undefined ? EMPTY : of(seed), snapshots$).pipe(
    map(({ task }) => task),
    distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b)),
    map((task) => ({ type: 'task', task })),
  );
}

/** The token of the call goes on to mean the task. @see MCP 2025-11-25 Tasks, "Task Progress Notifications" */
function progressOf({ client, report }: TaskLink, { origin: { options }, progressToken }: TaskStart): Observable<CallEvent<never>> {
  if (progressToken === undefined || !wantsProgress(options)) return EMPTY;
  const tell = guarded(options.onProgress ?? noop, report);
  return client.notifications$.pipe(
    filter(({ method, params }) => method === 'notifications/progress' && String(params?.progressToken) === String(progressToken)),
    map(({ params }): CallEvent<never> => ({ type: 'progress', progress: params as unknown as ProgressParams })),
    tap((event) => {
      if (event.type === 'progress') tell(event.progress);
    }),
  );
}
