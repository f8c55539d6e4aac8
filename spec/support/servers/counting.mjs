// A server that counts what it runs, and that can be restarted or cut off in the middle. Its only tool besides `work` is
// named after its generation, so that a list tells which of its lives it comes from.
// Run as a program it speaks stdio, keeps its counts in the file it is given, and counts a start as well.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isProgram } from './program.mjs';

/** @typedef {'legacy' | 'modern'} Era */
/**
 * @typedef {object} Life
 * @property {() => number} generation
 * @property {(key: string) => void} count notes that work with this key has begun
 */

/** @param {Life} life */
const list = ({ generation }) => ({
  tools: ['work', `generation-${generation()}`].map((name) => ({ name, inputSchema: { type: /** @type {const} */ ('object') } })),
});

/** @param {Life} life @param {any} args */
async function work({ count }, { key, ms }) {
  count(key);
  await new Promise((resolve) => void setTimeout(resolve, ms));
  return { content: [{ type: /** @type {const} */ ('text'), text: key }] };
}

const info = { name: 'counting', version: '1.0.0' };
const capabilities = { tools: { listChanged: true } };

/** @param {Life} life */
function legacyServer(life) {
  const server = new LegacyServer(info, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => list(life));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => work(life, params.arguments));
  return server;
}

/** @param {Life} life */
function modernServer(life) {
  const server = new ModernServer(info, { capabilities });
  server.setRequestHandler('tools/list', () => list(life));
  server.setRequestHandler('tools/call', ({ params }) => work(life, params.arguments));
  return server;
}

/** One life of the server, without what it knew before. @param {Era} era @param {Life} life @returns {(request: any, response: any) => void} */
function listener(era, life) {
  if (era === 'modern') return toNodeHandler(createMcpHandler(() => modernServer(life), { legacy: 'reject' }));
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) return void response.writeHead(404).end();
    const known = id === undefined ? undefined : sessions.get(id);
    if (known) return void known.handleRequest(request, response);
    const opened = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (session) => void sessions.set(session, opened) });
    await legacyServer(life).connect(opened);
    await opened.handleRequest(request, response);
  };
}

/** Serves over HTTP in this process. @param {Era} era */
export async function countingHttp(era) {
  let generation = 1;
  /** @type {Map<string, number>} */
  const runs = new Map();
  const life = {
    generation: () => generation,
    /** @param {string} key */
    count: (key) => void runs.set(key, (runs.get(key) ?? 0) + 1),
  };
  let serve = listener(era, life);
  let server = createHttpServer((request, response) => serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    /** How often work with each key was begun. */
    runs,
    stop,
    /** The list changes while every connection is cut; nobody is told. */
    cut() {
      generation++;
      server.closeAllConnections();
    },
    /** Ends, and comes back at the same address without its sessions, with another list. */
    async restart() {
      await stop();
      generation++;
      serve = listener(era, life);
      server = createHttpServer((request, response) => serve(request, response));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

/** How often a line is in the file of a server over stdio. @param {string} file @returns {Map<string, number>} */
export function countsIn(file) {
  const counts = new Map();
  for (const key of readFileSync(file, 'utf8').split('\n').filter(Boolean)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

if (isProgram(import.meta.url)) {
  const [era, file] = /** @type {[Era, string]} */ (process.argv.slice(2));
  appendFileSync(file, 'start\n');
  const generation = countsIn(file).get('start') ?? 0;
  const life = { generation: () => generation, count: (/** @type {string} */ key) => appendFileSync(file, `${key}\n`) };
  if (era === 'modern') serveStdio(() => modernServer(life), { legacy: 'reject' });
  else await legacyServer(life).connect(new StdioServerTransport());
  process.stdin.on('end', () => process.exit());
}
