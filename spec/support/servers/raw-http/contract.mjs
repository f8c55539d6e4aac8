// The server of the transport contract, see contract-server.mjs. `?answers=json` (several messages as a batch) or `sse`.
import { createContractServer } from '../../contract-server.mjs';

/** @type {import('../raw-http.mjs').Scenario} */
export default async (request, response, body, context) => {
  if (request.method !== 'POST') return context.empty(request.method === 'DELETE' ? 200 : 405);
  const react = (context.state.react ??= createContractServer());
  if (body.id === undefined || body.method === undefined) {
    react(body, () => {});
    return context.empty(202);
  }
  const answered = new Promise((resolve) => {
    react(body, async (/** @type {unknown[]} */ ...messages) => {
      if (context.query.get('answers') === 'json') context.json(messages.length === 1 ? messages[0] : messages);
      else {
        const stream = context.sse();
        await stream.raw(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''));
        stream.end();
      }
      resolve(undefined);
    });
    response.on('close', resolve);
  });
  await answered;
};
