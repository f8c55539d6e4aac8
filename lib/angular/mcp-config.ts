import { InjectionToken, runInInjectionContext, type DestroyRef, type Injector } from '@angular/core';
import type { Observable, ObservableInput } from 'rxjs';
import type { HttpHandler, HttpInterceptor, HttpRequest, HttpResponse, ManagerOptions, ServerEntry, Transport, TransportConfig } from '../index.js';

/**
 * Where the servers are: one, as `createClient()` takes it; one that is opened
 * by a function, for tests; or many. One server has the name `mcp`.
 *
 * @public
 */
export type McpConfig = TransportConfig | { readonly open: () => Transport } | { readonly servers: ObservableInput<readonly ServerEntry[]> };

/**
 * Stands between the application and its servers, as functional interceptors do
 * for `HttpClient`: runs in an injection context for each request, so `inject()`
 * works. Only what is sent when the application ends, such as the end of a
 * session, is sent without one.
 *
 * @public
 */
export type McpInterceptorFn = (request: HttpRequest, next: HttpHandler) => Observable<HttpResponse>;

/** A part of {@link provideMcp}. @public */
export interface McpFeature {
  readonly interceptors?: readonly McpInterceptorFn[] | undefined;
  readonly options?: ManagerOptions | undefined;
}

/** Headers, tokens, tracing: see {@link McpInterceptorFn}. The first one is the outermost. @public */
export function withMcpInterceptors(...interceptors: McpInterceptorFn[]): McpFeature {
  return { interceptors };
}

/** Options of the manager and of its clients; what is given later wins. @public */
export function withMcpOptions(options: ManagerOptions): McpFeature {
  return { options };
}

/** What was provided. */
export interface McpSetup {
  readonly config: McpConfig | (() => McpConfig);
  readonly features: readonly McpFeature[];
}

/** Interceptors as transports take them. */
export function boundTo(injector: Injector, destroyRef: DestroyRef, interceptors: readonly McpInterceptorFn[]): HttpInterceptor[] {
  const bound = (interceptor: McpInterceptorFn): HttpInterceptor => (request, next) =>
    destroyRef.destroyed ? interceptor(request, next) : runInInjectionContext(injector, () => interceptor(request, next));
  return interceptors.map(bound);
}

export const MCP_SETUP = new InjectionToken<McpSetup>('MCP setup');
