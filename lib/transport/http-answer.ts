import { EMPTY, map, type Observable } from 'rxjs';
import { ParseError, RpcError } from '../errors.js';
import { consume } from '../framing/consume.js';
import { eventStream, type StreamItem } from '../framing/event-stream.js';
import { errorIn, isFailure, isJsonRpcMessage, isResponse, matchingId, type RequestId } from '../wire/message.js';
import { excerptOf, type Diagnostic } from './diagnostic.js';
import { httpError, readErrorBody, readText } from './http-body.js';
import type { HttpResponse } from './http-handler.js';

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Whether the body is an event stream, whatever its parameters. @see RFC 9110 §8.3.1 */
export function isEventStream({ headers }: HttpResponse): boolean {
  return /^\s*text\/event-stream\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/**
 * Hands the JSON values of an event stream to `onMessage`. Completes at its end.
 *
 * @throws {@link ParseError} the data of a message event is not JSON.
 */
export function readEvents({ body$ }: HttpResponse, maxBytes: number, onMessage: (value: unknown) => void, onDiagnostic: (diagnostic: Diagnostic) => void): Observable<never> {
  return body$.pipe(
    eventStream(maxBytes),
    consume((item) => {
      const value = messageOf(item, onDiagnostic);
      if (value !== undefined) onMessage(value);
    }),
  );
}

/**
 * Hands the JSON value of an answer that is one body to `onMessage`. Completes at its end.
 *
 * @throws {@link ParseError} the body is not JSON.
 */
export function readBody({ status, headers, body$ }: HttpResponse, maxBytes: number, onMessage: (value: unknown) => void): Observable<never> {
  if (status === 202 || status === 204) return EMPTY;
  return readText(body$, maxBytes).pipe(
    consume((text) => {
      onMessage(parseJson(text, (error) => new ParseError(error, excerptOf(text), status, headers.get('content-type') ?? undefined)));
    }),
  );
}

/**
 * Reads an answer that is not 2xx, and errors with what it says: a JSON-RPC
 * error for this call, for no id or for null, or else an HTTP error.
 */
export function readRefusal(response: HttpResponse, url: string, id: RequestId | undefined): Observable<never> {
  return readErrorBody(response).pipe(
    map((body) => {
      const value = parseJson(body, () => undefined);
      if (!isJsonRpcMessage(value) || !isFailure(value)) throw httpError(response, url, body);
      const { code, message, data } = errorIn(value);
      throw value.id == null || answersTo(value, id) ? new RpcError(code, message, data, response.status) : httpError(response, url, body);
    }),
  );
}

/** Whether a JSON value is the answer to the request with this id. */
export function answersTo(value: unknown, id: RequestId | undefined): boolean {
  return isJsonRpcMessage(value) && isResponse(value) && matchingId(value.id, (candidate) => candidate === id) !== undefined;
}

/**
 * The JSON value that an event carries.
 *
 * @returns undefined for events that carry none: other types, and empty data, which only sets the event id.
 * @throws {@link ParseError} the data is not JSON.
 */
export function messageOf(item: StreamItem, onDiagnostic: (diagnostic: Diagnostic) => void): unknown {
  if (item.type !== 'event') return undefined;
  const { event, data } = item.event;
  if (event !== undefined && event !== 'message') {
    onDiagnostic({ kind: 'skipped-event', message: `Skipped an event of type "${excerptOf(event)}"`, excerpt: excerptOf(data) });
    return undefined;
  }
  if (data === '') return undefined;
  try {
    return JSON.parse(data) as unknown;
  } catch (error) {
    if (data.trim() === '') return undefined;
    throw new ParseError(error, excerptOf(data));
  }
}

function parseJson(text: string, onError: (error: unknown) => Error | undefined): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const failure = onError(error);
    if (failure !== undefined) throw failure;
    return undefined;
  }
}
