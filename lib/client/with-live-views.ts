import { of, type Observable } from 'rxjs';
import type { Prompt } from '../wire/mcp/prompts.js';
import type { Resource, ResourceTemplate } from '../wire/mcp/resource-types.js';
import type { ReadResourceResult } from '../wire/mcp/resources.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import { Changes } from './changes.js';
import type { McpClient } from './client.js';
import type { ClientFeature } from './feature.js';
import type { ListMethod } from './lists.js';
import { liveView } from './live-view.js';

/**
 * What a server offers, as values that follow it. Each is fetched when somebody
 * subscribes, fetched again after a change and after a reconnect, and shared;
 * late subscribers get the latest value; the last to leave ends it. A list the
 * server does not declare is empty. A failed fetch errors the view, and the next
 * subscriber tries again.
 *
 * @public
 */
export interface LiveViews {
  readonly tools$: Observable<Tool[]>;
  readonly prompts$: Observable<Prompt[]>;
  readonly resources$: Observable<Resource[]>;
  readonly resourceTemplates$: Observable<ResourceTemplate[]>;
  /** What a resource holds. Call it once for all who share it. */
  resource$(uri: string): Observable<ReadResourceResult>;
}

/**
 * Adds {@link LiveViews} to a client. Nothing is asked for, or subscribed to at
 * the server, until somebody subscribes here; nothing is polled.
 *
 * @see MCP 2026-07-28, Subscriptions; MCP 2025-11-25 Tools, "List Changed Notification"
 * @public
 */
export function withLiveViews(): ClientFeature<LiveViews> {
  return {
    name: 'live views',
    extend: (client: McpClient) => {
      const changes = new Changes(client);
      const list = <T>(interest: 'tools' | 'prompts' | 'resources', fetch: ListMethod<T>) =>
        liveView(changes.of(interest), (options) => (client.connected && client.capabilities?.[interest] === undefined ? of<T[]>([]) : fetch(options)));
      return {
        tools$: list('tools', client.listTools),
        prompts$: list('prompts', client.listPrompts),
        resources$: list('resources', client.listResources),
        resourceTemplates$: list('resources', client.listResourceTemplates),
        resource$: (uri) => liveView(changes.of({ uri }), (options) => client.readResource(uri, options)),
      };
    },
  };
}
