/**
 * `sampling/createMessage`: a server asks the client for a model's answer.
 *
 * A request of its own in legacy revisions, an input request since 2026-07-28,
 * which also deprecates the feature.
 *
 * @module
 */
import type { JsonObject } from '../message.js';
import type { Role } from './base.js';
import type { SamplingContentBlock } from './content.js';
import type { Meta, Result, ResultMeta } from './meta.js';
import type { TaskAugmentedParams } from './tasks.js';
import type { Tool } from './tool-types.js';

/**
 * A message to or from a model.
 *
 * @see MCP 2026-07-28 schema, SamplingMessage
 * @public
 */
export interface SamplingMessage {
  role: Role;
  /** A list since 2025-11-25, before always a single block. */
  content: SamplingContentBlock | SamplingContentBlock[];
  /** @since 2025-11-25 */
  _meta?: Meta | undefined;
}

/**
 * A wish for a model.
 *
 * @see MCP 2026-07-28 schema, ModelHint
 * @public
 */
export interface ModelHint {
  /** Part of a model name; a client may map it to a similar model. */
  name?: string | undefined;
}

/**
 * What the server cares about in a model. Advice only. Priorities run from 0
 * (does not matter) to 1 (matters most).
 *
 * @see MCP 2026-07-28 schema, ModelPreferences
 * @public
 */
export interface ModelPreferences {
  /** The first hint that fits wins, ahead of the priorities. */
  hints?: ModelHint[] | undefined;
  /** Weight of a low price. */
  costPriority?: number | undefined;
  /** Weight of a quick answer. */
  speedPriority?: number | undefined;
  /** Weight of strong abilities. */
  intelligencePriority?: number | undefined;
}

/**
 * How the model may use tools.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, ToolChoice
 * @public
 */
export interface ToolChoice {
  /** As it likes, at least one, or none. Absent: `auto`. */
  mode?: 'auto' | 'required' | 'none' | undefined;
}

/**
 * Params of `sampling/createMessage`.
 *
 * @see MCP 2026-07-28 schema, CreateMessageRequestParams
 * @public
 */
export interface CreateMessageParams extends TaskAugmentedParams {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences | undefined;
  /** The client may change it or leave it out. */
  systemPrompt?: string | undefined;
  /**
   * Context of MCP servers to add; the client may ignore it. Absent: `none`. The
   * other values are deprecated since 2025-11-25.
   */
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  temperature?: number | undefined;
  /** Upper limit; the client may take fewer. */
  maxTokens: number;
  stopSequences?: string[] | undefined;
  /** Goes on to the model provider. */
  metadata?: JsonObject | undefined;
  /**
   * Tools for the model. Needs the capability `sampling.tools`.
   *
   * @since 2025-11-25
   */
  tools?: Tool[] | undefined;
  /**
   * Needs the capability `sampling.tools`.
   *
   * @since 2025-11-25
   */
  toolChoice?: ToolChoice | undefined;
}

/**
 * Why a model stopped; `toolUse` since 2025-11-25. A provider may have reasons of
 * its own.
 *
 * @see MCP 2026-07-28 schema, CreateMessageResult
 * @public
 */
export type StopReason = 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {});

/**
 * Result of `sampling/createMessage`.
 *
 * @see MCP 2026-07-28 schema, CreateMessageResult
 * @public
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** The model that answered. */
  model: string;
  stopReason?: StopReason | undefined;
  _meta?: ResultMeta | undefined;
}
