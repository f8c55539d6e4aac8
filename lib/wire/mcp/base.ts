/**
 * Building blocks that several MCP methods share: tokens, names, icons,
 * annotations and log levels.
 *
 * The types in this folder merge every revision from 2024-11-05 to 2026-07-28.
 * A field that only some revisions know is optional and says since when. No type
 * here checks anything at run time: what a server sends beyond the declared
 * fields reaches the caller untouched.
 *
 * @module
 */

/**
 * Ties progress notifications to the request that asked for them.
 *
 * @see MCP 2026-07-28 schema, ProgressToken
 * @public
 */
export type ProgressToken = string | number;

/**
 * Position in a paginated list. Opaque: hand it back as it came.
 *
 * @see MCP 2026-07-28 schema, Cursor
 * @public
 */
export type Cursor = string;

/**
 * Who speaks, or who a piece of data is meant for.
 *
 * @see MCP 2026-07-28 schema, Role
 * @public
 */
export type Role = 'user' | 'assistant';

/**
 * The log levels of RFC 5424, from the least to the most severe.
 *
 * @see MCP 2026-07-28 schema, LoggingLevel
 */
export const LOGGING_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/**
 * Severity of a log message. The logging feature is deprecated in 2026-07-28.
 *
 * @see MCP 2026-07-28 schema, LoggingLevel
 * @public
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/**
 * A machine name together with a label for people.
 *
 * @see MCP 2026-07-28 schema, BaseMetadata
 * @public
 */
export interface BaseMetadata {
  /** Identifier for programs; shown to people only when there is no `title`. */
  name: string;
  /**
   * Label for people.
   *
   * @since 2025-06-18
   */
  title?: string | undefined;
}

/**
 * An image that stands for a server, client, tool, prompt or resource.
 *
 * An icon comes from the other side, so check where `src` points before loading
 * it, and remember that an SVG can carry scripts.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, Icon
 * @public
 */
export interface Icon {
  /** An `https:`, `http:` or `data:` URI. */
  src: string;
  /** Overrides the media type that the source itself reports. */
  mimeType?: string | undefined;
  /** Sizes the image suits, such as `48x48`, or `any`. Absent: every size. */
  sizes?: string[] | undefined;
  /** Background the image is drawn for. Absent: both. */
  theme?: 'light' | 'dark' | undefined;
}

/**
 * Something that may have icons.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, Icons
 * @public
 */
export interface Icons {
  /** @since 2025-11-25 */
  icons?: Icon[] | undefined;
}

/**
 * Name and version of a client or server. Nothing verifies what it says.
 *
 * @see MCP 2026-07-28 schema, Implementation
 * @public
 */
export interface Implementation extends BaseMetadata, Icons {
  version: string;
  /** @since 2025-11-25 */
  description?: string | undefined;
  /** @since 2025-11-25 */
  websiteUrl?: string | undefined;
}

/**
 * Hints on how to show or use a piece of data.
 *
 * @see MCP 2026-07-28 schema, Annotations
 * @public
 */
export interface Annotations {
  /** Who the data is meant for. */
  audience?: Role[] | undefined;
  /** From 0 (can be left out) to 1 (needed). */
  priority?: number | undefined;
  /**
   * ISO 8601 time of the last change.
   *
   * @since 2025-06-18
   */
  lastModified?: string | undefined;
}
