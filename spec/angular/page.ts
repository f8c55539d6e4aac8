// The page that is rendered on the server, and again in the browser. What it imports is loaded when it is asked for:
// zone.js, if at all, comes before Angular.
import type { ApplicationConfig, EnvironmentProviders, Provider, Type } from '@angular/core';

export type Mode = 'zone' | 'zoneless';

export interface PageOptions {
  readonly mode: Mode;
  /** The servers by their names. */
  readonly urls: Readonly<Record<string, string>>;
  /** A tool to call with the message "hello". */
  readonly call?: { readonly server: string; readonly tool: string };
}

export async function makePage({ mode, urls, call }: PageOptions, ...more: (Provider | EnvironmentProviders)[]): Promise<{ page: Type<unknown>; config: ApplicationConfig }> {
  const { Component, provideZoneChangeDetection, provideZonelessChangeDetection } = await import('@angular/core');
  const { injectMcp, mcpTool, provideMcp } = await import('../../lib/angular.ts');
  class Page {
    mcp = injectMcp();
    call = mcpTool({ tool: call ?? 'none', args: () => (call === undefined ? undefined : { message: 'hello' }) });
    answer = () => (this.call.hasValue() ? JSON.stringify(this.call.value()?.content) : '');
  }
  const template = '@for (one of mcp.tools(); track one.name) {<li>{{ one.name }}{{ one.deferred ? "…" : "" }}</li>}<p>{{ answer() }}</p>';
  const servers = Object.entries(urls).map(([name, url]) => ({ name, config: { type: 'http', url } as never }));
  return {
    page: Component({ selector: 'app-root', template })(Page),
    config: { providers: [mode === 'zone' ? provideZoneChangeDetection() : provideZonelessChangeDetection(), provideMcp({ servers: [servers] }), ...more] },
  };
}
