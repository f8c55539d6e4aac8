// Real applications for the specs, in a page: JIT-compiled, zoneless, each in an element of its own.
import '@angular/compiler';
import { Component, Injector, runInInjectionContext, type ApplicationRef, type EnvironmentProviders, type Provider, type Type } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { injectMcp, type McpRef } from '../../lib/angular.ts';
import { inBrowser } from '../support/fixtures.ts';
import { ScriptedServer, type Script } from '../support/peer.ts';

/** As `describe`; in Node, where there is no page, nothing. */
export const inPage: (title: string, specs: () => void) => void = inBrowser ? describe : () => {};

export interface App {
  readonly ref: ApplicationRef;
  readonly injector: Injector;
  /** Made when it is first read. */
  readonly mcp: McpRef;
  readonly text: () => string;
  /** In an injection context of the application. */
  readonly run: <T>(work: () => T) => T;
  readonly stable: () => Promise<void>;
}

const apps: { readonly ref: ApplicationRef; readonly element: HTMLElement }[] = [];
let made = 0;

/** Starts an application, with a component in the page if there is one. */
export async function start(providers: (Provider | EnvironmentProviders)[], component?: Type<unknown>): Promise<App> {
  const ref = await createApplication({ providers });
  const element = document.createElement(`spec-app-${++made}`);
  document.body.append(element);
  if (component !== undefined) ref.bootstrap(component, element);
  const injector = ref.injector.get(Injector);
  const run = <T>(work: () => T) => runInInjectionContext(injector, work);
  apps.push({ ref, element });
  return {
    ref,
    injector,
    run,
    text: () => element.textContent,
    stable: () => ref.whenStable(),
    get mcp() {
      return run(injectMcp);
    },
  };
}

/** For `afterEach`. */
export function endApps(): void {
  for (const { ref, element } of apps.splice(0)) {
    if (!ref.destroyed) ref.destroy();
    element.remove();
  }
}

/** A component without decorators' syntax. */
export function component(template: string, body: Type<unknown>, more: Omit<Component, 'template'> = {}): Type<unknown> {
  return Component({ selector: `spec-part-${++made}`, template, ...more })(body);
}

/** A server with these tools: each says what it was called with. */
export function server(script: Script, tools: readonly string[] = ['echo']): ScriptedServer {
  return new ScriptedServer({
    'tools/list': () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': ({ params }) => ({ content: [{ type: 'text', text: `${params.name} ${JSON.stringify(params.arguments)}` }] }),
    ...script,
  });
}
