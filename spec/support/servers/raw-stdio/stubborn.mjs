// Will not end: ignores the end of stdin and, unless `{ "sigterm": true }`, SIGTERM.
// With `{ "grandchild": true }` a child of its own holds the pipes, too; its pid goes to stderr.
import { spawnGrandchild } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { sigterm = false, grandchild = false }) => {
  setTimeout(() => process.exit(), 60_000);
  server.onEof = () => void process.stderr.write('eof\n');
  if (!sigterm) process.on('SIGTERM', () => void process.stderr.write('sigterm\n'));
  if (grandchild) process.stderr.write(`grandchild ${spawnGrandchild().pid}\n`);
  server.listen();
};
