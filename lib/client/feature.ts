import type { Observable } from 'rxjs';
import type { CallEvent, RequestOptions } from '../session/request-options.js';
import type { ServerRequestHandlers } from '../session/server-requests.js';
import type { CommonConfig } from '../transport/config.js';
import type { Transport } from '../transport/transport.js';
import type { ClientCapabilities } from '../wire/mcp/capabilities.js';
import { isObject, type JsonObject } from '../wire/message.js';
import type { McpClient } from './client.js';

/** One call on its way to the server. @public */
export interface Call {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
}

/** Sends a call; the result is the last event. Cold. @public */
export type CallHandler = (call: Call) => Observable<CallEvent<JsonObject>>;

/**
 * A part of the client that not everyone needs, given when connecting. Made by
 * functions called `withX()`, so that a bundle holds what it uses.
 *
 * @typeParam Api - What it adds to the client.
 * @public
 */
export interface ClientFeature<Api extends object = object> {
  /** For messages. */
  readonly name: string;
  /** Declared to the server, beside the client's own. */
  readonly capabilities?: ClientCapabilities;
  /** Answers to the server's own requests, by method; an earlier feature's answer wins. */
  readonly requestHandlers?: ServerRequestHandlers;
  /** A way to reach a configured server: the only one for a type that no door knows, else a further one, for when HTTP says that it is not there. */
  readonly transport?: (config: CommonConfig) => (() => Transport) | undefined;
  /** Stands before every call: may change it, answer it, or call `next` again. The first feature is the outermost. */
  readonly intercept?: (call: Call, next: CallHandler) => Observable<CallEvent<JsonObject>>;
  /**
   * Members to add to the client.
   *
   * @param report - Takes failures that belong to no call; they come on `errors$`.
   */
  readonly extend?: (client: McpClient, report: (error: unknown) => void) => Api;
  /** Makes it anew for each client, where it has a state. */
  readonly create?: () => ClientFeature<Api>;
}

/** What a list of features adds to the client. @public */
export type FeatureApis<F extends readonly ClientFeature[]> = F extends readonly [ClientFeature<infer Api>, ...infer Rest extends readonly ClientFeature[]]
  ? Api & FeatureApis<Rest>
  : unknown;

/** A handler behind the features' interceptors; undefined when there are none. */
export function withFeatures(handler: CallHandler, features: readonly ClientFeature[]): CallHandler | undefined {
  const interceptors = features.flatMap(({ intercept }) => intercept ?? []);
  if (interceptors.length === 0) return undefined;
  return interceptors.reduceRight<CallHandler>((next, intercept) => (call) => intercept(call, next), handler);
}

/** All capabilities together; what is itself a collection, such as `experimental`, is joined too. */
export function mergedCapabilities(...all: (ClientCapabilities | undefined)[]): ClientCapabilities {
  const merged: JsonObject = {};
  for (const [name, value] of all.flatMap((some) => Object.entries(some ?? {}))) {
    const earlier = merged[name];
    merged[name] = isObject(earlier) && isObject(value) ? { ...earlier, ...value } : value;
  }
  return merged;
}
