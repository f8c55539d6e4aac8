// Answers calls with lines that are long or never end:
//   `{ "bytes": n }`                  an answer of exactly n bytes, the LF not counted
//   `{ "bytes": n, "lf": false }`     n bytes without any LF
//   `{ "bytes": n, "first": true }`   a good answer and the n bytes without LF, in one write
import { line, NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { bytes, lf = true, first = false }) => {
  server.on('tools/call', async (_, { id }) => {
    const answer = (/** @type {string} */ value) => ({ jsonrpc: '2.0', id, result: text(value) });
    if (first) await server.write(line(answer('before the flood')) + 'A'.repeat(bytes));
    else if (!lf) await server.write('A'.repeat(bytes));
    else await server.send(answer('A'.repeat(bytes - JSON.stringify(answer('')).length)));
    return NO_ANSWER;
  });
  server.listen();
};
