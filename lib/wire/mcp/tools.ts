/**
 * `tools/list` and `tools/call`.
 *
 * @module
 */
import type { JsonObject } from '../message.js';
import type { ContentBlock } from './content.js';
import type { InputResponseParams } from './input-required.js';
import type { CacheableResult, PaginatedParams, PaginatedResult, Result } from './meta.js';
import type { TaskAugmentedParams } from './tasks.js';
import type { Tool } from './tool-types.js';

/**
 * Params of `tools/list`.
 *
 * @see MCP 2026-07-28 schema, ListToolsRequest
 * @public
 */
export type ListToolsParams = PaginatedParams;

/**
 * Result of `tools/list`.
 *
 * @see MCP 2026-07-28 schema, ListToolsResult
 * @public
 */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  tools: Tool[];
}

/**
 * Params of `tools/call`.
 *
 * @see MCP 2026-07-28 schema, CallToolRequestParams
 * @public
 */
export interface CallToolParams extends InputResponseParams, TaskAugmentedParams {
  /** Tool to call. */
  name: string;
  arguments?: JsonObject | undefined;
}

/**
 * Result of `tools/call`.
 *
 * @see MCP 2026-07-28 schema, CallToolResult
 * @public
 */
export interface CallToolResult extends Result {
  content: ContentBlock[];
  /**
   * An object in 2025-06-18 and 2025-11-25, any JSON value since 2026-07-28.
   *
   * @since 2025-06-18
   */
  structuredContent?: unknown;
  /**
   * The tool ran and failed; `content` says how, so that a model can react. A
   * call that does not reach the tool is a protocol error instead.
   */
  isError?: boolean | undefined;
}
