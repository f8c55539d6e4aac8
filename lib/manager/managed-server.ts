import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  distinctUntilChanged,
  EMPTY,
  exhaustMap,
  filter,
  finalize,
  ignoreElements,
  merge,
  NEVER,
  of,
  retry,
  Subject,
  Subscription,
  switchMap,
  take,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import type { McpClient } from '../client/client.js';
import type { LiveViews } from '../client/with-live-views.js';
import { RpcError } from '../errors.js';
import type { CommonConfig } from '../transport/config.js';
import { Current } from '../transport/current.js';
import { EmitQueue } from '../transport/emit-queue.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { Catalogue } from './catalogue.js';
import { Healing, type HealingOptions } from './healing.js';
import type { ServerEntry } from './server-entry.js';
import type { ServerState } from './server-state.js';
import type { Slots } from './slots.js';
import { toolFilter } from './tool-filter.js';

export type ManagedClient = McpClient & LiveViews;

/** A list of tools, and where it comes from. */
export interface KnownTools {
  readonly tools: readonly Tool[];
  /** From the server, over the connection there is; else from the cache, or from a connection that was lost. */
  readonly isLive: boolean;
}

export interface ManagedServerOptions {
  readonly entry: ServerEntry;
  /** What has to end before it starts. */
  readonly after$: Observable<unknown>;
  readonly makeClient: (config: CommonConfig) => ManagedClient;
  /** Whether the entry may be used, once; asked before the first attempt. */
  readonly consent$: Observable<boolean>;
  readonly slots: Slots;
  readonly healing: HealingOptions;
  /** Where its lists are kept for the next start. */
  readonly catalogueOf: <T>(kind: string) => Catalogue<T>;
  /** A connection over which nothing came for so long is tried, in milliseconds; `Infinity` for never. */
  readonly quietMs: number;
  /** Whether its lists follow it. */
  readonly isLive: boolean;
  /** Takes each client that is made, and gives what ends with it. */
  readonly onClient: (client: ManagedClient) => Subscription;
  readonly onError: (error: unknown) => void;
}

/** First and longest wait before a list that could not be fetched is fetched again, in milliseconds. */
const LIST_AGAIN_MS = 1_000;
const LIST_AGAIN_MAX_MS = 60_000;

/** One server: connected, watched and brought back for as long as it is enabled. */
export class ManagedServer {
  readonly #options: ManagedServerOptions;
  #entry: ServerEntry;
  /** Made of the entry when it is first asked for: patterns take their time. */
  #isShown: ((tool: string) => boolean) | undefined;
  readonly #queue = new EmitQueue();
  readonly #state: Current<ServerState>;
  readonly #tools = new Current<KnownTools>({ tools: [], isLive: false }, this.#queue);
  readonly #client = new Current<ManagedClient | undefined>(undefined, this.#queue);
  readonly #isEnabled: Current<boolean>;
  readonly #wanted = new Subject<void>();
  readonly #suspected = new Subject<void>();
  readonly #healing: Healing;
  /** The clients that have not ended, the ones being closed included: a server must not run twice. */
  #closing: Observable<unknown>;
  readonly #catalogue: Catalogue<Tool>;
  readonly #life: Subscription;

  readonly state$: Observable<ServerState>;
  readonly tools$: Observable<KnownTools>;
  /** The client in use; undefined while there is none. */
  readonly client$: Observable<ManagedClient | undefined>;

  constructor(options: ManagedServerOptions) {
    const { entry, healing } = options;
    this.#options = options;
    this.#entry = entry;
    this.#catalogue = options.catalogueOf('tools');
    this.#closing = options.after$;
    this.#healing = new Healing(healing, isRemote(entry));
    this.#isEnabled = new Current(entry.enabled ?? true, this.#queue);
    this.#state = new Current<ServerState>({ phase: 'disabled', since: asyncScheduler.now() }, this.#queue);
    this.state$ = this.#state.value$;
    this.tools$ = this.#tools.value$;
    this.client$ = this.#client.value$;
    const lives$ = this.#isEnabled.value$.pipe(
      distinctUntilChanged(),
      switchMap((isEnabled) => (isEnabled ? this.#alive() : this.#at({ phase: 'disabled' }))),
    );
    this.#life = lives$.subscribe();
  }

  get entry(): ServerEntry {
    return this.#entry;
  }

  /** The same entry, perhaps in other words: title, origin, warnings. */
  describe(entry: ServerEntry): void {
    this.#entry = entry;
    this.#isShown = undefined;
  }

  /** Whether the entry lets a tool be seen and called. */
  shows(tool: string): boolean {
    return (this.#isShown ??= toolFilter(this.#entry.tools))(tool);
  }

  get state(): ServerState {
    return this.#state.value;
  }

  get tools(): KnownTools {
    return this.#tools.value;
  }

  get client(): ManagedClient | undefined {
    return this.#client.value;
  }

  enable(): void {
    this.#isEnabled.next(true);
  }

  disable(): void {
    this.#isEnabled.next(false);
  }

  /** Somebody has a use for it: a server that was stopped is tried again, though not with each use. */
  use(): void {
    const { phase, nextAttemptAt = Infinity } = this.state;
    if (phase === 'stopped' && asyncScheduler.now() >= nextAttemptAt) this.#wanted.next();
  }

  /** A call did not get through: perhaps the server is gone, and its connection does not tell, as with HTTP. */
  suspect(): void {
    this.#suspected.next();
  }

  /** Ends the connection in use, if there is one, and makes a new one at once, whatever was planned. */
  reconnect(): void {
    this.#healing.reset();
    if (this.state.phase === 'ready') this.#renew();
    else this.#wanted.next();
  }

  /** Ends everything; completes when nothing is left. */
  close(): Observable<unknown> {
    this.#life.unsubscribe();
    this.#enter({ phase: 'closed' });
    for (const part of [this.#state, this.#tools, this.#client]) part.complete();
    return this.#closing;
  }

  /** Where a list of it is kept for the next start. */
  catalogueOf<T>(kind: string): Catalogue<T> {
    return this.#options.catalogueOf(kind);
  }

  /** What the server offers, as it is to be followed. */
  views(client: ManagedClient): LiveViews {
    if (this.#options.isLive) return client;
    return {
      tools$: client.listTools(),
      prompts$: client.listPrompts(),
      resources$: client.listResources(),
      resourceTemplates$: client.listResourceTemplates(),
      resource$: (uri) => client.readResource(uri),
    };
  }

  /** A list that is fetched again, later each time, when it cannot be fetched. */
  kept<T>(list$: Observable<T>): Observable<T> {
    const again = (error: unknown, n: number) => {
      this.#options.onError(error);
      return timer(Math.min(LIST_AGAIN_MS * 2 ** (n - 1), LIST_AGAIN_MAX_MS));
    };
    return list$.pipe(retry({ delay: again, resetOnSuccess: true }));
  }

  /** From being enabled to being disabled or closed. */
  #alive(): Observable<unknown> {
    const { entry, consent$ } = this.#options;
    const { config, problem } = entry;
    if (config === undefined || problem !== undefined) return this.#at({ phase: 'broken', cause: problem });
    const cached$ = this.#catalogue.load().pipe(
      tap((tools) => {
        if (tools.length > 0 && !this.tools.isLive) this.#tools.next({ tools, isLive: false });
      }),
      ignoreElements(),
    );
    const asked$ = defer(() => {
      this.#enter({ phase: 'asking' });
      return consent$;
    });
    return merge(
      cached$,
      concat(this.#closing.pipe(ignoreElements()), asked$).pipe(
        catchError((error: unknown) => {
          this.#options.onError(error);
          return of(false); // who cannot be asked has not agreed
        }),
        switchMap((isAllowed) => (isAllowed ? this.#served(config) : this.#at({ phase: 'refused' }))),
      ),
    );
  }

  #served(config: CommonConfig): Observable<unknown> {
    return defer(() => {
      const client = this.#options.makeClient(config);
      const work = this.#options.onClient(client);
      this.#client.next(client);
      return merge(this.#connected(client), this.#listed(client), this.#probed(client)).pipe(
        finalize(() => {
          work.unsubscribe();
          const closed$ = client.close();
          this.#closing = closed$;
          this.#client.next(undefined);
          this.#tools.next({ ...this.tools, isLive: false });
        }),
      );
    });
  }

  /** Connects, and again whenever the connection is lost. */
  #connected(client: ManagedClient): Observable<unknown> {
    const { slots } = this.#options;
    const attempt$ = defer(() => {
      this.#enter({ phase: 'connecting', cause: this.state.cause });
      return client.connect();
    });
    const waiting = () => {
      this.#enter({ phase: 'waiting', cause: this.state.cause });
    };
    const session$ = concat(slots.run(attempt$, waiting).pipe(ignoreElements()), defer(() => {
      this.#healing.connected();
      return this.#followed(client);
    }));
    return session$.pipe(retry({ delay: (cause: unknown) => this.#healed(cause) }));
  }

  /** What a connected client does, for as long as it stays so. @throws what it was lost by. */
  #followed(client: ManagedClient): Observable<unknown> {
    return client.state$.pipe(
      tap((state) => {
        if (state.status === 'ready') this.#enter({ phase: 'ready' });
        if (state.status === 'connecting') this.#enter({ phase: 'connecting' });
        if (state.status === 'disconnected') throw state.cause;
      }),
    );
  }

  /** Emits when it is time for the next attempt. */
  #healed(cause: unknown): Observable<unknown> {
    const { phase, delayMs } = this.#healing.failed(cause);
    this.#tools.next({ ...this.tools, isLive: false });
    this.#enter({ phase, cause, nextAttemptAt: asyncScheduler.now() + delayMs });
    return merge(phase === 'stopped' ? NEVER : timer(delayMs), this.#wanted).pipe(take(1));
  }

  #renew(): void {
    this.client?.reconnect().subscribe({ error: () => undefined }); // its state tells
  }

  /** Keeps the list of tools, and puts it by for the next start. */
  #listed(client: ManagedClient): Observable<unknown> {
    return client.state$.pipe(
      filter(({ status }) => status === 'ready'),
      switchMap(() =>
        this.kept(this.views(client).tools$).pipe(
          concatMap((tools) => {
            this.#tools.next({ tools, isLive: true });
            return this.#catalogue.save(tools);
          }),
        ),
      ),
    );
  }

  /** Finds out whether a server is still there that has been silent for long, or did not take a call. */
  #probed(client: ManagedClient): Observable<unknown> {
    const { quietMs } = this.#options;
    const inbound$ = client.wire$.pipe(filter(({ direction }) => direction === 'in'));
    const quiet$ = merge(of(undefined), inbound$).pipe(switchMap(() => timer(quietMs)));
    const probe$ = defer(() => client.ping()).pipe(
      catchError((error: unknown) => {
        if (client.connected && !(error instanceof RpcError)) this.#renew(); // an error it sends itself is a sign of life
        return EMPTY;
      }),
    );
    return client.state$.pipe(
      switchMap(({ status }) => (status === 'ready' ? merge(quietMs === Infinity ? NEVER : quiet$, this.#suspected) : EMPTY)),
      exhaustMap(() => probe$),
    );
  }

  #at(state: Omit<ServerState, 'since'>): Observable<never> {
    return defer(() => {
      this.#enter(state);
      return NEVER;
    });
  }

  #enter(state: Omit<ServerState, 'since'>): void {
    this.#state.next({ ...state, since: asyncScheduler.now() });
  }
}

/** Whether a new attempt costs a request and no process. */
function isRemote({ config }: ServerEntry): boolean {
  return config?.type !== undefined && config.type !== 'stdio';
}
