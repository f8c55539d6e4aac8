// Closes one of its pipes on the first call, `{ "pipe": "stdin" | "stdout" }`, and lives on.
import { closeSync } from 'node:fs';
import { NO_ANSWER } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { pipe = 'stdout' }) => {
  setTimeout(() => process.exit(), 60_000);
  server.on('tools/call', () => {
    if (pipe === 'stdin') process.stdin.destroy(); // reads no more, but leaves the pipe open
    closeSync(pipe === 'stdin' ? 0 : 1);
    process.stderr.write(`closed ${pipe}\n`);
    return NO_ANSWER;
  });
  server.listen();
};
