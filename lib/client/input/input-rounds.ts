import { concatMap, defer, forkJoin, map, type Observable, of, takeUntil } from 'rxjs';
import { ProtocolError } from '../../errors.js';
import { abortionOf } from '../../session/abort.js';
import type { CallEvent, RequestOptions } from '../../session/request-options.js';
import type { JsonObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import { closingOf } from '../closing.js';
import type { Call, CallHandler, ClientFeature } from '../feature.js';
import { InputRoundsError } from './input-errors.js';
import { questionsIn, sourcesOf } from './input-sources.js';

/** @see MCP 2026-07-28 Multi Round-Trip Requests, "Supported Requests" */
const MAY_ASK = ['tools/call', 'prompts/get', 'resources/read'];
const DEFAULT_MAX_ROUNDS = 8;

/** In the options of a call, which interceptors hand on: an outer one sees to its rounds. */
const IS_SEEN_TO = Symbol('rounds are seen to');

interface RoundOptions extends RequestOptions {
  readonly [IS_SEEN_TO]?: true;
}

/** One call through all its rounds. Its state stays in here, so calls in parallel cannot mix theirs. */
interface Conversation {
  /** As the caller made it. */
  readonly origin: Call;
  readonly client: McpClient;
  readonly next: CallHandler;
}

/**
 * Gives a call the input it asks for and sends it again, until it is complete.
 * Of several such interceptors the outermost does it, for all of them.
 *
 * Each round is a request with a deadline of its own; the time that handlers
 * take lies between them.
 *
 * @param ownerOf - The client that the interceptor belongs to, once there is one.
 * @see MCP 2026-07-28 Multi Round-Trip Requests, "Client Requirements"
 */
export function fulfilling(ownerOf: () => McpClient | undefined): NonNullable<ClientFeature['intercept']> {
  return (call, next) => {
    const client = ownerOf();
    if (client === undefined || (call.options as RoundOptions)[IS_SEEN_TO]) return next(call);
    const abortion$ = abortionOf(call.options);
    const resultTypes = [...(call.options.resultTypes ?? []), 'input_required'];
    const options: RoundOptions = { ...call.options, resultTypes, ...(abortion$ && { signal: undefined, abort$: undefined }), [IS_SEEN_TO]: true };
    const events$ = round({ origin: call, client, next }, { ...call, options }, 0);
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
function answersTo({ origin, client }: Conversation, result: JsonObject, given: number): Observable<JsonObject> {
  return defer(() => {
    const sources = sourcesOf(client);
    const maxRounds = sources.find((source) => source.maxRounds !== undefined)?.maxRounds ?? DEFAULT_MAX_ROUNDS;
    if (!MAY_ASK.includes(origin.method)) throw new ProtocolError(`The server asks for input on ${origin.method}, where it must not`);
    const { inputRequests, requestState } = result;
    if (inputRequests === undefined && requestState === undefined) throw new ProtocolError(`The server asks for input on ${origin.method} and does not say which`);
    if (given >= maxRounds) throw new InputRoundsError(origin.method, given);
    const state = requestState === undefined ? {} : { requestState };
    if (inputRequests === undefined) return of(state);
    return allAnswers(questionsIn(inputRequests, sources, origin)).pipe(
      map((inputResponses) => ({ inputResponses, ...state })),
      takeUntil(closingOf(client)),
    );
  });
}

/** All are asked at once; emits when the last answer has come. */
function allAnswers(questions: Map<string, Observable<object>>): Observable<JsonObject> {
  if (questions.size === 0) return of({});
  const keys = [...questions.keys()];
  const answers = [...questions.values()];
  return forkJoin(answers).pipe(map((results) => Object.fromEntries(keys.map((key, index) => [key, results[index]])))); // also for a key like __proto__
}
