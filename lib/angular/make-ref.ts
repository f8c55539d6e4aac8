import { isPlatformServer } from '@angular/common';
import { DestroyRef, inject, Injector, makeStateKey, NgZone, PendingTasks, PLATFORM_ID, signal, TransferState, type Signal } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import { finalize, merge, take, timer, type Observable, type ObservableInput } from 'rxjs';
import { createClient, type CommonConfig, type HttpConfig, type HttpInterceptor, type ManagerOptions, type ServerEntry, type TransportConfig } from '../index.js';
import { McpManager, type MakeClient } from '../manager/manager.js';
import { boundTo, MCP_SETUP, type McpConfig } from './mcp-config.js';
import { SignalRef, type McpRef } from './mcp-ref.js';
import { outsideZone } from './outside-zone.js';
import { transferStore } from './transfer-store.js';

/** The name of the server where there is one. */
const THE_SERVER = 'mcp';
/** How long a page that is rendered on the server waits for servers before the others' tools are shown, in milliseconds. */
const SERVER_GATE_MS = 500;
/** How long it waits for any tools at all, in milliseconds. */
const LONGEST_HOLD_MS = 800;
/** Whether the page was rendered on the server. */
const RENDERED = makeStateKey<boolean>('rxjs-mcp');

/** The servers of the application; made, and connected, when somebody first asks for them. */
export function makeRef(): McpRef {
  const injector = inject(Injector);
  const zone = inject(NgZone);
  const destroyRef = inject(DestroyRef);
  const tasks = inject(PendingTasks);
  const state = inject(TransferState);
  const isServer = isPlatformServer(inject(PLATFORM_ID));
  if (isServer) state.set(RENDERED, true);
  const isRendered = state.get(RENDERED, false);
  const { config, features } = inject(MCP_SETUP);
  const servers = typeof config === 'function' ? config() : config;
  const interceptors = boundTo(injector, destroyRef, features.flatMap((feature) => feature.interceptors ?? []));
  const given = features.reduce<ManagerOptions>((all, { options }) => ({ ...all, ...options }), {});
  const options: ManagerOptions = {
    ...(isRendered && { gateMs: isServer ? SERVER_GATE_MS : 0 }), // the browser has been given the tools
    ...(isServer && { isLive: false }),
    ...given,
    store: transferStore(state, given.store),
  };
  const manager = new McpManager(clientMaker(servers, interceptors, isServer), entriesOf(servers), options);
  void zone.runOutsideAngular(() => manager.discoverAndConnect());
  destroyRef.onDestroy(() => {
    void zone.runOutsideAngular(() => manager.close());
  });
  const outside = <T>(source$: Observable<T>) => source$.pipe(outsideZone(zone));
  const begin = () => tasks.add();
  const follow = <T>(source$: Observable<T>, initial: T): Signal<T> => {
    const value = signal(initial);
    source$.pipe(outsideZone(zone), takeUntilDestroyed(destroyRef)).subscribe((next) => {
      value.set(next);
    });
    return value.asReadonly();
  };
  // So that what is rendered on the server has the tools, and what the browser makes of it has them from the start.
  if (isRendered) merge(manager.tools$, timer(LONGEST_HOLD_MS)).pipe(outsideZone(zone), take(1), takeUntilDestroyed(destroyRef), finalize(begin())).subscribe();
  return new SignalRef(manager, { only: 'servers' in servers ? undefined : THE_SERVER, follow, outside, begin });
}

function entriesOf(config: McpConfig): ObservableInput<readonly ServerEntry[]> {
  if ('servers' in config) return config.servers;
  return [[{ name: THE_SERVER, config: 'open' in config ? {} : config }]];
}

function clientMaker(config: McpConfig, interceptors: readonly HttpInterceptor[], isServer: boolean): MakeClient {
  return (server, options) => {
    const all = isServer ? { ...options, listen: false } : options;
    if ('open' in config) return createClient(config.open, all);
    const { interceptors: own = [] } = server as Partial<HttpConfig>;
    return createClient({ ...server, interceptors: [...interceptors, ...own] } as CommonConfig as TransportConfig, all);
  };
}
