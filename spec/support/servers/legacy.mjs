// A server that knows the revisions up to 2025-11-25 only. Run as a program it speaks stdio.
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { isProgram } from './program.mjs';
import { page, toolNamed } from './tools.mjs';

export function createLegacyServer() {
  const server = new Server(
    { name: 'legacy', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {} }, instructions: 'A fixture that speaks the older revisions.' },
  );
  /** @type {import('./tools.mjs').Cancelled[]} */
  const cancelled = [];

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => page(params?.cursor));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = toolNamed(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const progressToken = extra._meta?.progressToken;
    return await tool(params.arguments ?? {}, {
      id: extra.requestId,
      signal: extra.signal,
      cancelled,
      async progress(progress, total, message) {
        if (progressToken === undefined) return;
        await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
      },
      log: (data) => extra.sendNotification({ method: 'notifications/message', params: { level: 'info', logger: params.name, data } }),
      logAside: (data) => server.sendLoggingMessage({ level: 'notice', logger: params.name, data }),
      toolsChanged: () => server.sendToolListChanged(),
    });
  });
  return server;
}

/**
 * Streamable HTTP with sessions, at any path.
 * @returns {{ handle: import('node:http').RequestListener, close: () => Promise<void> }}
 */
export function legacyHttp() {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();

  /** @type {import('node:http').RequestListener} */
  async function handle(request, response) {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (!transport && id !== undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }));
      return;
    }
    if (!transport) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, opened),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      await createLegacyServer().connect(opened);
      transport = opened;
    }
    await transport.handleRequest(request, response);
  }

  return {
    handle,
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

if (isProgram(import.meta.url)) {
  await createLegacyServer().connect(new StdioServerTransport());
  process.stdin.on('end', () => process.exit());
}
