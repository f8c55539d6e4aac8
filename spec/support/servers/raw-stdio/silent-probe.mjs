// A legacy server that says nothing to `server/discover`; with `{ "answerAfter": ms }` it answers so much later, as a modern server.
import { discovered, NO_ANSWER, RpcFailure, sleep } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { answerAfter }) => {
  server.on('server/discover', async () => {
    if (answerAfter === undefined) return NO_ANSWER;
    await sleep(answerAfter);
    return discovered('late');
  });
  if (answerAfter !== undefined)
    server.on('initialize', () => {
      throw new RpcFailure(-32022, 'Unsupported protocol version', { supported: ['2026-07-28'] });
    });
  server.listen();
};
