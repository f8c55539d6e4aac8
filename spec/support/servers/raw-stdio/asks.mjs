// Asks the client while it waits: a ping before the answer to `initialize`, and during a call a ping with the call's own id,
// an unknown method and `roots/list`. The call's result is the JSON of the client's answers, by method.
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  /** @type {Record<string, unknown>} */
  const answers = {};
  /** @param {string} key @param {string} method @param {unknown} [id] */
  const ask = async (key, method, id) => void (answers[key] = await server.request(method, undefined, id));

  server.on('initialize', async (params, { id }) => {
    void ask('early', 'ping');
    await server.reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'asks', version: '1' } });
    return NO_ANSWER;
  });
  server.on('tools/call', async (_, { id }) => {
    await Promise.all([ask('ping', 'ping', id), ask('unknown', 'x/unknown'), ask('roots', 'roots/list')]);
    return text(JSON.stringify(answers));
  });
  server.listen();
};
