import { concatMap, defer, first, map, type Observable } from 'rxjs';
import { NoResponseError, ParseError, RequestTimeoutError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { deadline, checkTimeout } from '../transport/deadline.js';
import { DEFAULT_TIMEOUT_MS } from '../session/request-options.js';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../transport/config.js';
import { excerptOf } from '../transport/diagnostic.js';
import { fetchHandler } from '../transport/fetch-handler.js';
import { failWith, readText } from '../transport/http-body.js';
import { intercepted, type HttpHandler } from '../transport/http-handler.js';
import { checkHeaders, type HeaderFields } from '../transport/http-headers.js';
import { followRedirects } from '../transport/redirects.js';
import type { JsonObject, JsonRpcResponse } from '../wire/message.js';

/** @public */
export interface CallMcpOptions {
  /** Sent with the request. */
  readonly headers?: HeaderFields | undefined;
  /** @defaultValue 30_000 */
  readonly timeoutMs?: number | undefined;
  /** What sends the request. @defaultValue `fetchHandler()` */
  readonly handler?: HttpHandler | undefined;
}

const ID = 1;

/**
 * One direct HTTP call, without transport, handshake or session: for servers
 * that take that, and for looking at what they say. Cold.
 *
 * @returns the JSON-RPC envelope as it came, result or error.
 * @throws {@link HttpError}, {@link NetworkError}, {@link ParseError}, {@link RequestTimeoutError}
 * @public
 */
export function callMCP(url: string, method: string, params?: JsonObject, options: CallMcpOptions = {}): Observable<JsonRpcResponse> {
  const { headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS, handler = fetchHandler() } = options;
  const response$ = defer(() => {
    checkTimeout('timeoutMs', timeoutMs);
    return intercepted(handler, [followRedirects()])({
      method: 'POST',
      url,
      headers: { ...checkHeaders(headers), accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: encodeMessage({ jsonrpc: '2.0', id: ID, method, params }),
    });
  });
  return response$.pipe(
    concatMap((response) =>
      response.status >= 200 && response.status < 300 ? readText(response.body$, DEFAULT_MAX_MESSAGE_BYTES) : failWith(response, url),
    ),
    first(null, ''),
    map((text) => {
      if (text === '') throw new NoResponseError(ID);
      return parseSSE(text);
    }),
    deadline({ ms: timeoutMs, error: () => new RequestTimeoutError(method, timeoutMs) }),
  );
}

/**
 * The JSON of a whole HTTP body: of its first `data:` line, else of the body itself.
 *
 * @throws {@link ParseError} it is no JSON.
 * @public
 */
export function parseSSE(text: string): JsonRpcResponse {
  const body = text.replace(/^\ufeff/, '');
  // A priming event has no data; U+2028 and the like end no line here.
  const data = /(?:^|[\r\n])data: ?([^\r\n]*\S[^\r\n]*)/.exec(body)?.[1];
  try {
    return JSON.parse(data ?? body) as JsonRpcResponse;
  } catch (error) {
    throw new ParseError(error, excerptOf(data ?? body));
  }
}
