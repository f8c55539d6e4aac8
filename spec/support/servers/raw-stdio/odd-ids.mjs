// Answers a call as its argument `how` says: "string" (the id as a string), "padded" ("0" before the string), "float" (1e0 style),
// "duplicate" (twice), "unknown" (an unknown id first), "late" (first an answer to the call before), "null" (an error without id first).
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  /** @type {unknown} */
  let previous;
  server.on('tools/call', async (params, { id }) => {
    const result = text('ok');
    const how = params.arguments?.how;
    if (how === 'silent') previous = id;
    else if (how === 'string') await server.reply(String(id), result);
    else if (how === 'padded') await server.reply(`0${id}`, result);
    else if (how === 'float') await server.write(`{"jsonrpc":"2.0","id":${id}.0,"result":${JSON.stringify(result)}}\n`);
    else {
      if (how === 'unknown') await server.reply(999_999, text('stray'));
      if (how === 'late') await server.fail(previous, 0, 'Request cancelled');
      if (how === 'null') await server.fail(null, -32700, 'Parse error');
      await server.reply(id, result);
      if (how === 'duplicate') await server.reply(id, text('again'));
    }
    return NO_ANSWER;
  });
  server.listen();
};
