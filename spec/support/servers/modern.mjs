// A server on the 2026-07-28 revision: stateless, without handshake. It refuses `initialize`.
// Run as a program it speaks stdio; see dual.mjs for the one that serves the older revisions, too.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isProgram } from './program.mjs';
import { page, toolNamed } from './tools.mjs';

/**
 * One server per connection (stdio) or per request (HTTP), so what outlives a request is given.
 * @param {string} name
 * @param {import('./tools.mjs').Cancelled[]} cancelled
 * @param {() => void} [announce] publishes a changed list where the connection cannot (HTTP)
 */
function createServer(name, cancelled, announce) {
  const server = new Server(
    { name, version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {} }, instructions: `A fixture: ${name}.` },
  );
  server.setRequestHandler('tools/list', ({ params }) => page(params?.cursor));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolNamed(params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const progressToken = mcpReq._meta?.progressToken;
    return await tool(params.arguments ?? {}, {
      id: mcpReq.id,
      signal: mcpReq.signal,
      cancelled,
      async progress(progress, total, message) {
        if (progressToken === undefined) return;
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
      },
      log: (data) => mcpReq.log('info', data, params.name),
      // On this revision a log belongs to a request, and the request is gone.
      logAside: async () => {},
      toolsChanged: async () => (announce ? announce() : server.sendToolListChanged()),
    });
  });
  return server;
}

/** @param {'modern' | 'dual'} name @param {'serve' | 'reject'} legacy */
export function stdio(name, legacy) {
  /** @type {import('./tools.mjs').Cancelled[]} */
  const cancelled = [];
  const handle = serveStdio(() => createServer(name, cancelled), { legacy, onerror: (error) => console.error(error) });
  process.stdin.on('end', () => void handle.close().finally(() => process.exit()));
}

/**
 * @param {'modern' | 'dual'} name
 * @param {'stateless' | 'reject'} legacy
 * @returns {{ handle: import('node:http').RequestListener, close: () => Promise<void> }}
 */
export function http(name, legacy) {
  /** @type {import('./tools.mjs').Cancelled[]} */
  const cancelled = [];
  const handler = createMcpHandler(() => createServer(name, cancelled, () => handler.notify.toolsChanged()), { legacy });
  /** @type {(...args: any[]) => Promise<void>} */
  const listener = toNodeHandler(handler);
  return { handle: (request, response) => void listener(request, response), close: () => handler.close() };
}

export const modernHttp = () => http('modern', 'reject');

if (isProgram(import.meta.url)) stdio('modern', 'reject');
