import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** Tools that show each way a call can go. @param tell - is told of calls that were cancelled */
export function createWorkshop(tell: (line: string) => void): McpServer {
  const server = new McpServer({ name: 'workshop', version: '1.0.0' }, { capabilities: { logging: {} } });

  server.registerTool(
    'build',
    { description: 'Takes a while, and reports progress and logs on the way', inputSchema: z.object({ steps: z.number().default(8), msEach: z.number().default(250) }) },
    async ({ steps, msEach }, { mcpReq: { id, signal, _meta, notify, log } }) => {
      const progressToken = _meta?.progressToken;
      for (let step = 1; step <= steps; step++) {
        await pause(msEach, undefined, { signal }).catch((reason: unknown) => {
          tell(`call ${id} was cancelled after ${step - 1} of ${steps} steps`);
          throw reason;
        });
        if (progressToken !== undefined) await notify({ method: 'notifications/progress', params: { progressToken, progress: step, total: steps, message: `step ${step}` } });
        if (step % 3 === 0) await log('info', `${step} steps are done`, 'workshop');
      }
      return text(`All ${steps} steps are done.`);
    },
  );

  server.registerTool('measure', { description: 'Answers at once', inputSchema: z.object({ what: z.string().default('a plank') }) }, ({ what }) => text(`${what} is ${what.length} letters long`));

  server.registerTool('break', { description: 'Fails', inputSchema: z.object({}) }, () => {
    throw new Error('It broke.');
  });

  server.registerTool('wait', { description: 'Never answers: give it a short deadline', inputSchema: z.object({}) }, async (_, { mcpReq: { id, signal } }) => {
    await pause(600_000, undefined, { signal }).catch((reason: unknown) => {
      tell(`call ${id} was cancelled while it waited`);
      throw reason;
    });
    return text('It was worth it.');
  });

  return server;
}
