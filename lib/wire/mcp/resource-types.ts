/**
 * Resources, resource templates and the contents of a resource.
 *
 * @module
 */
import type { Annotations, BaseMetadata, Icons } from './base.js';
import type { Meta } from './meta.js';

/**
 * A resource the server can read.
 *
 * @see MCP 2026-07-28 schema, Resource
 * @public
 */
export interface Resource extends BaseMetadata, Icons {
  uri: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** Bytes of the raw content, before any encoding. */
  size?: number | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}

/**
 * A pattern that yields resource URIs.
 *
 * @see MCP 2026-07-28 schema, ResourceTemplate
 * @public
 */
export interface ResourceTemplate extends BaseMetadata, Icons {
  /** URI template after RFC 6570. */
  uriTemplate: string;
  description?: string | undefined;
  /** Set only when it holds for each resource of the pattern. */
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}

/**
 * What text and binary contents have in common.
 *
 * @see MCP 2026-07-28 schema, ResourceContents
 * @public
 */
export interface ResourceContents {
  uri: string;
  mimeType?: string | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}

/**
 * A resource, or part of one, as text. Tell it from a blob with `'text' in contents`.
 *
 * @see MCP 2026-07-28 schema, TextResourceContents
 * @public
 */
export interface TextResourceContents extends ResourceContents {
  text: string;
}

/**
 * A resource, or part of one, as base64 data.
 *
 * @see MCP 2026-07-28 schema, BlobResourceContents
 * @public
 */
export interface BlobResourceContents extends ResourceContents {
  blob: string;
}
