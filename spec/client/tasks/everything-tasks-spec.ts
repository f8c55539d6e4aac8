import { HttpTransport } from '../../../lib/transport/http.ts';
import { fixtureUrls } from '../../support/fixtures.ts';
import { runsTasks } from './everything-tasks.ts';

describe('the everything server over HTTP runs tasks', function () {
  this.timeout(20_000);

  let url = '';
  before(async () => {
    url = (await fixtureUrls()).everything;
  });
  runsTasks(() => new HttpTransport({ type: 'http', url }));
});
