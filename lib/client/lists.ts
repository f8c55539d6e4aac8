import { concatMap, identity, map, type Observable } from 'rxjs';
import { RequestTimeoutError } from '../errors.js';
import { DEFAULT_TIMEOUT_MS, totalOf, type RequestOptions } from '../session/request-options.js';
import { deadline } from '../transport/deadline.js';
import type { PaginatedParams, PaginatedResult } from '../wire/mcp/meta.js';
import { allPages, gathered, uniqueItems, type PagingLimits } from './paging.js';

/** How to list. `timeoutMs` is for each page, `maxTotalTimeoutMs` for all of them. @public */
export interface ListOptions extends RequestOptions, PagingLimits {
  /** One array of everything, one array for each page as it comes, or one item at a time. @defaultValue 'all' */
  readonly observe?: 'all' | 'pages' | 'items' | undefined;
}

/**
 * Lists all pages of something. Cold.
 *
 * @throws {@link PartialListError} as one array: it broke off after the first items.
 * @throws {@link ProtocolError} longer than `maxPages` or `maxItems`.
 * @throws as {@link McpClient.request}
 * @public
 */
export interface ListMethod<T> {
  (options: ListOptions & { readonly observe: 'items' }): Observable<T>;
  (options?: ListOptions & { readonly observe?: 'all' | 'pages' | undefined }): Observable<T[]>;
  (options: ListOptions): Observable<T | T[]>;
}

/** What is listed, and how. */
export interface ListPlan<T> {
  readonly method: string;
  /** The field of a page that holds the items. */
  readonly itemsKey: string;
  /** What tells items apart: a name or a URI. */
  readonly idKey: string;
  readonly fetch: (params: PaginatedParams | undefined, options: RequestOptions) => Observable<PaginatedResult>;
  /** Leaves out what cannot be used. */
  readonly usable?: ((items: T[]) => T[]) | undefined;
  /** Deadline of requests that name none, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

export function listMethod<T>({ method, itemsKey, idKey, fetch, usable = identity, timeoutMs = DEFAULT_TIMEOUT_MS }: ListPlan<T>): ListMethod<T> {
  const list = ({ observe = 'all', maxPages, maxItems, ...options }: ListOptions = {}): Observable<T | T[]> => {
    const pages$ = allPages((cursor) => fetch(cursor === undefined ? undefined : { cursor }, options), { maxPages }).pipe(
      uniqueItems<T>(itemsKey, idKey, { maxItems }),
      map(usable),
      deadline({ ms: totalOf(options, timeoutMs), error: (ms) => new RequestTimeoutError(method, ms) }),
    );
    if (observe === 'pages') return pages$;
    return observe === 'items' ? pages$.pipe(concatMap((items) => items)) : gathered(pages$);
  };
  return list as ListMethod<T>;
}
