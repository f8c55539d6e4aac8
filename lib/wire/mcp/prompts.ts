/**
 * `prompts/list` and `prompts/get`.
 *
 * @module
 */
import type { BaseMetadata, Icons, Role } from './base.js';
import type { ContentBlock } from './content.js';
import type { InputResponseParams } from './input-required.js';
import type { CacheableResult, Meta, PaginatedParams, PaginatedResult, Result } from './meta.js';

/**
 * A value that a prompt takes.
 *
 * @see MCP 2026-07-28 schema, PromptArgument
 * @public
 */
export interface PromptArgument extends BaseMetadata {
  description?: string | undefined;
  required?: boolean | undefined;
}

/**
 * A prompt the server offers.
 *
 * @see MCP 2026-07-28 schema, Prompt
 * @public
 */
export interface Prompt extends BaseMetadata, Icons {
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  /** @since 2025-06-18 */
  _meta?: Meta | undefined;
}

/**
 * A message of a prompt.
 *
 * @see MCP 2026-07-28 schema, PromptMessage
 * @public
 */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/**
 * Params of `prompts/list`.
 *
 * @see MCP 2026-07-28 schema, ListPromptsRequest
 * @public
 */
export type ListPromptsParams = PaginatedParams;

/**
 * Result of `prompts/list`.
 *
 * @see MCP 2026-07-28 schema, ListPromptsResult
 * @public
 */
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  prompts: Prompt[];
}

/**
 * Params of `prompts/get`.
 *
 * @see MCP 2026-07-28 schema, GetPromptRequestParams
 * @public
 */
export interface GetPromptParams extends InputResponseParams {
  name: string;
  /** Values for the arguments of the prompt, always as text. */
  arguments?: Record<string, string> | undefined;
}

/**
 * Result of `prompts/get`.
 *
 * @see MCP 2026-07-28 schema, GetPromptResult
 * @public
 */
export interface GetPromptResult extends Result {
  description?: string | undefined;
  messages: PromptMessage[];
}
