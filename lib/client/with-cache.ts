import { asyncScheduler, catchError, concat, defer, EMPTY, ignoreElements, of, switchMap, take, type Observable, type ObservableInput } from 'rxjs';
import { AbortError, McpError, RpcError } from '../errors.js';
import type { CallEvent } from '../session/request-options.js';
import { isObject, type JsonObject } from '../wire/message.js';
import { memoryStore, type CacheEntry, type CacheStore } from './cache-store.js';
import type { McpClient } from './client.js';
import type { Call, CallHandler, ClientFeature } from './feature.js';

/** @public */
export interface CacheOptions {
  /** @defaultValue {@link memoryStore} */
  readonly store?: CacheStore | undefined;
  /**
   * Whose results these are: what a server marks private is never given to
   * another. Name the user, not the token, which changes. @defaultValue one for all
   */
  readonly principal?: string | (() => string) | undefined;
  /** Tells servers apart where a store is shared: their name, or a hash of their configuration. @defaultValue '' */
  readonly server?: string | undefined;
  /** How long after its time a result may stand in for an error that is not the server's own, in milliseconds. @defaultValue 0 */
  readonly staleIfErrorMs?: number | undefined;
}

/** Methods whose results say how long they hold, and the notifications that end it. @see MCP 2026-07-28 Caching */
const CACHEABLE: Readonly<Record<string, string>> = {
  'server/discover': '',
  'tools/list': 'notifications/tools/list_changed',
  'prompts/list': 'notifications/prompts/list_changed',
  'resources/list': 'notifications/resources/list_changed',
  'resources/templates/list': 'notifications/resources/list_changed',
  'resources/read': 'notifications/resources/updated',
};

/**
 * Answers lists and reads from what the server said before, for as long as it
 * said (`ttlMs`), page by page; a change that the server announces ends it.
 * Calls with `cache: 'bypass'` go to the server and keep what it says.
 *
 * @see MCP 2026-07-28 Caching
 * @public
 */
export function withCache(options: CacheOptions = {}): ClientFeature {
  return { name: 'cache', create: () => cache(options) };
}

function cache({ store = memoryStore(), principal = '', server = '', staleIfErrorMs = 0 }: CacheOptions): ClientFeature {
  /** When each notification last came, by method, or by method and URI. */
  const changedAt = new Map<string, number>();

  const keyOf = ({ method, params }: Call, scope: string): string => {
    const whose = scope === 'public' ? '' : typeof principal === 'function' ? principal() : principal;
    return JSON.stringify([server, scope, whose, method, { ...params, _meta: undefined }]);
  };
  const isCurrent = ({ method, params }: Call, { askedAt }: CacheEntry): boolean => {
    const change = CACHEABLE[method] ?? '';
    return [change, `${change} ${String(params?.uri)}`].every((key) => askedAt > (changedAt.get(key) ?? -1));
  };
  const find = (call: Call): Observable<CacheEntry | undefined> => {
    const lookUp = (scope: string) => safely(() => store.get(keyOf(call, scope)));
    return lookUp('private').pipe(switchMap((entry) => (entry === undefined ? lookUp('public') : of(entry))));
  };
  const keep = (call: Call, askedAt: number, result: JsonObject): Observable<never> => {
    const { ttlMs, cacheScope } = result;
    if (typeof ttlMs !== 'number' || !(ttlMs > 0) || result.resultType === 'input_required') return EMPTY;
    return safely(() => store.set(keyOf(call, cacheScope === 'public' ? 'public' : 'private'), { result, askedAt, ttlMs })).pipe(ignoreElements());
  };
  const fetched = (call: Call, next: CallHandler): Observable<CallEvent<JsonObject>> => {
    const askedAt = asyncScheduler.now();
    return next(call).pipe(
      switchMap((event) => (event.type === 'result' && isObject(event.result) ? concat(keep(call, askedAt, event.result), of(event)) : of(event))),
    );
  };

  return {
    name: 'cache',
    intercept: (call, next) => {
      if (!Object.hasOwn(CACHEABLE, call.method) || isObject(call.params?.inputResponses)) return next(call);
      return defer(() => {
        if (call.options.cache === 'bypass') return fetched(call, next);
        return find(call).pipe(
          switchMap((entry) => {
            const ageMs = entry === undefined ? Infinity : asyncScheduler.now() - entry.askedAt;
            const known = entry !== undefined && isCurrent(call, entry) ? entry : undefined;
            if (known !== undefined && ageMs < known.ttlMs) return of(resultOf(known));
            return fetched(call, next).pipe(
              catchError((error: unknown) => {
                if (known === undefined || !isOfTheWay(error) || ageMs >= known.ttlMs + staleIfErrorMs) throw error;
                return of(resultOf(known));
              }),
            );
          }),
        );
      });
    },
    extend: (client: McpClient) => {
      client.notifications$.subscribe(({ method, params }) => {
        changedAt.set(typeof params?.uri === 'string' ? `${method} ${params.uri}` : method, asyncScheduler.now());
      });
      return {};
    },
  };
}

function resultOf({ result }: CacheEntry): CallEvent<JsonObject> {
  return { type: 'result', result };
}

/** Whether the server could not be asked; neither what it says itself nor the caller's own reason is that. */
function isOfTheWay(error: unknown): boolean {
  return error instanceof McpError && !(error instanceof RpcError) && !(error instanceof AbortError);
}

/** What a store gives, or undefined if it fails: a cache that is broken only costs time. */
function safely<T>(ask: () => ObservableInput<T>): Observable<T | undefined> {
  return concat(defer(ask).pipe(catchError(() => of(undefined))), of(undefined)).pipe(take(1));
}
