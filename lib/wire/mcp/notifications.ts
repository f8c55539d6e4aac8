/**
 * Notifications that belong to no single topic.
 *
 * @module
 */
import type { RequestId } from '../message.js';
import type { ProgressToken } from './base.js';
import type { NotificationParams } from './meta.js';

/**
 * Params of `notifications/progress`. Either side may send it in legacy
 * revisions, only the server since 2026-07-28.
 *
 * @see MCP 2026-07-28 schema, ProgressNotificationParams
 * @public
 */
export interface ProgressParams extends NotificationParams {
  /** The token of the request that is at work. */
  progressToken: ProgressToken;
  /** Grows with each notification. */
  progress: number;
  /** Value of `progress` at the end, when known. */
  total?: number | undefined;
  /** @since 2025-03-26 */
  message?: string | undefined;
}

/**
 * Params of `notifications/cancelled`. Since 2026-07-28 a server sends it only to
 * end a `subscriptions/listen` stream.
 *
 * @see MCP 2026-07-28 schema, CancelledNotificationParams
 * @public
 */
export interface CancelledParams extends NotificationParams {
  /** The request to cancel. Optional in 2025-11-25, required in all others. */
  requestId?: RequestId | undefined;
  /** For logs or display. */
  reason?: string | undefined;
}
