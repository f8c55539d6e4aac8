/**
 * Content of messages and tool results.
 *
 * The unions list the kinds that the specification knows; narrow them by `type`.
 * A newer or odd server may send another kind. It passes through untouched, so
 * give a `switch` a default branch.
 *
 * @module
 */
import type { JsonObject } from '../message.js';
import type { Annotations } from './base.js';
import type { Meta } from './meta.js';
import type { BlobResourceContents, Resource, TextResourceContents } from './resource-types.js';

/** Fields that most content kinds share. */
interface ContentBase {
  annotations?: Annotations | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}

/**
 * Plain text.
 *
 * @see MCP 2026-07-28 schema, TextContent
 * @public
 */
export interface TextContent extends ContentBase {
  type: 'text';
  text: string;
}

/**
 * An image.
 *
 * @see MCP 2026-07-28 schema, ImageContent
 * @public
 */
export interface ImageContent extends ContentBase {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
}

/**
 * A sound.
 *
 * @since 2025-03-26
 * @see MCP 2026-07-28 schema, AudioContent
 * @public
 */
export interface AudioContent extends ContentBase {
  type: 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
}

/**
 * Points to a resource, which need not show up in `resources/list`.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, ResourceLink
 * @public
 */
export interface ResourceLink extends Resource {
  type: 'resource_link';
}

/**
 * Carries the contents of a resource.
 *
 * @see MCP 2026-07-28 schema, EmbeddedResource
 * @public
 */
export interface EmbeddedResource extends ContentBase {
  type: 'resource';
  resource: TextResourceContents | BlobResourceContents;
}

/**
 * One piece of a prompt message or tool result.
 *
 * @see MCP 2026-07-28 schema, ContentBlock
 * @public
 */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;

/**
 * A model asks to use a tool. Deprecated in 2026-07-28, with sampling.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, ToolUseContent
 * @public
 */
export interface ToolUseContent {
  type: 'tool_use';
  /** Links the later {@link ToolResultContent} to this use. */
  id: string;
  /** Tool to call. */
  name: string;
  /** Arguments for the tool. */
  input: JsonObject;
  /** Keep it when the message goes into a later request; caches may rely on it. */
  _meta?: Meta | undefined;
}

/**
 * What came out of a tool use. Deprecated in 2026-07-28, with sampling.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, ToolResultContent
 * @public
 */
export interface ToolResultContent {
  type: 'tool_result';
  /** The `id` of the {@link ToolUseContent} this answers. */
  toolUseId: string;
  content: ContentBlock[];
  /** An object in 2025-11-25, any JSON value since 2026-07-28. */
  structuredContent?: unknown;
  /** The use failed and `content` says how. Absent: it did not. */
  isError?: boolean | undefined;
  /** Keep it when the message goes into a later request; caches may rely on it. */
  _meta?: Meta | undefined;
}

/**
 * One piece of a sampling message. Text and image since 2024-11-05, audio since
 * 2025-03-26, tool use and tool result since 2025-11-25.
 *
 * @see MCP 2026-07-28 schema, SamplingMessageContentBlock
 * @public
 */
export type SamplingContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;
