/**
 * The `_meta` objects of requests, notifications and results, and the base types
 * that carry them.
 *
 * @module
 */
import type { RequestId } from '../message.js';
import type { Cursor, Implementation, LoggingLevel, ProgressToken } from './base.js';
import type { ClientCapabilities } from './capabilities.js';

/**
 * The prefixed `_meta` keys that MCP reserves, by short name.
 *
 * @see MCP 2026-07-28, General fields, `_meta`
 */
export const META_KEYS = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const;

/**
 * Extra data that either side attaches to a message or object. Keys of your own
 * take a reverse domain prefix, as in `com.example/key`.
 *
 * @see MCP 2026-07-28 schema, MetaObject
 * @public
 */
export type Meta = Record<string, unknown>;

/**
 * Trace context in W3C format. These keys have no prefix on purpose.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28, General fields, OpenTelemetry trace context
 * @public
 */
export interface TraceMeta extends Meta {
  /** @since 2026-07-28 */
  traceparent?: string | undefined;
  /** @since 2026-07-28 */
  tracestate?: string | undefined;
  /** @since 2026-07-28 */
  baggage?: string | undefined;
}

/**
 * Names the task a message belongs to.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, RelatedTaskMetadata
 * @public
 */
export interface RelatedTaskMetadata {
  taskId: string;
}

/**
 * `_meta` of a request.
 *
 * 2026-07-28 requires the protocol version and the client capabilities on every
 * request. They are optional here because legacy revisions do not know them and
 * because the library fills them in.
 *
 * @see MCP 2026-07-28 schema, RequestMetaObject
 * @public
 */
export interface RequestMeta extends TraceMeta {
  /** Asks for progress notifications under this token. */
  progressToken?: ProgressToken | undefined;
  /** @since 2026-07-28 */
  'io.modelcontextprotocol/protocolVersion'?: string | undefined;
  /** @since 2026-07-28 */
  'io.modelcontextprotocol/clientInfo'?: Implementation | undefined;
  /**
   * What the client can do for this one request.
   *
   * @since 2026-07-28
   */
  'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities | undefined;
  /**
   * Least severe level to log at; without it the server logs nothing for this
   * request. Takes the place of `logging/setLevel`.
   *
   * @since 2026-07-28, deprecated from the start
   */
  'io.modelcontextprotocol/logLevel'?: LoggingLevel | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata | undefined;
}

/**
 * `_meta` of a notification.
 *
 * @see MCP 2026-07-28 schema, NotificationMetaObject
 * @public
 */
export interface NotificationMeta extends TraceMeta {
  /**
   * Id of the `subscriptions/listen` request whose stream carries this
   * notification; absent on any other notification.
   *
   * @since 2026-07-28
   */
  'io.modelcontextprotocol/subscriptionId'?: RequestId | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata | undefined;
}

/**
 * `_meta` of a result.
 *
 * @see MCP 2026-07-28 schema, ResultMetaObject
 * @public
 */
export interface ResultMeta extends TraceMeta {
  /**
   * Who answered. For display and logs only.
   *
   * @since 2026-07-28
   */
  'io.modelcontextprotocol/serverInfo'?: Implementation | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata | undefined;
}

/**
 * What the params of any request may hold.
 *
 * @see MCP 2026-07-28 schema, RequestParams
 * @public
 */
export interface RequestParams {
  _meta?: RequestMeta | undefined;
}

/**
 * What the params of any notification may hold.
 *
 * @see MCP 2026-07-28 schema, NotificationParams
 * @public
 */
export interface NotificationParams {
  _meta?: NotificationMeta | undefined;
}

/**
 * Kind of a result. Revisions before 2026-07-28 have no such field; take its
 * absence as `complete`.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, ResultType
 * @public
 */
export type ResultType = 'complete' | 'input_required' | (string & {});

/**
 * What every result may hold; unknown fields stay in place.
 *
 * @see MCP 2026-07-28 schema, Result
 * @public
 */
export interface Result {
  [key: string]: unknown;
  _meta?: ResultMeta | undefined;
  /** @since 2026-07-28 */
  resultType?: ResultType | undefined;
}

/**
 * A result that says success and nothing more.
 *
 * @see MCP 2026-07-28 schema, EmptyResult
 * @public
 */
export type EmptyResult = Result;

/**
 * Who may reuse a cached result: anyone, or only the same authorization context.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, CacheableResult
 * @public
 */
export type CacheScope = 'public' | 'private';

/**
 * A result with caching hints.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, CacheableResult
 * @public
 */
export interface CacheableResult extends Result {
  /**
   * Milliseconds the result stays fresh after it arrived. Absent or negative
   * counts as 0.
   *
   * @since 2026-07-28
   */
  ttlMs?: number | undefined;
  /** @since 2026-07-28 */
  cacheScope?: CacheScope | undefined;
}

/**
 * Params of a request for one page of a list.
 *
 * @see MCP 2026-07-28 schema, PaginatedRequestParams
 * @public
 */
export interface PaginatedParams extends RequestParams {
  /** Where to go on; the first page has none. */
  cursor?: Cursor | undefined;
}

/**
 * One page of a list.
 *
 * @see MCP 2026-07-28 schema, PaginatedResult
 * @public
 */
export interface PaginatedResult extends Result {
  /** Where the next page starts; absent on the last page. */
  nextCursor?: Cursor | undefined;
}
