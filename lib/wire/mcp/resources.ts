/**
 * `resources/list`, `resources/templates/list`, `resources/read` and the legacy
 * subscription to single resources.
 *
 * @module
 */
import type { InputResponseParams } from './input-required.js';
import type {
  CacheableResult,
  NotificationParams,
  PaginatedParams,
  PaginatedResult,
  RequestParams,
} from './meta.js';
import type {
  BlobResourceContents,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from './resource-types.js';

/**
 * Params of `resources/list`.
 *
 * @see MCP 2026-07-28 schema, ListResourcesRequest
 * @public
 */
export type ListResourcesParams = PaginatedParams;

/**
 * Result of `resources/list`.
 *
 * @see MCP 2026-07-28 schema, ListResourcesResult
 * @public
 */
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  resources: Resource[];
}

/**
 * Params of `resources/templates/list`.
 *
 * @see MCP 2026-07-28 schema, ListResourceTemplatesRequest
 * @public
 */
export type ListResourceTemplatesParams = PaginatedParams;

/**
 * Result of `resources/templates/list`.
 *
 * @see MCP 2026-07-28 schema, ListResourceTemplatesResult
 * @public
 */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  resourceTemplates: ResourceTemplate[];
}

/**
 * Params of `resources/read`.
 *
 * @see MCP 2026-07-28 schema, ReadResourceRequestParams
 * @public
 */
export interface ReadResourceParams extends InputResponseParams {
  uri: string;
}

/**
 * Result of `resources/read`. One URI can yield several contents, as for a
 * directory.
 *
 * @see MCP 2026-07-28 schema, ReadResourceResult
 * @public
 */
export interface ReadResourceResult extends CacheableResult {
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * Params of `resources/subscribe`. Removed in 2026-07-28, where
 * `subscriptions/listen` takes its place.
 *
 * @see MCP 2025-11-25 schema, SubscribeRequestParams
 * @public
 */
export interface SubscribeParams extends RequestParams {
  uri: string;
}

/**
 * Params of `resources/unsubscribe`. Removed in 2026-07-28.
 *
 * @see MCP 2025-11-25 schema, UnsubscribeRequestParams
 * @public
 */
export interface UnsubscribeParams extends RequestParams {
  uri: string;
}

/**
 * Params of `notifications/resources/updated`.
 *
 * @see MCP 2026-07-28 schema, ResourceUpdatedNotificationParams
 * @public
 */
export interface ResourceUpdatedParams extends NotificationParams {
  /** May lie below the URI that the client subscribed to. */
  uri: string;
}
