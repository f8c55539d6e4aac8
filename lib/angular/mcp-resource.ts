import { assertInInjectionContext, inject, Injector, runInInjectionContext, type ResourceRef } from '@angular/core';
import type { ReadResourceResult } from '../index.js';
import { injectMcp } from './provide-mcp.js';
import { streamResource } from './stream-resource.js';

/** @public */
export interface McpResourceOptions {
  /** Which resource; undefined reads nothing. */
  readonly uri: () => string | undefined;
  /** Whose it is; not needed where there is one server. */
  readonly server?: string | undefined;
  /** @defaultValue the one of the context */
  readonly injector?: Injector | undefined;
}

/**
 * A resource of a server as Angular's `Resource`: read, and read again whenever
 * the server says that it has changed. Rendered on the server it is read once.
 *
 * @public
 */
export function mcpResource({ uri, server, injector }: McpResourceOptions): ResourceRef<ReadResourceResult | undefined> {
  if (injector === undefined) assertInInjectionContext(mcpResource);
  return runInInjectionContext(injector ?? inject(Injector), () => {
    const mcp = injectMcp();
    return streamResource(uri, (wanted) => mcp.resource$(wanted, server));
  });
}
