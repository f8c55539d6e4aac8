import { catchError, concat, EMPTY, filter, finalize, ignoreElements, merge, noop, Observable, of, share, switchMap, take, timer } from 'rxjs';
import type { Connection } from '../session/connection.js';
import type { ServerSession } from '../session/negotiate.js';
import { Current } from '../transport/current.js';
import { EmitQueue } from '../transport/emit-queue.js';
import type { SubscriptionFilter } from '../wire/mcp/subscriptions.js';
import type { JsonRpcNotification } from '../wire/message.js';
import { listening, type ListenSignal } from './listening.js';
import type { ClientState } from './server-link.js';

/** A list, or the resource behind a URI, whose changes a server announces. */
export type Interest = 'tools' | 'prompts' | 'resources' | { readonly uri: string };

/** What of a client the changes need. */
export interface ChangesSource {
  readonly state$: Observable<ClientState>;
  readonly connection$: Observable<Connection | undefined>;
  readonly notifications$: Observable<JsonRpcNotification>;
}

/**
 * Tells when something has changed, or may have: whenever a connection is
 * ready, whenever the server says so, and after anything could be missed.
 *
 * Legacy servers announce lists by themselves and watch a resource when asked;
 * modern ones announce what one `subscriptions/listen` request names, whose
 * filter is what there are subscribers for.
 */
export class Changes {
  readonly #source: ChangesSource;
  readonly #interests: Interest[] = [];
  /** What legacy servers watch, once for each who wants it. */
  readonly #watched: string[] = [];
  readonly #filter = new Current<SubscriptionFilter>({}, new EmitQueue());
  readonly #signals$: Observable<ListenSignal>;

  constructor(source: ChangesSource) {
    this.#source = source;
    const listen = (connection: Connection | undefined, wanted: SubscriptionFilter) =>
      connection === undefined || Object.keys(wanted).length === 0
        ? EMPTY
        : concat(timer(0).pipe(ignoreElements()), listening(connection, wanted)); // what is wanted in one go is asked for in one
    this.#signals$ = source.connection$.pipe(
      switchMap((connection) => this.#filter.value$.pipe(switchMap((wanted) => listen(connection, wanted)))),
      share(),
    );
  }

  /** Emits whenever what depends on `interest` is to be fetched. */
  of(interest: Interest): Observable<unknown> {
    return this.#source.state$.pipe(
      switchMap((state) => {
        if (state.status !== 'ready') return EMPTY;
        return state.session.verdict.era === 'modern' ? this.#listened(interest) : this.#announced(interest, state.session);
      }),
    );
  }

  /** @see MCP 2026-07-28, Subscriptions */
  #listened(interest: Interest): Observable<unknown> {
    return new Observable((subscriber) => {
      const concerned$ = this.#signals$.pipe(filter((signal) => signal.type !== 'changed' || concerns(signal.notification, interest)));
      concerned$.subscribe(subscriber);
      this.#interests.push(interest);
      this.#filter.next(filterOf(this.#interests));
      return () => {
        this.#interests.splice(this.#interests.indexOf(interest), 1);
        const wanted = filterOf(this.#interests);
        if (JSON.stringify(wanted) !== JSON.stringify(this.#filter.value)) this.#filter.next(wanted);
      };
    });
  }

  /** @see MCP 2025-11-25 Resources, "Subscriptions" and "List Changed Notification" */
  #announced(interest: Interest, session: ServerSession): Observable<unknown> {
    const changed$ = this.#source.notifications$.pipe(filter((notification) => concerns(notification, interest)));
    const due$ = merge(changed$, of(undefined)); // in this order: a fetch may cause a change
    if (typeof interest !== 'object' || !session.capabilities.resources?.subscribe) return due$;
    const unwatch = () => {
      this.#unwatch(interest.uri, session);
    };
    return concat(this.#watch(interest.uri), due$).pipe(finalize(unwatch));
  }

  /** Completes when the server watches; a refusal only means that nothing will be announced. */
  #watch(uri: string): Observable<never> {
    this.#watched.push(uri);
    return this.#request('resources/subscribe', uri).pipe(
      ignoreElements(),
      catchError(() => EMPTY),
    );
  }

  #unwatch(uri: string, session: ServerSession): void {
    this.#watched.splice(this.#watched.indexOf(uri), 1);
    if (this.#watched.includes(uri)) return; // for others
    const isGone = (state: ClientState) => state.status !== 'ready' || state.session !== session; // and the watch with it
    const unwatched$ = this.#source.state$.pipe(
      take(1),
      switchMap((state) => (isGone(state) ? EMPTY : this.#request('resources/unsubscribe', uri))),
    );
    unwatched$.subscribe({ error: noop });
  }

  #request(method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): Observable<object> {
    return this.#source.connection$.pipe(
      take(1),
      switchMap((connection) => connection?.request(method, { uri }) ?? EMPTY),
    );
  }
}

function concerns({ method, params }: JsonRpcNotification, interest: Interest): boolean {
  if (typeof interest === 'object') return method === 'notifications/resources/updated' && params?.uri === interest.uri;
  return method === `notifications/${interest}/list_changed`;
}

function filterOf(interests: readonly Interest[]): SubscriptionFilter {
  const uris = new Set(interests.flatMap((interest) => (typeof interest === 'object' ? interest.uri : [])));
  return {
    ...(interests.includes('tools') ? { toolsListChanged: true } : {}),
    ...(interests.includes('prompts') ? { promptsListChanged: true } : {}),
    ...(interests.includes('resources') ? { resourcesListChanged: true } : {}),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
}
