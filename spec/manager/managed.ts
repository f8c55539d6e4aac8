// A manager over scripted servers, in virtual time.
import { expect } from 'chai';
import { createClient } from '../../lib/index.ts';
import { McpManager } from '../../lib/manager/manager.ts';
import type { ManagerOptions } from '../../lib/manager/manager-types.ts';
import type { ServerEntry } from '../../lib/manager/server-entry.ts';
import { legacyScript, ScriptedServer, type Reaction, type Script } from '../support/peer.ts';
import { record, type VirtualTime } from '../support/test-scheduler.ts';
import type { ObservableInput } from 'rxjs';

export const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

/** A server with these tools, which gives back what it is called with. */
export const serving = (names: readonly string[], more: Script = {}): Script =>
  legacyScript({
    'tools/list': () => ({ tools: names.map((name) => tool(name)) }),
    'tools/call': ({ params }) => ({ content: [{ type: 'text', text: params.name }] }),
    ...more,
  });

/** A server that ends before it says anything. */
export const dying: Script = { 'server/discover': (_, peer) => peer.close(), initialize: (_, peer) => peer.close() };

/** Does what another reaction does after a while. */
export const after =
  (time: VirtualTime, ms: number, reaction: Reaction): Reaction =>
  (message, peer) => {
    time.at(ms, () => {
      if (!peer.closed) peer.result(message.id, reaction(message, peer));
    });
    return undefined;
  };

export const initialized: Reaction = ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });

/** How an entry leads to its scripted server. */
export const entry = (name: string, more: Partial<ServerEntry> & { readonly remote?: boolean } = {}): ServerEntry => {
  const { remote = false, ...rest } = more;
  return { name, config: { type: remote ? 'http' : 'stdio', name }, ...rest };
};

type Servers = Readonly<Record<string, Script | ((n: number) => Script)>>;

export function managing(time: VirtualTime, scripts: Servers, options: ManagerOptions & { readonly source?: ObservableInput<readonly ServerEntry[]> } = {}) {
  const { source, ...rest } = options;
  const servers = Object.fromEntries(Object.entries(scripts).map(([name, script]) => [name, new ScriptedServer(script)]));
  const manager = new McpManager(
    ({ name = '' }, clientOptions) => createClient(servers[name]!.open, { probeTimeoutMs: 10, ...clientOptions }),
    source ?? [Object.keys(scripts).map((name) => entry(name))],
    { healing: { random: () => 0.5 }, ...rest },
  );
  const states = record(manager.servers$);
  const phase = (name: string) => manager.statusOf(name)?.state.phase;
  return {
    manager,
    servers,
    states,
    errors: record(manager.errors$),
    phase,
    phases: () => Object.fromEntries(Object.keys(scripts).map((name) => [name, phase(name)])),
    /** How often a server was started. */
    starts: (name: string) => servers[name]!.peers.length,
    peer: (name: string) => servers[name]!.peer,
    started: () => {
      const results = record(manager.discoverAndConnect());
      time.flush();
      return results;
    },
    /** For inside `at`: there `end()` would let time pass within time. */
    close: () => {
      void manager.close();
    },
    /** Ends all, and looks whether anything is left. */
    end: () => {
      const closed = record(manager.close());
      time.flush();
      expect(closed.completed).to.equal(1);
      expect(states.completed).to.equal(1);
      for (const [name, { peers }] of Object.entries(servers)) expect(peers.every((peer) => peer.closed), name).to.equal(true);
    },
  };
}

export const names = (tools: readonly { readonly name: string; readonly deferred?: boolean }[] | undefined): string[] => (tools ?? []).map(({ name, deferred }) => (deferred ? `(${name})` : name));
