// A server of the 2026-07-28 revision for the workbench: slow work, pictures, structured results, and questions.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync, crc32 } from 'node:zlib';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { withCors } from './cors.ts';

/** What the server has noticed, over all restarts. */
export interface Noticed {
  calls: number;
  cancelled: number;
}

export class Workshop {
  readonly noticed: Noticed = { calls: 0, cancelled: 0 };
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** Listens; again at the same port after it was stopped. */
  async start(): Promise<void> {
    const handler = createMcpHandler(() => createWorkshop(this.noticed), { legacy: 'reject' });
    const listener = toNodeHandler(handler) as RequestListener;
    const server = createServer(withCors(listener));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

function createWorkshop(noticed: Noticed): McpServer {
  const server = new McpServer({ name: 'workshop', version: '1.0.0' }, { capabilities: { logging: {} } });

  server.registerTool(
    'count',
    {
      title: 'Count slowly',
      description: 'Counts, and tells how far it is. Cancel it on the way: the server stops.',
      inputSchema: z.object({
        to: z.number().int().default(20).describe('How far'),
        msEach: z.number().int().default(250).describe('Pause between two numbers, in milliseconds'),
      }),
    },
    async ({ to, msEach }, { mcpReq }) => {
      noticed.calls++;
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to; progress++) {
        await pause(msEach, undefined, { signal: mcpReq.signal }).catch((reason: unknown) => {
          noticed.cancelled++;
          throw reason;
        });
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: to, message: `${progress} of ${to}` } });
        if (progress % 5 === 0) await mcpReq.log('info', `counted to ${progress}`, 'count');
      }
      return text(`Counted to ${to}.`);
    },
  );

  server.registerTool(
    'plan',
    {
      title: 'Plan a trip',
      description: 'Takes every kind of argument, and has a structured result.',
      inputSchema: z.object({
        place: z.string().describe('Where to'),
        days: z.number().default(3).describe('How long'),
        season: z.enum(['spring', 'summer', 'autumn', 'winter']).default('autumn'),
        byTrain: z.boolean().default(true),
        stops: z.array(z.string()).default([]).describe('As JSON: a list of names'),
      }),
      outputSchema: z.object({ title: z.string(), nights: z.number(), stops: z.array(z.string()) }),
    },
    ({ place, days, season, byTrain, stops }) => {
      const title = `${days} days in ${place} in ${season}, by ${byTrain ? 'train' : 'car'}`;
      return { ...text(title), structuredContent: { title, nights: Math.max(0, days - 1), stops } };
    },
  );

  server.registerTool(
    'swatch',
    { title: 'Paint a swatch', description: 'Gives a picture back.', inputSchema: z.object({ hue: z.number().default(220).describe('In degrees') }) },
    ({ hue }) => ({ content: [{ type: 'image', mimeType: 'image/png', data: swatch(hue).toString('base64') }] }),
  );

  server.registerTool('order', { title: 'Order a coffee', description: 'Asks you what it needs to know.', inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'coffee');
    if (answer.kind === 'missing') {
      const requestedSchema = {
        type: 'object' as const,
        properties: {
          name: { type: 'string' as const, title: 'Your name', description: 'To be called out' },
          size: { type: 'string' as const, title: 'Size', enum: ['small', 'large'] },
          milk: { type: 'boolean' as const, title: 'With milk', default: true },
        },
        required: ['name', 'size'],
      };
      return inputRequired({ inputRequests: { coffee: inputRequired.elicit({ message: 'Which coffee would you like?', requestedSchema }) } });
    }
    if (answer.kind !== 'elicit' || answer.action !== 'accept') return text('No coffee, then.');
    const { name, size, milk } = answer.content as { name: string; size: string; milk?: boolean };
    return text(`A ${size} coffee ${milk ? 'with' : 'without'} milk for ${name}.`);
  });

  server.registerTool('sign-in', { title: 'Sign in', description: 'Sends you to a page, as servers do for secrets that a client must not see.', inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'page');
    if (answer.kind === 'missing') {
      return inputRequired({ inputRequests: { page: inputRequired.elicitUrl({ message: 'Please sign in', url: 'https://example.com/sign-in' }) } });
    }
    return text(answer.kind === 'elicit' && answer.action === 'accept' ? 'On your way.' : 'Not signed in.');
  });

  server.registerTool('fail', { title: 'Fail', description: 'Answers with an error.', inputSchema: z.object({}) }, () => ({ ...text('It went wrong, as it should.'), isError: true }));

  return server;
}

/** A PNG of one colour in many shades. */
function swatch(hue: number): Buffer {
  const [width, height] = [240, 60];
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(colour(hue, 1 - Math.floor(x / 40) / 8), y * (1 + width * 3) + 1 + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits, RGB
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function colour(hue: number, lightness: number): number[] {
  const channel = (offset: number) => Math.round(255 * lightness * (0.65 + 0.35 * Math.cos(((hue - offset) * Math.PI) / 180)));
  return [channel(0), channel(120), channel(240)];
}
