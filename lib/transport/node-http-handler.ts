import type { Agent as HttpAgent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { Observable } from 'rxjs';
import { builtin } from './builtin.js';
import { networkError } from './fetch-handler.js';
import type { HttpHandler, HttpResponse } from './http-handler.js';

/** @public */
export interface NodeHttpOptions {
  /** Makes and keeps the sockets for `http:` URLs. @defaultValue one that keeps them alive */
  readonly httpAgent?: HttpAgent | undefined;
  /** The same for `https:` URLs: the place for client certificates and proxies. @defaultValue one that keeps them alive */
  readonly httpsAgent?: HttpsAgent | undefined;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: () => builtin('node:zlib').createGunzip(),
  'x-gzip': () => builtin('node:zlib').createGunzip(),
  deflate: () => builtin('node:zlib').createInflate(),
  br: () => builtin('node:zlib').createBrotliDecompress(),
};
const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * An {@link HttpHandler} over `node:http` and `node:https`: what the Node door
 * takes by itself. It costs less than `fetch`, and a stream may stay silent for
 * as long as it likes, where Node's `fetch` ends it after five minutes.
 *
 * @public
 */
export function nodeHttpHandler({ httpAgent, httpsAgent }: NodeHttpOptions = {}): HttpHandler {
  let plain = httpAgent;
  let secure = httpsAgent;
  let last: { readonly url: string; readonly target: RequestOptions } | undefined;
  /** Taken apart once: nearly all requests go to one URL. */
  const targetOf = (url: string): RequestOptions => {
    if (last?.url !== url) last = { url, target: urlToHttpOptions(new URL(url)) };
    return last.target;
  };
  const send = (url: string, options: RequestOptions): ClientRequest => {
    const target = targetOf(url);
    if (target.protocol === 'https:') {
      const https = builtin('node:https');
      return https.request({ ...target, ...options, agent: (secure ??= new https.Agent({ keepAlive: true })) });
    }
    const http = builtin('node:http');
    return http.request({ ...target, ...options, agent: (plain ??= new http.Agent({ keepAlive: true })) });
  };
  return ({ method, url, headers, body }) =>
    new Observable((subscriber) => {
      let hasHead = false;
      let isOver = false;
      const request = send(url, { method, headers: { 'accept-encoding': ACCEPT_ENCODING, ...headers } });
      request.on('response', (message) => {
        hasHead = true;
        message.on('end', () => {
          isOver = true; // the socket goes back to the agent, and is no longer ours to end
        });
        subscriber.next(responseOf(message, url, () => {
          subscriber.complete();
        }));
      });
      request.on('error', (error) => {
        if (!hasHead) subscriber.error(networkError(url, error)); // else the body tells
      });
      request.end(body);
      return () => {
        if (!isOver) request.destroy();
      };
    });
}

function responseOf(message: IncomingMessage, url: string, onEnd: () => void): HttpResponse {
  const header = (name: string): string | null => {
    const value = message.headers[name.toLowerCase()];
    return value === undefined ? null : String(value);
  };
  const body$ = new Observable<Uint8Array>((subscriber) => {
    const decoder = DECODERS[header('content-encoding')?.trim().toLowerCase() ?? '']?.();
    const fail = (error: unknown) => {
      subscriber.error(networkError(url, error));
    };
    const stream: Readable = decoder === undefined ? message : pipeline(message, decoder, (error) => error && fail(error));
    stream.on('data', (chunk: Uint8Array) => {
      subscriber.next(chunk);
    });
    stream.on('error', fail);
    stream.on('end', () => {
      subscriber.complete();
      onEnd();
    });
  });
  return { status: message.statusCode ?? 0, statusText: message.statusMessage ?? '', headers: { get: header }, body$ };
}
