/**
 * `completion/complete`: suggestions for an argument.
 *
 * @module
 */
import type { BaseMetadata } from './base.js';
import type { RequestParams, Result } from './meta.js';

/**
 * Names a prompt by its `name`.
 *
 * @see MCP 2026-07-28 schema, PromptReference
 * @public
 */
export interface PromptReference extends BaseMetadata {
  type: 'ref/prompt';
}

/**
 * Names a resource or resource template.
 *
 * @see MCP 2026-07-28 schema, ResourceTemplateReference
 * @public
 */
export interface ResourceTemplateReference {
  type: 'ref/resource';
  /** URI or URI template. */
  uri: string;
}

/**
 * Params of `completion/complete`.
 *
 * @see MCP 2026-07-28 schema, CompleteRequestParams
 * @public
 */
export interface CompleteParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  /** The argument to complete, with what was typed so far. */
  argument: { name: string; value: string };
  /** @since 2025-06-18 */
  context?:
    | {
        /** Arguments that are settled. */
        arguments?: Record<string, string> | undefined;
      }
    | undefined;
}

/**
 * Result of `completion/complete`.
 *
 * @see MCP 2026-07-28 schema, CompleteResult
 * @public
 */
export interface CompleteResult extends Result {
  completion: {
    /** At most 100 suggestions. */
    values: string[];
    /** How many there are in all. */
    total?: number | undefined;
    /** There are more than `values` holds. */
    hasMore?: boolean | undefined;
  };
}
