import { expect } from 'chai';
import type { ClientOptions } from '../../lib/client/client.ts';
import { createClient } from '../../lib/node.ts';
import { stdioServer } from '../support/node-fixtures.ts';
import { isAlive, pidsOf, watchChildren } from '../support/stdio.ts';
import { outcome } from '../support/outcome.ts';
import { behaves, behavesLikeEverything } from './behaves.ts';

const over = (name: Parameters<typeof stdioServer>[0], fixed: ClientOptions = {}) => (options: ClientOptions = {}) => createClient(stdioServer(name), { ...fixed, ...options });

describe('real servers over stdio', function () {
  this.timeout(20_000);

  describe('everything', () => {
    behavesLikeEverything(over('everything'));
  });
  describe('legacy', () => {
    behaves({ open: over('legacy'), name: 'legacy', era: 'legacy', revision: '2025-11-25' });
  });
  describe('modern', () => {
    behaves({ open: over('modern'), name: 'modern', era: 'modern', revision: '2026-07-28' });
  });
  describe('dual', () => {
    behaves({ open: over('dual'), name: 'dual', era: 'modern', revision: '2026-07-28' });
  });
  describe('dual, spoken to as of 2025-11-25', () => {
    behaves({ open: over('dual', { revisions: ['2025-11-25'] }), name: 'dual', era: 'legacy', revision: '2025-11-25' });
  });

  describe('processes', () => {
    const children = watchChildren();
    const pids = () => pidsOf(children());

    for (const name of ['everything', 'legacy', 'modern', 'dual'] as const) {
      it(`${name}: one for each connection, probe included, and none afterwards [R21]`, async () => {
        const client = over(name)();
        expect((await outcome(client.connect())).error).to.equal(undefined);
        expect(pids()).to.have.length(1);
        await outcome(client.listTools());
        expect((await outcome(client.reconnect())).error).to.equal(undefined);
        expect(pids()).to.have.length(2);
        expect(isAlive(pids()[0]!)).to.equal(false);
        await outcome(client.close());
        expect(isAlive(pids()[1]!)).to.equal(false);
      });
    }
  });
});
