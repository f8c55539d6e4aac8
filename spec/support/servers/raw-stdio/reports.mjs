// A call gives what the process was started with: `{ args, env, cwd }` as JSON.
import { text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  server.on('tools/call', () => text(JSON.stringify({ args: process.argv.slice(4), env: process.env, cwd: process.cwd() })));
  server.listen();
};
