import { inject, InjectionToken, type Provider } from '@angular/core';
import { makeRef } from './make-ref.js';
import { MCP_SETUP, type McpConfig, type McpFeature } from './mcp-config.js';
import type { McpRef } from './mcp-ref.js';

const MCP = new InjectionToken<McpRef>('MCP: is provideMcp() among the providers?');

/**
 * Provides MCP servers: to the application, to a route, or to a component and
 * what is in it. Nothing is connected before somebody calls {@link injectMcp};
 * from then on they are connected, brought back when they are lost, and closed
 * with the application, route or component.
 *
 * @param config - One server, or many; a function is called in an injection context.
 * @public
 */
export function provideMcp(config: McpConfig | (() => McpConfig), ...features: McpFeature[]): Provider[] {
  return [
    { provide: MCP_SETUP, useValue: { config, features } },
    { provide: MCP, useFactory: makeRef },
  ];
}

/** The nearest MCP servers that were provided. In an injection context. @public */
export function injectMcp(): McpRef {
  return inject(MCP);
}
