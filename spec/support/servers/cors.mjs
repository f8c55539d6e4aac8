// Lets the page that Karma serves call the fixture servers.

const requestHeaders = /^(accept|authorization|content-type|last-event-id|mcp-[\w-]+|x-[\w-]+|traceparent|tracestate|baggage)$/;
const responseHeaders = 'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Mcp-Auth-Server, Retry-After, Location';

/**
 * Sets the CORS headers on an answer.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {(header: string) => boolean} [allowed] which request headers a preflight grants
 */
export function setCors(request, response, allowed = (header) => requestHeaders.test(header)) {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const asked = String(request.headers['access-control-request-headers'] ?? '').split(/\s*,\s*/);
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Headers', asked.filter(allowed).join(', '));
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
  response.setHeader('Access-Control-Expose-Headers', responseHeaders);
  response.setHeader('Vary', 'Origin');
}

/**
 * Answers preflights before `listener` sees them.
 * @param {import('node:http').RequestListener} listener
 * @returns {import('node:http').RequestListener}
 */
export const withCors = (listener) => (request, response) => {
  setCors(request, response);
  if (request.method === 'OPTIONS') response.writeHead(204).end();
  else listener(request, response);
};
