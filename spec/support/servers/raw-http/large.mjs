// Answers a call with one event whose text is as long as the argument `bytes` says, cut as a network would.

/** @type {import('../raw-http.mjs').Scenario} */
export default async (_request, _response, body, context) => {
  if (body?.method !== 'tools/call') {
    await context.fallback();
    return;
  }
  const text = 'A'.repeat(Number(body.params?.arguments?.bytes));
  const result = { content: [{ type: 'text', text }] };
  const stream = context.sse();
  await stream.chunked(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result })}\n\n`, 65_536);
  stream.end();
};
