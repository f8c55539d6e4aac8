/**
 * Tasks of 2025-11-25: requests that answer at once with a handle and deliver
 * their result later. They were experimental and left the core protocol in
 * 2026-07-28.
 *
 * @module
 */
import type { NotificationParams, PaginatedParams, PaginatedResult, RequestParams, Result } from './meta.js';

/**
 * Where a task stands. The last three do not change any more.
 *
 * `input_required` means that the receiver waits for an answer of the requestor.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, TaskStatus
 * @public
 */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/**
 * Asks for a request to run as a task.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, TaskMetadata
 * @public
 */
export interface TaskMetadata {
  /** Milliseconds to keep the task, from its creation on. */
  ttl?: number | undefined;
}

/**
 * Params of a request that can run as a task.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, TaskAugmentedRequestParams
 * @public
 */
export interface TaskAugmentedParams extends RequestParams {
  /**
   * When present, the answer is a {@link CreateTaskResult}.
   *
   * @since 2025-11-25, experimental; removed in 2026-07-28
   */
  task?: TaskMetadata | undefined;
}

/**
 * State of a task.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, Task
 * @public
 */
export interface Task {
  taskId: string;
  status: TaskStatus;
  /** Explains `status` to people. */
  statusMessage?: string | undefined;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds the receiver keeps the task; `null` means without end. */
  ttl: number | null;
  /** Milliseconds to wait between polls. */
  pollInterval?: number | undefined;
}

/**
 * First answer to a request that runs as a task. Its `_meta` may hold a text for
 * the model under `io.modelcontextprotocol/model-immediate-response`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, CreateTaskResult
 * @public
 */
export interface CreateTaskResult extends Result {
  task: Task;
}

/** Params that name one task. */
interface TaskIdParams extends RequestParams {
  taskId: string;
}

/**
 * Params of `tasks/get`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, GetTaskRequest
 * @public
 */
export type GetTaskParams = TaskIdParams;

/**
 * Result of `tasks/get`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, GetTaskResult
 * @public
 */
export interface GetTaskResult extends Result, Task {}

/**
 * Params of `tasks/result`, which answers once the task is over.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, GetTaskPayloadRequest
 * @public
 */
export type GetTaskPayloadParams = TaskIdParams;

/**
 * Result of `tasks/result`: what the request would have returned without a task.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, GetTaskPayloadResult
 * @public
 */
export type GetTaskPayloadResult = Result;

/**
 * Params of `tasks/list`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, ListTasksRequest
 * @public
 */
export type ListTasksParams = PaginatedParams;

/**
 * Result of `tasks/list`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, ListTasksResult
 * @public
 */
export interface ListTasksResult extends PaginatedResult {
  tasks: Task[];
}

/**
 * Params of `tasks/cancel`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, CancelTaskRequest
 * @public
 */
export type CancelTaskParams = TaskIdParams;

/**
 * Result of `tasks/cancel`.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, CancelTaskResult
 * @public
 */
export interface CancelTaskResult extends Result, Task {}

/**
 * Params of `notifications/tasks/status`. Receivers need not send it, so go on
 * polling.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, TaskStatusNotificationParams
 * @public
 */
export interface TaskStatusParams extends NotificationParams, Task {}
