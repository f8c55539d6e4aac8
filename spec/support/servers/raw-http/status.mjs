// Answers `?on=METHOD` (default tools/call) with `?status=500&text=…`, or with `?json=…` as a JSON body; header hints by `?hint`.

/** @type {import('../raw-http.mjs').Scenario} */
export default (_request, _response, body, context) => {
  const { query } = context;
  if (body?.method !== (query.get('on') ?? 'tools/call')) return context.fallback();
  const status = Number(query.get('status') ?? 500);
  /** @type {Record<string, string>} */
  const headers = query.has('hint') ? { 'www-authenticate': 'Bearer realm="raw"', 'mcp-auth-server': 'https://as.example' } : {};
  const json = query.get('json');
  if (json !== null) return context.text(json.replaceAll('"$id"', JSON.stringify(body.id)), status, { ...headers, 'content-type': 'application/json' });
  return context.text(query.get('text') ?? 'no luck', status, headers);
};
