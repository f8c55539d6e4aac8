// Writes the answer to a call without the final LF, then ends its stdout by exiting.
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  server.on('tools/call', async (_, { id }) => {
    await server.write(JSON.stringify({ jsonrpc: '2.0', id, result: text('cut short') }));
    setImmediate(() => process.exit(0));
    return NO_ANSWER;
  });
  server.listen();
};
