import { concat, defer, EMPTY, expand, ignoreElements, map, of, type Observable } from 'rxjs';
import { ProtocolError } from '../errors.js';
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
    return fetch(undefined).pipe(
      expand((page) => {
        const cursor = page.nextCursor;
        if (typeof cursor !== 'string' || seen.has(cursor)) return EMPTY;
        if (seen.size + 1 >= MAX_PAGES) throw new ProtocolError(`The server's list has more than ${MAX_PAGES} pages`);
        seen.add(cursor);
        return fetch(cursor);
      }),
    );
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

/** The items of a page; what is no named object is left out, so that one oddity does not hide the rest. */
export function namedItems<T extends { name: string }>(items: unknown): T[] {
  if (!Array.isArray(items)) return [];
  return items.filter((item): item is T => typeof (item as { name?: unknown } | null)?.name === 'string');
}

