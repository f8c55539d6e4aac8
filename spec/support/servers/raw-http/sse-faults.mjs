// Answers calls with a broken event stream: `?how=`
//   end      ends without the answer          hang     never answers, keeps the stream open
//   reset    cuts the connection              garbage  a message event that is no JSON, then the answer
//   noise    events to skip, then the answer  cut      the stream ends inside the answer
/** @type {import('../raw-http.mjs').Scenario} */
export default async (_request, _response, body, context) => {
  if (body?.method !== 'tools/call') return context.fallback();
  const answer = context.answer({ content: [{ type: 'text', text: 'answer' }] });
  const how = context.query.get('how');
  const stream = context.sse();
  await stream.comment('ready');
  if (how === 'hang') return context.gone();
  if (how === 'reset') {
    await context.sleep(20);
    return context.reset();
  }
  if (how === 'garbage') await stream.message('{"jsonrpc":');
  if (how === 'noise') {
    await stream.message('{"not":', { event: 'other' });
    await stream.raw('event: message\ndata:\n\n');
    await stream.message({ hello: 'world' });
    await stream.message({ jsonrpc: '2.0', id: 'nobody', result: {} });
  }
  if (how === 'cut') await stream.raw(`data: ${JSON.stringify(answer).slice(0, -3)}`);
  if (how === 'garbage' || how === 'noise') await stream.message(answer);
  stream.end();
};
