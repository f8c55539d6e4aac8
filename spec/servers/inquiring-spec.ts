import { createClient } from '../../lib/index.ts';
import { fixtureUrls } from '../support/fixtures.ts';
import { answersWhatIsAsked } from './inquiring.ts';

describe('a modern server that asks back, over HTTP', () => {
  answersWhatIsAsked(async (features) => createClient({ type: 'http', url: (await fixtureUrls()).inquiring }, { features }));
});
