// The server of the transport contract over the HTTP+SSE pair of 2024-11-05: one stream for all answers, posts for all else.
import { createContractServer } from '../../contract-server.mjs';

/** @type {import('../raw-http.mjs').Scenario} */
export default async (request, _response, body, context) => {
  const { state } = context;
  if (request.method === 'GET') {
    state.stream = context.sse();
    void state.stream.message(request.url, { event: 'endpoint' });
    return context.gone();
  }
  if (request.method !== 'POST') return context.empty(405);
  const react = (state.react ??= createContractServer());
  context.empty(202);
  react(body, (/** @type {unknown[]} */ ...messages) => state.stream.raw(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')));
};
