// Answers by the rules in `?rules=`, first match wins; see `Rule` in spec/support/http.ts. "$id" stands for the id of the request.
/** @type {import('../raw-http.mjs').Scenario} */
export default async (request, response, body, context) => {
  const rules = (context.state.rules ??= JSON.parse(context.query.get('rules') ?? '[]'));
  const method = body?.method ?? (body === undefined ? request.method : 'answer');
  const rule = rules.find((/** @type {any} */ { on, times = Infinity }) => (on === method || on === '*') && times > 0);
  if (!rule) return context.fallback();
  if (rule.times !== undefined) rule.times--;
  const filled = (/** @type {string} */ text) => text.replaceAll('"$id"', JSON.stringify(body?.id ?? null));

  if (rule.delay !== undefined) await context.sleep(rule.delay);
  const { status = 200, headers = {}, sse, body: text } = rule;
  if (sse === undefined && text === undefined && rule.hang) return context.gone();
  if (sse === undefined && text === undefined && rule.reset) return context.reset();
  response.writeHead(status, { ...(sse ? { 'content-type': 'text/event-stream' } : text === undefined ? {} : { 'content-type': 'application/json' }), ...headers });
  if (status !== 204 && status !== 304) response.flushHeaders();
  for (const chunk of sse ?? (text === undefined ? [] : [text])) {
    await new Promise((resolve) => void response.write(filled(chunk), resolve));
    if (sse !== undefined) await context.sleep(1);
  }
  if (rule.hang) return context.gone();
  if (rule.reset) return context.reset();
  response.end();
};
