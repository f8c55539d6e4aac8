// A server on the official SDK that asks back in the middle of calls, and says how long its lists hold. It serves the
// 2026-07-28 revision, where a call that lacks input is made again with it. Run as a program it speaks stdio.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, createRequestStateCodec, inputRequired, inputResponse, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isProgram } from './program.mjs';

const codec = createRequestStateCodec({ key: 'a key for specs that is long enough to sign a state with' });

/** How often each list was asked for, and each tool called, by the name that the caller gives. @type {Map<string, number>} */
const counts = new Map();
/** @param {string} what */
const count = (what) => {
  const times = (counts.get(what) ?? 0) + 1;
  counts.set(what, times);
  return times;
};

/** @param {string} value */
const text = (value) => ({ content: [{ type: /** @type {const} */ ('text'), text: value }] });
const form = { type: 'object', properties: { name: { type: 'string', default: 'Ada' }, size: { type: 'integer', default: 2 } }, required: ['name'] };

/** Asks for a form and the roots, then for a sentence of a model. @param {any} mcpReq */
async function order({ inputResponses, requestState }) {
  const state = /** @type {any} */ (requestState());
  if (state === undefined) {
    return inputRequired({
      inputRequests: {
        who: inputRequired.elicit({ message: 'Who orders?', requestedSchema: /** @type {any} */ (form) }),
        where: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ round: 1 }),
    });
  }
  if (state.round === 1) {
    const who = inputResponse(inputResponses, 'who');
    const where = inputResponse(inputResponses, 'where');
    if (who.kind !== 'elicit' || who.action !== 'accept' || where.kind !== 'roots') return text('no order');
    const { name, size } = /** @type {any} */ (who.content);
    return inputRequired({
      inputRequests: { line: inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }], maxTokens: 20 }) },
      requestState: await codec.mint({ round: 2, name, size, root: where.roots[0]?.uri }),
    });
  }
  const line = inputResponse(inputResponses, 'line');
  const said = line.kind === 'sampling' && !Array.isArray(line.result.content) && line.result.content.type === 'text' ? line.result.content.text : '?';
  return text(`${said} ${state.size} for ${state.name} in ${state.root}`);
}

function createServer() {
  const server = new Server(
    { name: 'inquiring', version: '1.0.0' },
    {
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
      cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' }, 'prompts/list': { ttlMs: 0 }, 'resources/read': { ttlMs: 60_000 } },
      requestState: { verify: codec.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: ['order', 'endless', 'counts'].map((name) => ({ name, description: `listed ${count('tools/list')}`, inputSchema: { type: /** @type {const} */ ('object') } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (params.name === 'order') return order(mcpReq);
    if (params.name === 'endless') return inputRequired({ requestState: await codec.mint({ round: count('endless') }) });
    return text(JSON.stringify(Object.fromEntries(counts)));
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'greeting', description: `listed ${count('prompts/list')}` }] }));
  server.setRequestHandler('prompts/get', async (_request, { mcpReq }) => {
    const who = inputResponse(mcpReq.inputResponses, 'who');
    if (who.kind !== 'elicit') return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: /** @type {any} */ (form) }) } });
    return { messages: [{ role: /** @type {const} */ ('user'), content: { type: /** @type {const} */ ('text'), text: `Hello ${String(who.content?.name)} (${who.action})` } }] };
  });
  server.setRequestHandler('resources/list', () => ({ resources: [{ name: 'note', uri: 'note://1' }] }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: `read ${count('resources/read')}` }] }));
  return server;
}

/** @returns {{ handle: import('node:http').RequestListener }} */
export function inquiringHttp() {
  /** @type {(...args: any[]) => Promise<void>} */
  const handler = toNodeHandler(createMcpHandler(createServer, { legacy: 'reject' }));
  return { handle: (request, response) => void handler(request, response) };
}

if (isProgram(import.meta.url)) {
  const handle = serveStdio(createServer, { legacy: 'reject' });
  process.stdin.on('end', () => void handle.close().finally(() => process.exit()));
}
