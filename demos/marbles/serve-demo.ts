import type { RequestListener } from 'node:http';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { combineLatest, concat, concatMap, defer, map, NEVER, switchMap, type Observable } from 'rxjs';
import { serveStdio } from '../../lib/node.ts';
import { freePort, whileRunning } from '../console/server-program.ts';
import { bundlePage } from './bundle.ts';
import { Firehose } from './firehose.ts';
import { file, json, servePage, type Route } from './page-server.ts';
import type { Offer } from './page/offer.ts';
import { createWorkshop } from './workshop-server.ts';

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/**
 * The page and its servers, for as long as you are subscribed; emits the address of the page.
 *
 * @param port - 0: any that is free.
 * @param tell - Is told what the servers notice.
 */
export function serveDemo(port: number, tell: (line: string) => void): Observable<string> {
  const firehose = new Firehose();
  const bridge$ = serveStdio({ command: process.execPath, args: [EVERYTHING, 'stdio'] });
  return combineLatest([defer(bundlePage), everythingOverHttp(), bridge$]).pipe(
    switchMap(([script, everythingUrl, bridge]) => {
      const offers: readonly Offer[] = [
        { name: 'Workshop', about: '2026-07-28, HTTP', type: 'http', url: '/workshop/mcp' },
        { name: 'Everything', about: 'the reference server, HTTP', type: 'http', url: everythingUrl },
        { name: 'Everything, stdio', about: 'a process, through a bridge', type: 'bridge', url: bridge.url },
        { name: 'Firehose', about: '1,000 notifications a second, HTTP', type: 'http', url: '/firehose/mcp' },
      ];
      const routes = new Map<string, Route>([
        ['/', file('index.html', 'text/html')],
        ['/style.css', file('style.css', 'text/css')],
        ['/app.js', { type: 'text/javascript', body: () => script }],
        ['/favicon.ico', (_, response) => response.writeHead(204).end()],
        ['/offers', json(() => offers)],
        ['/ticket', (request, response) => (request.method === 'POST' ? response.end(JSON.stringify({ ticket: bridge.ticket() })) : response.writeHead(405).end())],
        ['/workshop/mcp', toNodeHandler(createMcpHandler(() => createWorkshop(tell), { legacy: 'reject' })) as RequestListener],
        ['/firehose/mcp', toNodeHandler(createMcpHandler(() => firehose.createServer(), { legacy: 'reject' })) as RequestListener],
        ['/firehose/sent', json(() => firehose.sent)],
      ]);
      return servePage(routes, port);
    }),
  );
}

function everythingOverHttp(): Observable<string> {
  return defer(freePort).pipe(
    concatMap((port) => whileRunning({ args: [EVERYTHING, 'streamableHttp'], env: { PORT: String(port) }, ready: /listening on port/ }, () => concat([port], NEVER))),
    map((port) => `http://127.0.0.1:${port}/mcp`),
  );
}
