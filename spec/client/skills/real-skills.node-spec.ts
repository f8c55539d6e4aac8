import { createClient } from '../../../lib/node.ts';
import { stdioServer } from '../../support/node-fixtures.ts';
import { servesSkills } from './real-skills.ts';

describe('skills of the official server, over stdio', () => {
  servesSkills((options) => createClient(stdioServer('skills'), options));
});
