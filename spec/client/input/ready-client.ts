// A client of features that is connected, and its server, in virtual time.
import { expect } from 'chai';
import type { ClientFeature } from '../../../lib/client/feature.ts';
import { createClient } from '../../../lib/index.ts';
import { ScriptedServer, type Script } from '../../support/peer.ts';
import { record, type VirtualTime } from '../../support/test-scheduler.ts';

export function readyClient<const F extends readonly ClientFeature[]>(
  time: VirtualTime,
  script: Script,
  features: F,
  options: Omit<NonNullable<Parameters<typeof createClient<F>>[1]>, 'features'> = {},
) {
  const server = new ScriptedServer(script);
  const client = createClient<F>(server.open, { ...options, features });
  record(client.connect());
  time.flush();
  expect(client.connected).to.equal(true);
  return { server, client, errors: record(client.errors$) };
}

/** The answers that a server got to requests of its own. */
export const answersOf = (server: ScriptedServer): any[] => server.peer.received.filter(({ method }) => method === undefined).map(({ jsonrpc: _, ...answer }) => answer);

/** A form with a field of each kind. */
export const form = (properties: object = { name: { type: 'string', default: 'Ada' } }) => ({
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties },
});
