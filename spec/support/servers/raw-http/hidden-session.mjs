// A session server whose session id no page can see: it does not expose the header.
import session from './session.mjs';

/** @type {import('../raw-http.mjs').Scenario} */
export default (request, response, body, context) => {
  response.removeHeader('Access-Control-Expose-Headers');
  return /** @type {import('../raw-http.mjs').ScenarioFunction} */ (session)(request, response, body, context);
};
