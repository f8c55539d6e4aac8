// Gives a session id at `initialize`, wants it on everything after (400), and forgets sessions after `?calls=N` calls (404).
// A DELETE is answered with `?delete=200`.
/** @type {import('../raw-http.mjs').Scenario} */
export default (request, _response, body, context) => {
  const { state, query } = context;
  if (body?.method === 'initialize') {
    state.session = `session-${(state.sessions = (state.sessions ?? 0) + 1)}`;
    state.calls = 0;
    return context.fallback({ 'mcp-session-id': state.session });
  }
  const session = request.headers['mcp-session-id'];
  if (session === undefined) return context.error(-32000, 'Bad Request: Mcp-Session-Id header is required', 400);
  if (session !== state.session) return context.error(-32001, 'Session not found', 404);
  if (request.method === 'DELETE') return context.empty(Number(query.get('delete') ?? 200));
  if (body?.method === 'tools/call' && ++state.calls > Number(query.get('calls') ?? Infinity)) {
    state.session = undefined;
    return context.error(-32001, 'Session not found', 404);
  }
  return context.fallback();
};
