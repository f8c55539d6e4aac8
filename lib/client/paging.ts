import { concat, defer, ignoreElements, map, of, repeat, take, takeWhile, throwError, type Observable, type OperatorFunction } from 'rxjs';
import { ProtocolError } from '../errors.js';
import type { JsonObject } from '../wire/message.js';
import type { PaginatedResult } from '../wire/mcp/meta.js';

/** Most pages of one list. */
const MAX_PAGES = 1_000;

/**
 * Every page of a list, in order, each fetched when the one before has come.
 *
 * The end is an absent or null cursor; an empty one is a cursor like any other.
 * A cursor that comes a second time ends the list, since it would for ever.
 *
 * @throws {@link ProtocolError} more than 1,000 pages.
 * @see MCP 2026-07-28, Pagination
 */
export function allPages<P extends PaginatedResult>(fetch: (cursor: string | undefined) => Observable<P>): Observable<P> {
  return defer(() => {
    const seen = new Set<string>();
    let cursor: string | undefined;
    const page$ = defer(() => {
      if (seen.size >= MAX_PAGES) throw new ProtocolError(`The server's list has more than ${MAX_PAGES} pages`);
      const none$ = throwError(() => new ProtocolError('A page of the list never came'));
      return concat(fetch(cursor), none$).pipe(take(1));
    });
    const hasNext = (page: P) => {
      const next = (page as P | null)?.nextCursor; // servers send null too
      if (typeof next !== 'string' || seen.has(next)) return false;
      cursor = next;
      seen.add(next);
      return true;
    };
    return page$.pipe(repeat(), takeWhile(hasNext, true));
  });
}

/** The items of all pages in one array, once the last page has come. */
export function gathered<T>(pages$: Observable<T[]>): Observable<T[]> {
  return defer(() => {
    const items: T[] = [];
    const collect$ = pages$.pipe(
      map((page) => items.push(...page)),
      ignoreElements(),
    );
    return concat(collect$, of(items));
  });
}

/**
 * The items of each page, each once. What has no `idKey` is left out, so that
 * one oddity does not hide the rest; so is what was listed before, as when a
 * server starts over instead of ending.
 */
export function uniqueItems<T>(itemsKey: string, idKey: string): OperatorFunction<PaginatedResult | null, T[]> {
  return (pages$) =>
    defer(() => {
      const seen = new Set<unknown>();
      return pages$.pipe(
        map((page) => {
          const items = page?.[itemsKey];
          if (!Array.isArray(items)) return [];
          return items.filter((item: unknown): item is T => {
            const id = (item as JsonObject | null)?.[idKey];
            return typeof id === 'string' && seen.size !== seen.add(id).size;
          });
        }),
      );
    });
}
