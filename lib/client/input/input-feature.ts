import { INVALID_PARAMS } from '../../wire/codes.js';
import { defer, filter, map, NEVER, type Observable, type ObservableInput } from 'rxjs';
import { ConfigError, ConnectionClosedError, McpError, RpcError } from '../../errors.js';
import type { ServerRequestHandler } from '../../session/server-requests.js';
import type { ClientCapabilities } from '../../wire/mcp/capabilities.js';
import type { JsonObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import type { Call, ClientFeature } from '../feature.js';
import { fulfilling } from './input-rounds.js';


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
      intercept: fulfilling({
        method,
        check,
        handler,
        maxRounds,
        closed$: defer(() => (owner === undefined ? NEVER : closingOf(owner))),
      }),
      extend: (client: McpClient, report: (error: unknown) => void) => {
        owner = client;
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
    return handler(params, undefined);
  };
}

/** Errors when the client is closed: between two rounds there is no request that would. */
function closingOf(client: McpClient): Observable<never> {
  return client.state$.pipe(
    filter(({ status }) => status === 'closed'),
    map(() => {
      throw new ConnectionClosedError();
    }),
  );
}

function checkRounds(rounds: number | undefined): void {
  if (rounds === undefined || (Number.isInteger(rounds) && rounds >= 0)) return;
  throw new ConfigError(`maxRounds must be a whole number, not ${rounds}`);
}
