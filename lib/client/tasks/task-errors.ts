import { McpError } from '../../errors.js';
import type { TaskState } from '../../wire/mcp/tasks-extension.js';

/** A task failed or was cancelled: there is no result. The server's JSON-RPC error, if there is one, is the `cause`. @public */
export class TaskError extends McpError {
  override readonly name = 'TaskError';
  readonly taskId: string;
  readonly status: TaskState['status'];
  readonly statusMessage: string | undefined;

  /** @param task - As it ended. */
  constructor(task: TaskState, options?: { readonly cause?: McpError | undefined }) {
    const { taskId, status, statusMessage = options?.cause?.message } = task;
    super(`Task ${taskId} ${status === 'cancelled' ? 'was cancelled' : 'failed'}${statusMessage === undefined ? '' : `: ${statusMessage}`}`, options);
    this.taskId = taskId;
    this.status = status;
    this.statusMessage = task.statusMessage;
  }
}

/** The server does not know a task: there never was one of that id, or it has expired. @public */
export class TaskNotFoundError extends McpError {
  override readonly name = 'TaskNotFoundError';

  constructor(
    readonly taskId: string,
    options?: ErrorOptions,
  ) {
    super(`The server knows no task ${taskId}; it may have expired`, options);
  }
}

/**
 * The server could not be asked about a task any more; why is the `cause`. The
 * task may still run: `client.task(taskId)` takes it up again.
 *
 * @public
 */
export class TaskLostError extends McpError {
  override readonly name = 'TaskLostError';

  constructor(
    readonly taskId: string,
    override readonly cause: Error,
  ) {
    super(`Task ${taskId} may still run, but cannot be followed: ${cause.message}`, { cause });
  }
}
