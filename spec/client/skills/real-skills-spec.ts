import { createClient } from '../../../lib/index.ts';
import { fixtureUrls } from '../../support/fixtures.ts';
import { servesSkills } from './real-skills.ts';

describe('skills of the official server, over HTTP', () => {
  servesSkills(async (options) => createClient({ type: 'http', url: (await fixtureUrls()).skills }, options));
});

describe('skills of the official server, over HTTP as of 2025-11-25', () => {
  servesSkills(async (options) => createClient({ type: 'http', url: (await fixtureUrls()).skills }, { ...options, revisions: ['2025-11-25'] }));
});
