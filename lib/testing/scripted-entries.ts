import type { ClientFeature } from '../client/feature.js';
import type { ServerEntry } from '../manager/server-entry.js';
import type { CommonConfig } from '../transport/config.js';
import type { Transport } from '../transport/transport.js';

/** What can be connected to: a scripted server, or a replay. @public */
export interface Openable {
  readonly open: () => Transport;
}

const TYPE = 'scripted';

/** Entries for `createManager` that lead to scripted servers, by name; they need {@link withScriptedServers}. @public */
export function scriptedEntries(servers: Readonly<Record<string, Openable>>): ServerEntry[] {
  return Object.entries(servers).map(([name, { open }]) => ({ name, config: { type: TYPE, name, open } as CommonConfig }));
}

/** The way to the servers of {@link scriptedEntries}: `createManager([scriptedEntries(servers)], { client: { features: [withScriptedServers()] } })`. @public */
export function withScriptedServers(): ClientFeature {
  return {
    name: 'scripted servers',
    transport: (config) => (config.type === TYPE ? (config as CommonConfig & Openable).open : undefined),
  };
}
