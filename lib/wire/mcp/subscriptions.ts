/**
 * `subscriptions/listen`: a stream of change notifications.
 *
 * Since 2026-07-28, instead of `resources/subscribe` and the HTTP GET stream.
 *
 * @module
 */
import type { RequestId } from '../message.js';
import type { NotificationParams, RequestParams, Result, ResultMeta } from './meta.js';

/**
 * Which notifications a stream carries. What is left out is not sent.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, SubscriptionFilter
 * @public
 */
export interface SubscriptionFilter {
  toolsListChanged?: boolean | undefined;
  promptsListChanged?: boolean | undefined;
  resourcesListChanged?: boolean | undefined;
  /** URIs of the resources to watch. */
  resourceSubscriptions?: string[] | undefined;
  /** Tasks to hear of, with the extension `io.modelcontextprotocol/tasks`. @see SEP-2663, "Task Status Notifications" */
  taskIds?: string[] | undefined;
}

/**
 * Params of `subscriptions/listen`.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, SubscriptionsListenRequestParams
 * @public
 */
export interface SubscriptionsListenParams extends RequestParams {
  notifications: SubscriptionFilter;
}

/**
 * `_meta` of {@link SubscriptionsListenResult}.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, SubscriptionsListenResultMetaObject
 * @public
 */
export interface SubscriptionsListenResultMeta extends ResultMeta {
  /** Id of the `subscriptions/listen` request. */
  'io.modelcontextprotocol/subscriptionId': RequestId;
}

/**
 * Result of `subscriptions/listen`: the server ended the stream in good order.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, SubscriptionsListenResult
 * @public
 */
export interface SubscriptionsListenResult extends Result {
  _meta: SubscriptionsListenResultMeta;
}

/**
 * Params of `notifications/subscriptions/acknowledged`, the first message of a
 * stream.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, SubscriptionsAcknowledgedNotificationParams
 * @public
 */
export interface SubscriptionsAcknowledgedParams extends NotificationParams {
  /** The part of the filter that the server honours. */
  notifications: SubscriptionFilter;
}
