import type { ObservableInput } from 'rxjs';
import type { CreateMessageParams, CreateMessageResult } from '../../wire/mcp/sampling.js';
import type { Call, ClientFeature } from '../feature.js';
import { InputNotSupportedError } from './input-errors.js';
import { inputFeature, type InputOptions } from './input-feature.js';
import { checkToolResults } from './tool-results.js';

/** @public */
export interface SamplingOptions extends InputOptions {
  /** Whether the handler honours `tools` and `toolChoice`; else a request with them is refused. @defaultValue false */
  readonly tools?: boolean | undefined;
  /** Whether the handler honours `includeContext`. @defaultValue false */
  readonly context?: boolean | undefined;
}

/**
 * Asks a model; the first value counts. It is unsubscribed when the answer is
 * no longer needed. To refuse, fail with an `RpcError`, by custom of code -1.
 *
 * @param origin - The call that needs the answer, where the server says so: since 2026-07-28.
 * @public
 */
export type SamplingHandler = (params: CreateMessageParams, origin: Call | undefined) => ObservableInput<CreateMessageResult>;

/**
 * Lets the server use a model of the client's.
 *
 * @see MCP 2026-07-28 Sampling
 * @public
 */
export function withSampling(handler: SamplingHandler, options: SamplingOptions = {}): ClientFeature {
  const { tools = false, context = false, maxRounds } = options;
  return inputFeature(() => ({
    method: 'sampling/createMessage',
    capabilities: { sampling: { ...(tools && { tools: {} }), ...(context && { context: {} }) } },
    check: (params) => {
      if (!tools && (params.tools !== undefined || params.toolChoice !== undefined)) throw new InputNotSupportedError('sampling/createMessage', 'tools');
      checkToolResults(params.messages);
    },
    handler: (params, origin) => handler(params as unknown as CreateMessageParams, origin), // servers are taken at their word
    maxRounds,
    extend: () => ({}),
  }));
}
