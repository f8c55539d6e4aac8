import { concat, concatMap, defer, forkJoin, map, type Observable, of, take, takeUntil, throwError } from 'rxjs';
import { ProtocolError } from '../../errors.js';
import { abortionOf } from '../../session/abort.js';
import type { CallEvent, RequestOptions } from '../../session/request-options.js';
import { isObject, type JsonObject } from '../../wire/message.js';
import type { Call, CallHandler, ClientFeature } from '../feature.js';
import { InputNotSupportedError, InputRoundsError } from './input-errors.js';
import type { InputCheck, InputHandler } from './input-feature.js';

/** @see MCP 2026-07-28 Multi Round-Trip Requests, "Supported Requests" */
const MAY_ASK = ['tools/call', 'prompts/get', 'resources/read'];
const DEFAULT_MAX_ROUNDS = 8;

/** Answers one kind of question. */
export interface InputSource {
  readonly method: string;
  readonly check: InputCheck;
  readonly handler: InputHandler;
  readonly maxRounds: number | undefined;
  /** Errors once there is no use in asking anybody any more. */
  readonly closed$: Observable<never>;
}

/** In the options of a call, which interceptors hand on: everybody who can answer a question it raises. */
const SOURCES = Symbol('input sources');

interface SharedOptions extends RequestOptions {
  readonly [SOURCES]?: Set<InputSource>;
}

/** One call through all its rounds. Its state stays in here, so calls in parallel cannot mix theirs. */
interface Conversation {
  /** As the caller made it. */
  readonly origin: Call;
  readonly sources: Set<InputSource>;
  readonly next: CallHandler;
}

/**
 * Gives a call the input it asks for and sends it again, until it is complete.
 * Of several such interceptors the outermost does it, for all of them.
 *
 * Each round is a request with a deadline of its own; the time that handlers
 * take lies between them.
 *
 * @see MCP 2026-07-28 Multi Round-Trip Requests, "Client Requirements"
 */
export function fulfilling(source: InputSource): NonNullable<ClientFeature['intercept']> {
  return (call, next) => {
    const shared = (call.options as SharedOptions)[SOURCES];
    if (shared !== undefined) {
      shared.add(source);
      return next(call);
    }
    const sources = new Set([source]);
    const abortion$ = abortionOf(call.options);
    const resultTypes = [...(call.options.resultTypes ?? []), 'input_required'];
    const options: SharedOptions = { ...call.options, resultTypes, ...(abortion$ && { signal: undefined, abort$: undefined }), [SOURCES]: sources };
    const events$ = round({ origin: call, sources, next }, { ...call, options }, 0);
    return abortion$ === undefined ? events$ : events$.pipe(takeUntil(abortion$)); // once for all rounds
  };
}

function round(conversation: Conversation, call: Call, given: number): Observable<CallEvent<JsonObject>> {
  return conversation.next(call).pipe(
    concatMap((event) => {
      if (event.type !== 'result' || event.result.resultType !== 'input_required') return of(event);
      return answersTo(conversation, event.result, given).pipe(
        concatMap((input) => {
          const { inputResponses: _old, requestState: _oldState, ...params } = call.params ?? {};
          return round(conversation, { ...call, params: { ...params, ...input } }, given + 1);
        }),
      );
    }),
  );
}

/** What to add to the params of the next round. */
function answersTo({ origin, sources }: Conversation, result: JsonObject, given: number): Observable<JsonObject> {
  const [{ closed$ }] = [...sources] as [InputSource];
  const maxRounds = [...sources].find((source) => source.maxRounds !== undefined)?.maxRounds ?? DEFAULT_MAX_ROUNDS;
  return defer(() => {
    if (!MAY_ASK.includes(origin.method)) throw new ProtocolError(`The server asks for input on ${origin.method}, where it must not`);
    const { inputRequests, requestState } = result;
    if (inputRequests === undefined && requestState === undefined) throw new ProtocolError(`The server asks for input on ${origin.method} and does not say which`);
    if (given >= maxRounds) throw new InputRoundsError(origin.method, given);
    const state = requestState === undefined ? {} : { requestState };
    if (inputRequests === undefined) return of(state);
    return responsesTo(inputRequests, sources, origin).pipe(
      map((inputResponses) => ({ inputResponses, ...state })),
      takeUntil(closed$),
    );
  });
}

/** Nobody is asked anything unless everything can be answered. */
function responsesTo(requests: unknown, sources: Set<InputSource>, origin: Call): Observable<JsonObject> {
  if (!isObject(requests)) throw new ProtocolError('inputRequests is no object');
  const keys = Object.keys(requests);
  if (keys.length === 0) return of({});
  const answers = keys.map((key) => {
    const request = requests[key];
    if (!isObject(request) || typeof request.method !== 'string') throw new ProtocolError(`The input request "${key}" is no request`);
    const { method } = request;
    const params = isObject(request.params) ? request.params : {};
    const source = [...sources].find((one) => one.method === method);
    if (source === undefined) throw new InputNotSupportedError(method);
    source.check(params);
    const none$ = throwError(() => new ProtocolError(`The handler for ${method} completed without a result`));
    return concat(defer(() => source.handler(params, origin)), none$).pipe(take(1));
  });
  return forkJoin(answers).pipe(map((results) => Object.fromEntries(keys.map((key, index) => [key, results[index]])))); // also for a key like __proto__
}
