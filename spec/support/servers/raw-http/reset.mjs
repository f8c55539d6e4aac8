// Cuts the connection of the first `?times=1` calls before any header.
/** @type {import('../raw-http.mjs').Scenario} */
export default (_request, _response, body, context) => {
  if (body?.method === 'tools/call' && context.count <= Number(context.query.get('times') ?? 1)) return context.reset();
  return context.fallback();
};
