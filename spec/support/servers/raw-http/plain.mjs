// A correct legacy server that answers with JSON.

/** @type {import('../raw-http.mjs').Scenario} */
export default (_request, _response, _body, context) => context.fallback();
