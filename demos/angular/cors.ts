import type { RequestListener } from 'node:http';

/** Lets the page call a server at another port of this machine, and no page from elsewhere. */
export function withCors(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { origin, 'access-control-request-headers': headers = '' } = request.headers;
    if (origin !== undefined && /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(origin)) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-allow-headers', headers);
      response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
      response.setHeader('access-control-expose-headers', 'Mcp-Session-Id, Mcp-Protocol-Version, Retry-After');
      response.setHeader('vary', 'Origin');
    }
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else listener(request, response);
  };
}
