// The page's own server, and the MCP servers that the page talks to: all on the loopback interface, on free ports.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstValueFrom, ReplaySubject, type Subscription } from 'rxjs';
import { serveStdio, type Bridge } from '../../lib/node.ts';
import { Workshop } from './workshop.ts';

export interface Demo {
  readonly url: string;
  readonly workshop: Workshop;
  readonly bridge: Bridge;
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

/** @param folder - What `ng build` wrote. */
export async function startDemo(folder: string, port = 0): Promise<Demo> {
  const workshop = new Workshop();
  const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  const [reference] = await Promise.all([startReference(), workshop.start()]);
  const { bridge, ending } = await openBridge(everything);
  const servers = [
    { name: 'workshop', title: 'Workshop', type: 'http', url: workshop.url },
    { name: 'everything', title: 'Everything', type: 'http', url: reference.url },
    { name: 'stdio', title: 'Everything by stdio', type: 'websocket', url: bridge.url },
  ];
  const page = createServer(pages(folder, servers, bridge));
  page.listen(port, '127.0.0.1');
  await once(page, 'listening');
  return {
    url: `http://127.0.0.1:${(page.address() as AddressInfo).port}/`,
    workshop,
    bridge,
    async stop() {
      await Promise.all([closed(page), workshop.stop(), ended(reference.child)]);
      await Promise.all(bridge.connections.map((connection) => {
        connection.close();
        return firstValueFrom(connection.closed$);
      }));
      ending.unsubscribe();
    },
  };
}

/** The page, the list of its servers, and tickets for the bridge: for itself alone. */
function pages(folder: string, servers: readonly object[], bridge: Bridge): RequestListener {
  return (request, response) => {
    const { method, url = '/', headers } = request;
    const isOwn = headers.host !== undefined && /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host) && (headers.origin === undefined || headers.origin === `http://${headers.host}`);
    const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const name = url === '/' ? 'index.html' : url.slice(1);
    if (!isOwn) response.writeHead(403).end();
    else if (method === 'POST' && url === '/ticket') json({ ticket: bridge.ticket() });
    else if (method !== 'GET') response.writeHead(405).end();
    else if (url === '/servers') json(servers);
    else if (!/^[\w-]+\.\w+$/.test(name)) response.writeHead(404).end();
    else {
      readFile(join(folder, name)).then(
        (body) => response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream').end(body),
        () => response.writeHead(404).end(),
      );
    }
  };
}

async function openBridge(everything: string): Promise<{ bridge: Bridge; ending: Subscription }> {
  const opened = new ReplaySubject<Bridge>(1);
  const ending = serveStdio({ command: process.execPath, args: [everything, 'stdio'] }).subscribe(opened);
  return { bridge: await firstValueFrom(opened), ending };
}

/** The official reference server over HTTP. */
async function startReference(): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(fileURLToPath(new URL('reference.mjs', import.meta.url)), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('The reference server did not start')));
  const [port] = (await Promise.race([once(child, 'message'), failed])) as [number];
  failed.catch(() => undefined); // it ends some time
  return { url: `http://127.0.0.1:${port}/mcp`, child };
}

async function closed(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}
