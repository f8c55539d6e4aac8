// A server that no page may call: its answers carry no CORS headers.
/** @type {import('../raw-http.mjs').Scenario} */
export default { grants: false, handle: (_request, _response, _body, context) => context.fallback() };
