import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Observable } from 'rxjs';

/** What a path answers with; a function sees the request itself. */
export type Route = { readonly type: string; readonly body: () => string } | RequestListener;

const POLICY = "default-src 'self'; connect-src 'self' http: https: ws: wss:; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

export const file = (name: string, type: string): Route => {
  const url = new URL(`page/${name}`, import.meta.url);
  return { type, body: () => readFileSync(url, 'utf8') };
};

export const json = (value: () => unknown): Route => ({ type: 'application/json', body: () => JSON.stringify(value()) });

/** Listens on the loopback interface for as long as you are subscribed; emits the address of the page. */
export function servePage(routes: ReadonlyMap<string, Route>, port: number): Observable<string> {
  return new Observable((subscriber) => {
    const server = createServer(answering(routes));
    server.on('error', (error) => {
      subscriber.error(error);
    });
    server.listen(port, '127.0.0.1', () => {
      subscriber.next(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    });
    return () => {
      end(server);
    };
  });
}

function answering(routes: ReadonlyMap<string, Route>): RequestListener {
  return (request, response) => {
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) {
      response.writeHead(403).end('This page is for the loopback interface only');
      return;
    }
    const route = routes.get((request.url ?? '/').replace(/\?.*$/, ''));
    if (route === undefined) response.writeHead(404).end('Nothing is here');
    else if (typeof route === 'function') route(request, response);
    else response.writeHead(200, { 'content-type': `${route.type}; charset=utf-8`, 'content-security-policy': POLICY, 'cache-control': 'no-store' }).end(route.body());
  };
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}
