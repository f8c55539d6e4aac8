import { ProtocolError } from '../../errors.js';
import { MAX_TIMER_MS } from '../../transport/deadline-clock.js';
import type { TaskState } from '../../wire/mcp/tasks-extension.js';
import { isObject, type JsonObject } from '../../wire/message.js';

/** However often a server wants to be asked, in milliseconds. */
const MIN_POLL_MS = 100;

/** What the server said of a task at one moment. */
export interface Snapshot {
  readonly task: TaskState;
  /** As it came, with what belongs to the status. */
  readonly details: JsonObject;
}

/** @throws {@link ProtocolError} it says nothing of a task. */
export function snapshotOf(details: unknown): Snapshot {
  if (!isSnapshot(details)) throw new ProtocolError('The server tells of a task without taskId or status');
  return { task: stateOf(details), details };
}

export function isSnapshot(details: unknown): details is JsonObject {
  return isObject(details) && typeof details.taskId === 'string' && typeof details.status === 'string';
}

/** The state of a task of either form. */
export function stateOf(details: JsonObject): TaskState {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl = null, ttlMs = ttl, pollInterval, pollIntervalMs = pollInterval } = details;
  const optional = { ...(statusMessage !== undefined && { statusMessage }), ...(pollIntervalMs !== undefined && { pollIntervalMs }) };
  return { taskId, status, createdAt, lastUpdatedAt, ttlMs, ...optional } as TaskState; // servers are taken at their word
}

/** Whether nothing changes any more. */
export function isOver({ task: { status } }: Snapshot): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** How long to wait before asking again, in milliseconds. */
export function pollDelayOf({ task: { pollIntervalMs } }: Snapshot, defaultMs: number): number {
  const wanted: unknown = pollIntervalMs;
  return Math.min(Math.max(typeof wanted === 'number' ? wanted : defaultMs, MIN_POLL_MS), MAX_TIMER_MS);
}
