import type { ProgressParams } from '../wire/mcp/notifications.js';
import { isObject, type JsonRpcRequest } from '../wire/message.js';
import { inWords } from './difference.js';
import type { ParamsMatch } from './script.js';
import type { ScriptedConnection } from './scripted-connection.js';
import { MarbleSetupError } from './testing-errors.js';
import { matches } from './difference.js';
import type { ParamsOf, ResultOf } from '../wire/methods.js';

/** What a server sends at a marble: a message, or a function that makes it of what is owed then. @public */
export type Inbound = object | ((connection: ScriptedConnection) => object);

/**
 * At its marble: the answer to the oldest request of this method that has none yet.
 *
 * @param match - Only a request whose params have all of this, or for which it says so.
 * @public
 */
export function answerTo<M extends string>(method: M, result: ResultOf<M> | Record<string, unknown>, match?: ParamsMatch<ParamsOf<M>>): Inbound {
  return (connection) => ({ id: oldest(connection, method, match).id, result });
}

/** At its marble: an error for the oldest request of this method that has no answer yet. @public */
export function failureOf<M extends string>(method: M, code: number, message: string, match?: ParamsMatch<ParamsOf<M>>): Inbound {
  return (connection) => ({ id: oldest(connection, method, match).id, error: { code, message } });
}

/** At its marble: progress of the oldest request of this method that has no answer yet. @public */
export function progressOf<M extends string>(method: M, progress: Omit<ProgressParams, 'progressToken'>, match?: ParamsMatch<ParamsOf<M>>): Inbound {
  return (connection) => {
    const { params } = oldest(connection, method, match);
    const progressToken = isObject(params?._meta) ? params._meta.progressToken : undefined;
    if (progressToken === undefined) throw new MarbleSetupError(`The client asked for no progress of ${method}: see onProgress and observe: 'events'`);
    return { method: 'notifications/progress', params: { progressToken, ...progress } };
  };
}

function oldest({ unanswered }: ScriptedConnection, method: string, match: ParamsMatch<never> = {}): JsonRpcRequest {
  const fits = (params: object): boolean => (typeof match === 'function' ? match(params as never) : matches(match, params));
  const found = unanswered.find((request) => request.method === method && fits(request.params ?? {}));
  if (found !== undefined) return found;
  const open = unanswered.map((request) => `${request.method} ${inWords(request.params)}`).join('; ');
  throw new MarbleSetupError(`There is no ${method} to answer at this marble; without an answer are: ${open || 'none'}`);
}
