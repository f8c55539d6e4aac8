// Exits by itself with `{ "code": n }` on the first call, while a grandchild still holds its pipes; its pid goes to stderr.
import { NO_ANSWER, spawnGrandchild } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { code = 0 }) => {
  const { pid } = spawnGrandchild();
  server.on('tools/call', () => {
    process.stderr.write(`grandchild ${pid}\n`, () => process.exit(code));
    return NO_ANSWER;
  });
  server.listen();
};
