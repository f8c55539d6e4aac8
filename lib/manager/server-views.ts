// What a manager shows of its servers.
import { concatMap, EMPTY, filter, ignoreElements, map, merge, of, ReplaySubject, share, startWith, switchMap, take, type MonoTypeOperatorFunction, type Observable } from 'rxjs';
import type { ElicitationStreamApi } from '../client/input/elicitation.js';
import type { PendingElicitation } from '../client/input/pending-elicitation.js';
import type { LiveViews } from '../client/with-live-views.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { ManagedClient, ManagedServer } from './managed-server.js';
import type { ManagedTool, OfServer, ServerResult, ServerStatus } from './manager-types.js';
import { isSettled, type ServerState } from './server-state.js';
import { exposedNames } from './tool-names.js';

/** Phases in which a server's tools are of no use. */
const WITHOUT_TOOLS: readonly ServerState['phase'][] = ['disabled', 'refused', 'broken', 'closed'];

/** Tools that the entry does not hide. */
function shownTools(server: ManagedServer): readonly Tool[] {
  if (WITHOUT_TOOLS.includes(server.state.phase)) return [];
  return server.tools.tools.filter(({ name }) => server.shows(name));
}

/** The tools of all servers, in the order of the names they get. */
export function namedTools(servers: readonly ManagedServer[], maxLength: number): ManagedTool[] {
  const tools = servers.flatMap((server) => shownTools(server).map((tool) => ({ server: server.entry.name, tool: tool.name, listed: tool, deferred: !server.tools.isLive })));
  const named = [...exposedNames(tools, maxLength)].map(([name, { server, listed, deferred }]): ManagedTool => ({ name, server, tool: listed, deferred }));
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function statusOf(server: ManagedServer): ServerStatus {
  const { name, title, origin, warnings = [] } = server.entry;
  return { name, title, origin, warnings, state: server.state, tools: shownTools(server).length };
}

/** Emits when a server has come to an end of its start: ready with its tools, or not ready for a reason. */
export function settledOf(server: ManagedServer): Observable<ServerState> {
  return merge(server.state$, server.tools$).pipe(
    map(() => server.state),
    filter((state) => isSettled(state) && (state.phase !== 'ready' || server.tools.isLive)),
    take(1),
  );
}

/** What became of a server at its start. */
export function resultOf(server: ManagedServer): Observable<ServerResult> {
  const { name } = server.entry;
  return settledOf(server).pipe(
    map((state): ServerResult =>
      state.phase === 'ready' ? { server: name, status: 'ready', tools: shownTools(server).length } : { server: name, status: 'failed', state, error: state.cause },
    ),
  );
}

export function elicitationsOf(server: ManagedServer): Observable<OfServer<'elicitation', PendingElicitation>> {
  return server.client$.pipe(
    switchMap((client) => (client as Partial<ElicitationStreamApi> | undefined)?.elicitations$ ?? EMPTY),
    map((elicitation) => ({ server: server.entry.name, elicitation })),
  );
}

/** A list of a server: what is kept from before until it is there. */
export function listOf<K extends string, T>(server: ManagedServer, key: K, of$: (views: LiveViews) => Observable<T[]>): Observable<OfServer<K, T>[]> {
  const catalogue = server.catalogueOf<T>(key);
  const ofClient = (client: ManagedClient): Observable<readonly T[]> => {
    let isLive = false;
    const live$ = client.state$.pipe(
      filter(({ status }) => status === 'ready'),
      take(1),
      switchMap(() => server.kept(of$(server.views(client)))),
      concatMap((items) => {
        isLive = true;
        return merge(of(items), catalogue.save(items).pipe(ignoreElements()));
      }),
    );
    const kept$ = catalogue.load().pipe(filter(() => !isLive));
    return merge(kept$, live$).pipe(startWith<readonly T[]>([]));
  };
  return server.client$.pipe(
    switchMap((client) => (client === undefined ? of<readonly T[]>([]) : ofClient(client))),
    map((items) => items.map((item) => ({ server: server.entry.name, [key]: item }) as OfServer<K, T>)),
  );
}

export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Shared, with the latest value for who comes late. */
export function latest<T>(): MonoTypeOperatorFunction<T> {
  return share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true, resetOnComplete: false, resetOnError: true });
}
