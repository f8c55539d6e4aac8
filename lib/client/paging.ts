import { catchError, concat, defer, ignoreElements, map, of, repeat, takeWhile, type Observable, type OperatorFunction } from 'rxjs';
import { AbortError, ConfigError, McpError, PartialListError, ProtocolError } from '../errors.js';
import { firstOf } from '../transport/first-of.js';
import type { JsonObject } from '../wire/message.js';
import type { PaginatedResult } from '../wire/mcp/meta.js';

/** Most pages, and items, of one list when nobody says otherwise. */
const MAX_PAGES = 1_000;
const MAX_ITEMS = 100_000;

/** How far a list is followed. @public */
export interface PagingLimits {
  /** Most pages. @defaultValue 1_000 */
  readonly maxPages?: number | undefined;
  /** Most items. @defaultValue 100_000 */
  readonly maxItems?: number | undefined;
}

/**
 * Every page of a list, in order, each fetched when the one before has come.
 *
 * The end is an absent or null cursor; an empty one is a cursor like any other.
 * A cursor that comes a second time ends the list, since it would for ever.
 *
 * @throws {@link ProtocolError} more than `maxPages` pages.
 * @see MCP 2026-07-28, Pagination
 */
export function allPages<P extends PaginatedResult>(fetch: (cursor: string | undefined) => Observable<P>, { maxPages = MAX_PAGES }: PagingLimits = {}): Observable<P> {
  return defer(() => {
    checkLimit('maxPages', maxPages);
    const seen = new Set<string>();
    let cursor: string | undefined;
    const page$ = defer(() => {
      if (seen.size >= maxPages) throw new ProtocolError(`The server's list has more than ${maxPages} pages`);
      return firstOf(() => fetch(cursor), () => new ProtocolError('A page of the list never came'));
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

/**
 * The items of all pages in one array, once the last page has come.
 *
 * @throws {@link PartialListError} it broke off after the first items.
 */
export function gathered<T>(pages$: Observable<T[]>): Observable<T[]> {
  return defer(() => {
    const items: T[] = [];
    const collect$ = pages$.pipe(
      map((page) => items.push(...page)),
      ignoreElements(),
      catchError((error: unknown) => {
        const isCallers = !(error instanceof McpError) || error instanceof AbortError;
        throw isCallers || items.length === 0 ? error : new PartialListError(error, items);
      }),
    );
    return concat(collect$, of(items));
  });
}

/**
 * The items of each page, each once. What has no `idKey` is left out, so that
 * one oddity does not hide the rest; so is what was listed before, as when a
 * server starts over instead of ending.
 *
 * @throws {@link ProtocolError} more than `maxItems` items.
 */
export function uniqueItems<T>(itemsKey: string, idKey: string, { maxItems = MAX_ITEMS }: PagingLimits = {}): OperatorFunction<PaginatedResult | null, T[]> {
  return (pages$) =>
    defer(() => {
      checkLimit('maxItems', maxItems);
      const seen = new Set<unknown>();
      return pages$.pipe(
        map((page) => {
          const items = page?.[itemsKey];
          if (!Array.isArray(items)) return [];
          const fresh = items.filter((item: unknown): item is T => {
            const id = (item as JsonObject | null)?.[idKey];
            return typeof id === 'string' && seen.size !== seen.add(id).size;
          });
          if (seen.size > maxItems) throw new ProtocolError(`The server's list has more than ${maxItems} items`);
          return fresh;
        }),
      );
    });
}

function checkLimit(name: string, limit: number): void {
  if (typeof limit !== 'number' || !(limit > 0)) throw new ConfigError(`${name} must be a number above 0; got ${String(limit)}`);
}
