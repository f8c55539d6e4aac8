/**
 * Log messages of a server. Deprecated in 2026-07-28.
 *
 * @module
 */
import type { LoggingLevel } from './base.js';
import type { NotificationParams, RequestParams } from './meta.js';

/**
 * Params of `logging/setLevel`. Removed in 2026-07-28, where each request asks
 * for its level in `_meta`.
 *
 * @see MCP 2025-11-25 schema, SetLevelRequestParams
 * @public
 */
export interface SetLevelParams extends RequestParams {
  /** Least severe level to send. */
  level: LoggingLevel;
}

/**
 * Params of `notifications/message`.
 *
 * @see MCP 2026-07-28 schema, LoggingMessageNotificationParams
 * @public
 */
export interface LoggingMessageParams extends NotificationParams {
  level: LoggingLevel;
  /** Where the message comes from. */
  logger?: string | undefined;
  /** Any JSON value. */
  data: unknown;
}
