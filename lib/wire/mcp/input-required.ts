/**
 * Multi round-trip requests: instead of sending a request of its own, a server
 * answers that it needs input first, and the client asks again with that input.
 *
 * Since 2026-07-28, for `tools/call`, `prompts/get` and `resources/read`.
 *
 * @module
 */
import type { ElicitParams, ElicitResult } from './elicitation.js';
import type { RequestParams, Result } from './meta.js';
import type { ListRootsParams, ListRootsResult } from './roots.js';
import type { CreateMessageParams, CreateMessageResult } from './sampling.js';

/**
 * One thing a server needs; narrow by `method`.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, InputRequest
 * @public
 */
export type InputRequest =
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'elicitation/create'; params: ElicitParams }
  | { method: 'roots/list'; params?: ListRootsParams | undefined };

/**
 * The answer to one {@link InputRequest}.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, InputResponse
 * @public
 */
export type InputResponse = CreateMessageResult | ElicitResult | ListRootsResult;

/**
 * What a server needs, under keys it chose.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, InputRequests
 * @public
 */
export type InputRequests = Record<string, InputRequest>;

/**
 * The answers, under the keys of {@link InputRequests}.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, InputResponses
 * @public
 */
export type InputResponses = Record<string, InputResponse>;

/**
 * Says that a request needs input before it can go on. Holds `inputRequests`,
 * `requestState` or both.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, InputRequiredResult
 * @public
 */
export interface InputRequiredResult extends Result {
  resultType: 'input_required';
  inputRequests?: InputRequests | undefined;
  /** Opaque: hand it back as it came, and only if it came. */
  requestState?: string | undefined;
}

/**
 * Params of a request that can go through several rounds.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, InputResponseRequestParams
 * @public
 */
export interface InputResponseParams extends RequestParams {
  /**
   * One answer for each input the last round asked for.
   *
   * @since 2026-07-28
   */
  inputResponses?: InputResponses | undefined;
  /**
   * The state of the last round.
   *
   * @since 2026-07-28
   */
  requestState?: string | undefined;
}
