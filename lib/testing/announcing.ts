import { META_KEYS } from '../wire/mcp/meta.js';
import type { ServerCapabilities } from '../wire/mcp/capabilities.js';
import type { SubscriptionFilter } from '../wire/mcp/subscriptions.js';
import type { RequestId } from '../wire/message.js';

/** Something that has changed: a list, or what a resource holds. */
export type Change = 'tools' | 'prompts' | 'resources' | { readonly uri: string };

/** Who on one connection is told of changes. */
export class Announcing {
  readonly #send: (method: string, params: object) => void;
  /** The `subscriptions/listen` requests that are open. */
  readonly #listening = new Map<RequestId, SubscriptionFilter>();
  readonly #watched = new Set<string>();

  constructor(send: (method: string, params: object) => void) {
    this.#send = send;
  }

  /** @see MCP 2026-07-28, Subscriptions */
  listen(id: RequestId, wanted: SubscriptionFilter, { tools, prompts, resources }: ServerCapabilities): void {
    const honoured = {
      ...(wanted.toolsListChanged && tools && { toolsListChanged: true }),
      ...(wanted.promptsListChanged && prompts && { promptsListChanged: true }),
      ...(wanted.resourcesListChanged && resources && { resourcesListChanged: true }),
      ...(wanted.resourceSubscriptions && resources && { resourceSubscriptions: wanted.resourceSubscriptions }),
    };
    this.#listening.set(id, honoured);
    this.#send('notifications/subscriptions/acknowledged', { ...metaFor(id), notifications: honoured });
  }

  /** @returns whether it was listening. */
  unlisten(id: RequestId): boolean {
    return this.#listening.delete(id);
  }

  /** @see MCP 2025-11-25 Resources, "Subscriptions" */
  watch(uri: string, wanted: boolean): void {
    if (wanted) this.#watched.add(uri);
    else this.#watched.delete(uri);
  }

  announce(change: Change, isModern: boolean): void {
    const [method, params] = typeof change === 'object' ? ['notifications/resources/updated', change] : [`notifications/${change}/list_changed`, {}];
    if (isModern) {
      for (const [id, filter] of this.#listening) if (covers(filter, change)) this.#send(method, { ...params, ...metaFor(id) });
    } else if (typeof change !== 'object' || this.#watched.has(change.uri)) this.#send(method, params);
  }
}

function covers(filter: SubscriptionFilter, change: Change): boolean {
  if (typeof change === 'object') return filter.resourceSubscriptions?.includes(change.uri) ?? false;
  return filter[`${change}ListChanged`] ?? false;
}

const metaFor = (id: RequestId): object => ({ _meta: { [META_KEYS.subscriptionId]: id } });
