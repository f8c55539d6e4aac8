import { EMPTY, map, type Observable } from 'rxjs';
import { ParseError, RpcError } from '../errors.js';
import { eventStream } from '../framing/event-stream.js';
import { errorIn, isFailure, isJsonRpcMessage, isResponse, matchingId, type JsonRpcMessage, type RequestId } from '../wire/message.js';
import { excerptOf, type Diagnostic } from './diagnostic.js';
import { httpError, readErrorBody, readText } from './http-body.js';
import type { HttpResponse } from './http-handler.js';
import { mediaType } from './http-headers.js';
import { messageOf } from './sse-listener.js';

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

export function isEventStream({ headers }: HttpResponse): boolean {
  return mediaType(headers.get('content-type')) === 'text/event-stream';
}

/**
 * Emits the JSON values of an answer to a request: the events of a stream, or
 * one body. Completes at the end of the body.
 *
 * @throws {@link ParseError} the body, or the data of a message event, is not JSON.
 */
export function readAnswer(response: HttpResponse, maxBytes: number, onDiagnostic: (diagnostic: Diagnostic) => void): Observable<unknown> {
  const { status, headers, body$ } = response;
  if (isEventStream(response)) {
    return body$.pipe(
      eventStream(maxBytes),
      map((item) => messageOf(item, onDiagnostic)),
    );
  }
  if (status === 202 || status === 204) return EMPTY;
  return readText(body$, maxBytes).pipe(
    map((text) => parseJson(text, (error) => new ParseError(error, excerptOf(text), status, headers.get('content-type') ?? undefined))),
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

/** Whether a message is the answer to the request with this id. */
export function answersTo(message: JsonRpcMessage, id: RequestId | undefined): boolean {
  return isResponse(message) && matchingId(message.id, (candidate) => candidate === id) !== undefined;
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
