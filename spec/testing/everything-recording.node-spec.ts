import { createClient } from '../../lib/node.ts';
import { stdioServer } from '../support/node-fixtures.ts';
import { recordsAndReplays } from './everything-recording.ts';

describe('a recording of the everything server over stdio', function () {
  this.timeout(20_000);
  recordsAndReplays(async (options) => createClient(stdioServer('everything'), options));
});
