// A legacy server whose preflights know nothing of the headers of 2026-07-28, nor of MCP-Protocol-Version.
/** @type {import('../raw-http.mjs').Scenario} */
export default {
  grants: (header) => ['accept', 'content-type', 'mcp-session-id', 'last-event-id'].includes(header),
  handle: (_request, _response, _body, context) => context.fallback(),
};
