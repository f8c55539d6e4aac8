import { asyncScheduler, defer, ignoreElements, takeUntil, type Observable } from 'rxjs';
import { ConfigError, NotConnectedError } from '../../errors.js';
import { abortionOf } from '../../session/abort.js';
import type { CallEvent, RequestOptions } from '../../session/request-options.js';
import { checkTimeout } from '../../transport/deadline.js';
import type { TaskState } from '../../wire/mcp/tasks-extension.js';
import type { CallToolResult } from '../../wire/mcp/tools.js';
import type { JsonObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import type { Call, ClientFeature } from '../feature.js';
import { listMethod, type ListMethod } from '../lists.js';
import { AS_TASK, callThroughTask, type AsTaskOptions } from './call-through-task.js';
import { followTask, type TaskLink } from './follow-task.js';
import { stateOf } from './snapshot.js';
import { EXPERIMENTAL_FORM, EXTENSION_FORM } from './task-form.js';
import { TaskListener } from './task-listener.js';
import { ToolSupport } from './tool-support.js';

/** @public */
export interface TasksOptions {
  /** Time between two polls when the server names none, in milliseconds. @defaultValue 1_000 */
  readonly pollIntervalMs?: number | undefined;
  /**
   * Whether a server of 2026-07-28 is asked to announce the states of tasks, in
   * one `subscriptions/listen` request for all that are followed; what it
   * announces is then polled once a minute only. Over HTTP that is one more
   * stream while tasks run. @defaultValue false
   */
  readonly listen?: boolean | undefined;
}

/** How to call a tool as a task. @public */
export interface TaskCallOptions extends RequestOptions {
  /** How long the server is asked to keep the task, from its creation on, in milliseconds; it may decide otherwise. Only of 2025-11-25. @defaultValue as the server likes */
  readonly ttlMs?: number | undefined;
}

/** What {@link withTasks} adds to a client. @public */
export interface TasksApi {
  /**
   * Calls a tool as a task where server and tool allow it, else plainly. Emits
   * what happens: `task` for each state, the first of which has the id to keep,
   * progress, the result last. Cold; unsubscribing cancels the task, with
   * `cancel: 'local'` it goes on without us.
   *
   * `timeoutMs` is for each request about the task; the task itself may take as
   * long as it likes, unless `maxTotalTimeoutMs` is given, which holds for all
   * of it. Questions count.
   *
   * @throws as {@link McpClient.request}, before there is a task
   * @throws {@link TaskError} the task failed or was cancelled.
   * @throws {@link TaskNotFoundError} the server no longer knows it.
   * @throws {@link TaskLostError} the server could not be asked, nine times in a row.
   * @throws {@link ConnectionClosedError} the client was closed; the task goes on.
   */
  callToolAsTask(name: string, args?: JsonObject, options?: TaskCallOptions): Observable<CallEvent<CallToolResult>>;
  /**
   * Takes up a task that runs already, by its id: another call's, or one from
   * before this program was started. Cold, and like {@link callToolAsTask} from
   * there on, but without progress; unsubscribing cancels too.
   *
   * @throws as {@link callToolAsTask}
   */
  task(taskId: string, options?: RequestOptions): Observable<CallEvent<CallToolResult>>;
  /** All tasks the server tells of. Of 2025-11-25, where the server declares it. */
  readonly listTasks: ListMethod<TaskState>;
  /** Asks the server to cancel a task, which it need not do. Cold; completes empty once the server has taken note. @throws as {@link McpClient.request} */
  cancelTask(taskId: string, options?: RequestOptions): Observable<never>;
}

/** The one revision with tasks of its own. */
const EXPERIMENTAL_REVISION = '2025-11-25';

/**
 * Follows calls that go on as tasks, in both forms there are. `callTool` just
 * waits for the result, whether a server of 2026-07-28 answers with a task or a
 * tool of 2025-11-25 insists on one; with `observe: 'events'` the states come
 * on the way. What the task asks is answered by the handlers of
 * {@link withElicitation} and its like.
 *
 * No deadline of a request bounds a task: give a call `maxTotalTimeoutMs` for
 * that. With `cancel: 'local'` a call that is given up leaves its task running;
 * so does closing the client. A poll that fails for a reason that may pass is
 * tried again, up to eight times in a row over two minutes, at once after a
 * reconnect.
 *
 * Give it after features that look at results, such as
 * {@link withOutputValidation}, so that they see the task's.
 *
 * @throws {@link ConfigError} an interval that makes no sense.
 * @see SEP-2663; MCP 2025-11-25 Tasks
 * @public
 */
export function withTasks(options: TasksOptions = {}): ClientFeature<TasksApi> {
  checkTimeout('pollIntervalMs', options.pollIntervalMs ?? 1);
  return { name: 'tasks', create: () => tasks(options) };
}

function tasks({ pollIntervalMs = 1_000, listen = false }: TasksOptions): ClientFeature<TasksApi> {
  let started: { readonly link: Omit<TaskLink, 'form' | 'listener'>; readonly listener: TaskListener | undefined; readonly support: ToolSupport } | undefined;

  const linkNow = (): TaskLink => {
    if (started === undefined) throw new NotConnectedError();
    const { link, listener } = started;
    const isExperimental = link.client.protocolVersion === EXPERIMENTAL_REVISION;
    return { ...link, form: isExperimental ? EXPERIMENTAL_FORM : EXTENSION_FORM, listener: isExperimental ? undefined : listener };
  };

  return {
    name: 'tasks',
    capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    intercept: (call, next) => {
      if (started === undefined) return next(call);
      if (call.method === 'tools/list') return next(call).pipe(started.support.learning);
      const { support } = started;
      if (call.method !== 'tools/call' || call.params?.task !== undefined) return next(call); // who gives `task` wants to see it through
      return defer(() => callThroughTask(linkNow(), support, call, next));
    },
    extend: (client: McpClient, report) => {
      started = { link: { client, pollIntervalMs, report }, listener: listen ? new TaskListener(client) : undefined, support: new ToolSupport(client) };
      return {
        callToolAsTask: (name, args = {}, { ttlMs, ...options } = {}) => {
          const asTask: AsTaskOptions = { ...options, [AS_TASK]: ttlMs === undefined ? {} : { ttl: ttlMs } };
          return client.callTool(name, args, { ...asTask, observe: 'events' });
        },
        task: (taskId, options = {}) =>
          defer(() => {
            if (typeof taskId !== 'string' || taskId === '') throw new ConfigError('A task needs an id');
            if (!client.connected) throw new NotConnectedError();
            const origin: Call = { method: 'tasks/get', params: { taskId }, options };
            const events$ = followTask(linkNow(), { taskId, origin, startedAt: asyncScheduler.now() }) as Observable<CallEvent<unknown>> as Observable<CallEvent<CallToolResult>>;
            const abortion$ = abortionOf(options);
            return abortion$ === undefined ? events$ : events$.pipe(takeUntil(abortion$));
          }),
        listTasks: listMethod<TaskState>({
          method: 'tasks/list',
          itemsKey: 'tasks',
          idKey: 'taskId',
          fetch: (params, options) => client.request('tasks/list', params, options),
          usable: (listed) => listed.map((task) => stateOf({ ...task })),
        }),
        cancelTask: (taskId, options) => client.request('tasks/cancel', { taskId }, options).pipe(ignoreElements()),
      };
    },
  };
}
