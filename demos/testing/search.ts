// A small part of an application: a search box over a tool of an MCP server.
import { catchError, concat, debounceTime, map, of, startWith, switchMap, takeUntil, type Observable } from 'rxjs';
import type { McpClient } from 'rxjs-mcp';

export type SearchState =
  | { readonly status: 'idle' | 'searching' }
  | { readonly status: 'found'; readonly text: string }
  | { readonly status: 'failed'; readonly reason: string };

const REST_MS = 200;

/** Searches for what is typed, once the typing rests; a newer search takes the place of the one before. */
export function search(client: McpClient, typed$: Observable<string>, closed$: Observable<unknown>): Observable<SearchState> {
  const searching = (text: string): Observable<SearchState> =>
    concat(of<SearchState>({ status: 'searching' }), client.callTool('search', { text }, { timeoutMs: 5_000 }).pipe(map(({ content: [first] }): SearchState => ({ status: 'found', text: first?.type === 'text' ? first.text : '' })))).pipe(
      catchError((error: unknown) => of<SearchState>({ status: 'failed', reason: error instanceof Error ? error.message : String(error) })),
    );
  return typed$.pipe(debounceTime(REST_MS), switchMap(searching), startWith<SearchState>({ status: 'idle' }), takeUntil(closed$));
}
