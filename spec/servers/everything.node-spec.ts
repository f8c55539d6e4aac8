import { createClient } from '../../lib/node.ts';
import { stdioServer } from '../support/node-fixtures.ts';
import { offersEverything } from './everything.ts';

describe('the everything server over stdio', function () {
  this.timeout(20_000);
  offersEverything((options) => createClient(stdioServer('everything'), options));
});
