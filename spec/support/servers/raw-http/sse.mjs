// Answers calls with an event stream: a comment, two notifications and the answer; `?chunk=N` cuts it into chunks of N bytes.

/** @type {import('../raw-http.mjs').Scenario} */
export default async (_request, _response, body, context) => {
  if (body?.method !== 'tools/call') return context.fallback();
  const messages = [
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'é漢🦀' } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: body.params._meta?.progressToken ?? 0, progress: 1, total: 1 } },
    context.answer({ content: [{ type: 'text', text: 'é漢🦀' }] }),
  ];
  const text = `: hello\n\n${messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('')}`;
  const stream = context.sse();
  await stream.chunked(text, Number(context.query.get('chunk') ?? text.length * 4));
  stream.end();
};
