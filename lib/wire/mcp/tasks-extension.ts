/**
 * Tasks of the extension `io.modelcontextprotocol/tasks`, for 2026-07-28: a
 * server may answer a call with a handle, and gives the result later. The types
 * follow the text of the extension, since no schema of the core has them.
 *
 * @see SEP-2663
 * @module
 */
import type { JsonObject, JsonRpcErrorObject } from '../message.js';
import type { InputRequests, InputResponses } from './input-required.js';
import type { NotificationParams, RequestParams, Result } from './meta.js';
import type { TaskStatus } from './tasks.js';

/**
 * State of a task. Tasks of 2025-11-25 are told of in this form too.
 *
 * @see SEP-2663, "Tasks"
 * @public
 */
export interface TaskState {
  taskId: string;
  status: TaskStatus;
  /** Explains `status` to people. */
  statusMessage?: string | undefined;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds the server keeps the task, from its creation on; `null` means without end. May change. */
  ttlMs: number | null;
  /** Milliseconds to wait between polls. May change. */
  pollIntervalMs?: number | undefined;
}

/** A task at work. @see SEP-2663, "Task Status" @public */
export interface WorkingTask extends TaskState {
  status: 'working';
}

/** A task that waits for the client. @see SEP-2663, "Task Status" @public */
export interface InputRequiredTask extends TaskState {
  status: 'input_required';
  /** All that is needed now; a key never comes to mean something else. */
  inputRequests: InputRequests;
}

/** A task that has its result, which may say `isError`. @see SEP-2663, "Task Status" @public */
export interface CompletedTask extends TaskState {
  status: 'completed';
  /** What the call would have returned without a task. */
  result: JsonObject;
}

/** A task that ended in a JSON-RPC error. @see SEP-2663, "Task Status" @public */
export interface FailedTask extends TaskState {
  status: 'failed';
  error: JsonRpcErrorObject;
}

/** A task that was cancelled. @see SEP-2663, "Task Status" @public */
export interface CancelledTask extends TaskState {
  status: 'cancelled';
}

/** A task with what belongs to its status; narrow by `status`. @see SEP-2663, "Task Status" @public */
export type DetailedTask = WorkingTask | InputRequiredTask | CompletedTask | FailedTask | CancelledTask;

/** Result of a call that goes on as a task. @see SEP-2663, "Task Creation" @public */
export interface CreatedTaskResult extends Result, TaskState {
  resultType: 'task';
}

/** Result of `tasks/get`. @see SEP-2663, "Task Polling" @public */
export type DetailedTaskResult = Result & DetailedTask;

/** Params of `tasks/update`. @see SEP-2663, "Task Update Requests" @public */
export interface UpdateTaskParams extends RequestParams {
  taskId: string;
  /** Answers to some or all of what is needed. */
  inputResponses: InputResponses;
}

/**
 * Params of `notifications/tasks`, for who named the task in the filter of
 * `subscriptions/listen`.
 *
 * @see SEP-2663, "Task Status Notifications"
 * @public
 */
export type TaskNotificationParams = NotificationParams & DetailedTask;
