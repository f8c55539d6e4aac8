import { createClient } from '../../lib/index.ts';
import type { ClientOptions } from '../../lib/client/client.ts';
import { fixtureUrls, type FixtureUrls } from '../support/fixtures.ts';
import { behaves, behavesLikeEverything } from './behaves.ts';

const over = (name: keyof FixtureUrls, fixed: ClientOptions = {}) => async (options: ClientOptions = {}) => {
  const urls = await fixtureUrls();
  return createClient({ type: 'http', url: urls[name] }, { ...fixed, ...options });
};

describe('real servers over HTTP', function () {
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
    behaves({ open: over('dual', { revisions: ['2025-11-25'] }), name: 'dual', era: 'legacy', revision: '2025-11-25', remembersCancels: false });
  });
});
