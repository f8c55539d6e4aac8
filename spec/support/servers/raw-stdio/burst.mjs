// `{ "count": 100 }`: sends all progress notifications of a call, a log and its answer in one write.
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { count = 100 }) => {
  server.on('tools/call', async (params, { id }) => {
    const progressToken = params._meta?.progressToken;
    await server.send(
      ...Array.from({ length: count }, (_, index) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: index + 1, total: count },
      })),
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'burst' } },
      { jsonrpc: '2.0', id, result: text('done') },
    );
    return NO_ANSWER;
  });
  server.listen();
};
