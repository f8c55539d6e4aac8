import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** How often what is due is sent, in milliseconds. */
const BEAT_MS = 10;
/** One notification in so many is progress, the others are logs. */
const PROGRESS_EVERY = 10;

/** A server that sends as many notifications a second as it is asked for, and counts them. */
export class Firehose {
  #sent = 0;

  /** Notifications sent so far, over all calls. */
  get sent(): number {
    return this.#sent;
  }

  createServer(): McpServer {
    const server = new McpServer({ name: 'firehose', version: '1.0.0' }, { capabilities: { logging: {} } });
    const inputSchema = z.object({ perSecond: z.number().min(1).max(10_000).default(1_000), seconds: z.number().min(0).max(3_600).default(10) });
    server.registerTool('pour', { description: 'Sends notifications: logs, and progress now and then', inputSchema }, async ({ perSecond, seconds }, { mcpReq: { signal, _meta, notify } }) => {
      const progressToken = _meta?.progressToken;
      const total = Math.round(perSecond * seconds);
      const start = performance.now();
      for (let n = 0; n < total; ) {
        await pause(BEAT_MS, undefined, { signal });
        const due = Math.min(total, Math.floor(((performance.now() - start) / 1_000) * perSecond));
        for (; n < due; ) {
          n++;
          if (progressToken !== undefined && n % PROGRESS_EVERY === 0) await notify({ method: 'notifications/progress', params: { progressToken, progress: n, total } });
          else await notify({ method: 'notifications/message', params: { level: 'info', logger: 'firehose', data: { n, of: total } } });
          this.#sent++;
        }
      }
      return { content: [{ type: 'text', text: `Sent ${total} notifications.` }] };
    });
    return server;
  }
}
