import type { Observable } from 'rxjs';
import { ProtocolError } from '../../errors.js';
import { resultOf } from '../../session/server-requests.js';
import { isObject, type JsonObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import type { Call } from '../feature.js';
import { InputNotSupportedError } from './input-errors.js';
import type { InputCheck, InputHandler } from './input-feature.js';

/** Answers one kind of question. */
export interface InputSource {
  readonly method: string;
  readonly check: InputCheck;
  readonly handler: InputHandler;
  readonly maxRounds: number | undefined;
}

const SOURCES = new WeakMap<McpClient, InputSource[]>();

/** Everybody of a client who can answer questions, in the order of its features. */
export function sourcesOf(client: McpClient): InputSource[] {
  const sources = SOURCES.get(client) ?? [];
  SOURCES.set(client, sources);
  return sources;
}

/**
 * The questions under their keys, each asked when its Observable is subscribed,
 * which emits the answer. There are none to ask unless all can be answered.
 *
 * @throws {@link ProtocolError} what there is are no questions.
 * @throws {@link InputNotSupportedError} the client has not declared one of them.
 */
export function questionsIn(requests: unknown, sources: readonly InputSource[], origin: Call): Map<string, Observable<object>> {
  if (!isObject(requests)) throw new ProtocolError('inputRequests is no object');
  return new Map(Object.entries(requests).map(([key, request]) => [key, questionIn(key, request, sources, origin)]));
}

function questionIn(key: string, request: unknown, sources: readonly InputSource[], origin: Call): Observable<object> {
  if (!isObject(request) || typeof request.method !== 'string') throw new ProtocolError(`The input request "${key}" is no request`);
  const { method } = request;
  const params: JsonObject = isObject(request.params) ? request.params : {};
  const source = sources.find((one) => one.method === method);
  if (source === undefined) throw new InputNotSupportedError(method);
  source.check(params);
  return resultOf(method, () => source.handler(params, origin));
}
