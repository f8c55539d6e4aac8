import { concatMap, identity, map, type Observable } from 'rxjs';
import type { RequestOptions } from '../session/request-options.js';
import type { PaginatedParams, PaginatedResult } from '../wire/mcp/meta.js';
import { allPages, gathered, uniqueItems } from './paging.js';

/** How to list. @public */
export interface ListOptions extends RequestOptions {
  /** One array of everything, one array for each page as it comes, or one item at a time. @defaultValue 'all' */
  readonly observe?: 'all' | 'pages' | 'items' | undefined;
}

/** Lists all pages of something. Cold. @public */
export interface ListMethod<T> {
  (options: ListOptions & { readonly observe: 'items' }): Observable<T>;
  (options?: ListOptions & { readonly observe?: 'all' | 'pages' | undefined }): Observable<T[]>;
  (options: ListOptions): Observable<T | T[]>;
}

/**
 * @param idKey - What tells items apart: a name or a URI.
 * @param usable - Leaves out what cannot be used.
 */
export function listMethod<T>(
  fetch: (params: PaginatedParams | undefined, options: RequestOptions) => Observable<PaginatedResult>,
  itemsKey: string,
  idKey: string,
  usable: (items: T[]) => T[] = identity,
): ListMethod<T> {
  const list = ({ observe = 'all', ...options }: ListOptions = {}): Observable<T | T[]> => {
    const pages$ = allPages((cursor) => fetch(cursor === undefined ? undefined : { cursor }, options)).pipe(uniqueItems<T>(itemsKey, idKey), map(usable));
    if (observe === 'pages') return pages$;
    return observe === 'items' ? pages$.pipe(concatMap((items) => items)) : gathered(pages$);
  };
  return list as ListMethod<T>;
}
