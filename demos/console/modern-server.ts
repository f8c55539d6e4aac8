// A server of the 2026-07-28 revision, and of no other, on a free port of the loopback interface. Prints its address, and then
// what it notices of cancelled calls.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const handler = createMcpHandler(createLibrary, { legacy: 'reject' });
const http = createServer(toNodeHandler(handler) as RequestListener);
http.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});

function createLibrary(): McpServer {
  const server = new McpServer({ name: 'modern-library', version: '1.0.0' }, { capabilities: { logging: {} } });

  server.registerTool(
    'count-words',
    { description: 'Counts the words of a text', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: 'text', text: String(text.match(/\S+/g)?.length ?? 0) }] }),
  );

  server.registerTool(
    'index-chapters',
    {
      description: 'Reads a long book, and reports progress and logs on the way',
      inputSchema: z.object({ chapters: z.number().default(10), msEach: z.number().default(200) }),
    },
    async ({ chapters, msEach }, { mcpReq }) => {
      const { signal, _meta } = mcpReq;
      const progressToken = _meta?.progressToken;
      for (let chapter = 1; chapter <= chapters; chapter++) {
        await pause(msEach, undefined, { signal }).catch((reason: unknown) => {
          console.log(`call ${mcpReq.id} was cancelled after ${chapter - 1} of ${chapters} chapters`);
          throw reason;
        });
        if (progressToken !== undefined) {
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: chapter, total: chapters, message: `chapter ${chapter}` } });
        }
        if (chapter % 4 === 0) await mcpReq.log('info', `${chapter} chapters are in the index`, 'indexer');
      }
      return { content: [{ type: 'text', text: `All ${chapters} chapters are in the index.` }] };
    },
  );

  return server;
}
