import { createClient } from '../../lib/node.ts';
import { stdioServer } from '../support/node-fixtures.ts';
import { answersWhatIsAsked } from './inquiring.ts';

describe('a modern server that asks back, over stdio', () => {
  answersWhatIsAsked((features) => createClient(stdioServer('inquiring'), { features }));
});
