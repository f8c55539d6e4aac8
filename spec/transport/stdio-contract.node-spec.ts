import { Connection } from '../../lib/session/connection.ts';
import { StdioTransport } from '../../lib/transport/stdio.ts';
import { keepsTheContract } from '../support/contract.ts';
import { rawStdio } from '../support/node-fixtures.ts';

describe('contract: stdio [R03 R11]', () => {
  keepsTheContract((options) => new Connection(new StdioTransport(rawStdio('contract')), options));
});
