// Delays: `?headers=ms` before the headers of an answer to a call, `?body=ms` between the headers and the body. `hang` waits for ever.
/** @type {import('../raw-http.mjs').Scenario} */
export default async (_request, response, body, context) => {
  if (body?.method !== 'tools/call') return context.fallback();
  const wait = (/** @type {string | null} */ ms) => (ms === 'hang' ? context.gone() : context.sleep(Number(ms)));
  await wait(context.query.get('headers'));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  await wait(context.query.get('body'));
  response.end(JSON.stringify(context.answer({ content: [{ type: 'text', text: 'late' }] })));
};
