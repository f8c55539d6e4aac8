import { createClient, withHttpSse } from '../../lib/index.ts';
import { fixtureUrls } from '../support/fixtures.ts';
import { offersEverything } from './everything.ts';

describe('the everything server over HTTP', function () {
  this.timeout(20_000);
  offersEverything(async (options) => createClient({ type: 'http', url: (await fixtureUrls()).everything }, options));
});

describe('the everything server over HTTP+SSE of 2024', function () {
  this.timeout(20_000);
  offersEverything(async ({ features = [], ...options }) =>
    createClient({ type: 'sse', url: (await fixtureUrls()).everythingSse }, { ...options, features: [...features, withHttpSse()] }),
  );
});
