/**
 * How a tool describes itself.
 *
 * @module
 */
import type { JsonObject } from '../message.js';
import type { BaseMetadata, Icons } from './base.js';
import type { Meta } from './meta.js';

/**
 * Hints on what a tool does. Do not build trust on them when you do not trust
 * the server.
 *
 * @since 2025-03-26
 * @see MCP 2026-07-28 schema, ToolAnnotations
 * @public
 */
export interface ToolAnnotations {
  title?: string | undefined;
  /** Changes nothing around it. Absent: false. */
  readOnlyHint?: boolean | undefined;
  /** May destroy or overwrite things; only for tools that change any. Absent: true. */
  destructiveHint?: boolean | undefined;
  /** Calling again with equal arguments adds no effect. Absent: false. */
  idempotentHint?: boolean | undefined;
  /** Reaches out to an unbounded world, such as the web. Absent: true. */
  openWorldHint?: boolean | undefined;
}

/**
 * How a tool wants to be run.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, ToolExecution
 * @public
 */
export interface ToolExecution {
  /** Whether a call may, must or must not run as a task. Absent: `forbidden`. */
  taskSupport?: 'forbidden' | 'optional' | 'required' | undefined;
}

/**
 * JSON Schema for the arguments of a tool. The root is always an object.
 *
 * Legacy revisions know the keywords below; 2026-07-28 allows any keyword of JSON
 * Schema 2020-12, which is also the default dialect.
 *
 * @see MCP 2026-07-28 schema, Tool
 * @public
 */
export interface ToolInputSchema {
  [keyword: string]: unknown;
  /** @since 2025-11-25 */
  $schema?: string | undefined;
  type: 'object';
  properties?: JsonObject | undefined;
  required?: string[] | undefined;
}

/**
 * JSON Schema for `structuredContent`. Its root is an object in 2025-06-18 and
 * 2025-11-25 and can be anything since 2026-07-28.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, Tool
 * @public
 */
export interface ToolOutputSchema {
  [keyword: string]: unknown;
  /** @since 2025-11-25 */
  $schema?: string | undefined;
}

/**
 * A tool the client can call. For a label take `title`, then
 * `annotations.title`, then `name`.
 *
 * @see MCP 2026-07-28 schema, Tool
 * @public
 */
export interface Tool extends BaseMetadata, Icons {
  description?: string | undefined;
  inputSchema: ToolInputSchema;
  /** @since 2025-06-18 */
  outputSchema?: ToolOutputSchema | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  execution?: ToolExecution | undefined;
  /** @since 2025-03-26 */
  annotations?: ToolAnnotations | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}
