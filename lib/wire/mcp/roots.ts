/**
 * `roots/list`: a server asks the client which directories or files to work on.
 *
 * A request of its own in legacy revisions, an input request since 2026-07-28,
 * which also deprecates the feature.
 *
 * @module
 */
import type { Meta, RequestParams, Result } from './meta.js';

/**
 * A directory or file to work on.
 *
 * @see MCP 2026-07-28 schema, Root
 * @public
 */
export interface Root {
  /** Starts with `file://` in all revisions so far. */
  uri: string;
  name?: string | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}

/**
 * Params of `roots/list`.
 *
 * @see MCP 2026-07-28 schema, ListRootsRequest
 * @public
 */
export type ListRootsParams = RequestParams;

/**
 * Result of `roots/list`.
 *
 * @see MCP 2026-07-28 schema, ListRootsResult
 * @public
 */
export interface ListRootsResult extends Result {
  roots: Root[];
}
