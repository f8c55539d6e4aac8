import { createClient } from '../../lib/index.ts';
import { fixtureUrls } from '../support/fixtures.ts';
import { recordsAndReplays } from './everything-recording.ts';

describe('a recording of the everything server over HTTP', function () {
  this.timeout(20_000);
  recordsAndReplays(async (options) => createClient({ type: 'http', url: (await fixtureUrls()).everything }, options));
});
