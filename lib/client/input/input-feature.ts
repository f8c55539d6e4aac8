import { from, map, type ObservableInput } from 'rxjs';
import { ConfigError, McpError, RpcError } from '../../errors.js';
import type { ServerRequestHandler } from '../../session/server-requests.js';
import { INVALID_PARAMS } from '../../wire/codes.js';
import type { ClientCapabilities } from '../../wire/mcp/capabilities.js';
import { META_KEYS } from '../../wire/mcp/meta.js';
import { isObject, type JsonObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import type { Call, ClientFeature } from '../feature.js';
import { fulfilling } from './input-rounds.js';
import { sourcesOf } from './input-sources.js';

/** What the features that give input have in common. @public */
export interface InputOptions {
  /**
   * How often a call is sent again with the input it asked for; the answer to
   * the last one still counts. Of several features the first that says it is
   * heard. Since 2026-07-28. @defaultValue 8
   */
  readonly maxRounds?: number | undefined;
}

/** Throws when this question is none that the client has declared. */
export type InputCheck = (params: JsonObject) => void;

/** Answers one kind of question; the first value counts. */
export type InputHandler = (params: JsonObject, origin: Call | undefined) => ObservableInput<object>;

/** One kind of question a server may ask, as part of a client. */
export interface InputKind<Api extends object> extends InputOptions {
  readonly method: string;
  readonly capabilities: ClientCapabilities;
  readonly check: InputCheck;
  readonly handler: InputHandler;
  /** Members to add to the client; `report` takes failures that belong to no call. */
  readonly extend: (client: McpClient, report: (error: unknown) => void) => Api;
}

/**
 * A feature that answers a server, whichever way it asks: in a request of its
 * own up to 2025-11-25, in the result of a call since 2026-07-28.
 *
 * @param make - Is called again by `create`, for another client.
 */
export function inputFeature<Api extends object>(make: () => InputKind<Api>): ClientFeature<Api> {
  const create = (): ClientFeature<Api> => {
    const { method, capabilities, check, handler, extend, maxRounds } = make();
    checkRounds(maxRounds);
    let owner: McpClient | undefined;
    return {
      name: method,
      capabilities,
      requestHandlers: { [method]: asServerRequests(check, handler) },
      intercept: fulfilling(() => owner),
      extend: (client: McpClient, report: (error: unknown) => void) => {
        owner = client;
        sourcesOf(client).push({ method, check, handler, maxRounds });
        return extend(client, report);
      },
    };
  };
  return Object.assign(create(), { create });
}

/** A server that sends requests is told in an error what it may not ask. */
function asServerRequests(check: InputCheck, handler: InputHandler): ServerRequestHandler {
  return (params) => {
    try {
      check(params);
    } catch (error) {
      throw error instanceof McpError ? new RpcError(INVALID_PARAMS, error.message) : error;
    }
    return withRelatedTask(params, handler(params, undefined));
  };
}

/** What is asked for a task names it, and so does the answer. @see MCP 2025-11-25 Tasks, "Associating Task-Related Messages" */
function withRelatedTask({ _meta }: JsonObject, answer: ObservableInput<object>): ObservableInput<object> {
  const task = isObject(_meta) ? _meta[META_KEYS.relatedTask] : undefined;
  if (task === undefined) return answer;
  return from(answer).pipe(map((result) => ({ ...result, _meta: { ...(result as { _meta?: object })._meta, [META_KEYS.relatedTask]: task } })));
}

function checkRounds(rounds: number | undefined): void {
  if (rounds === undefined || (Number.isInteger(rounds) && rounds >= 0)) return;
  throw new ConfigError(`maxRounds must be a whole number, not ${rounds}`);
}
