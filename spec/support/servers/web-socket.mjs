// MCP over WebSocket: `/legacy` is an SDK server, `/contract` the server of the transport contract, `/scripted` does what it is
// asked to, see below. `?refuse=403` answers the handshake with that status, `?bare=1` chooses no subprotocol.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { createContractServer } from '../contract-server.mjs';
import { createLegacyServer } from './legacy.mjs';

/** @typedef {(socket: import('ws').WebSocket, request: import('node:http').IncomingMessage) => void} Serve */

/** Open sockets of `/scripted?run=ID`, by ID. @type {Map<string, number>} */
const open = new Map();

/** @param {import('node:http').IncomingMessage} request */
const locationOf = ({ url = '' }) => new URL(url, 'ws://host');

/** @type {Record<string, Serve>} */
const servers = {
  '/contract'(socket) {
    const react = createContractServer();
    socket.on('message', (data) => {
      react(JSON.parse(String(data)), (...messages) => {
        for (const message of messages) socket.send(JSON.stringify(message));
      });
    });
  },

  '/legacy'(socket) {
    /** @type {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} */
    const transport = {
      start: async () => void socket.on('message', (data) => transport.onmessage?.(JSON.parse(String(data)))),
      send: async (message) => void socket.send(JSON.stringify(message)),
      close: async () => socket.close(),
    };
    socket.on('close', () => transport.onclose?.());
    void createLegacyServer().connect(transport);
  },

  // Each method does something to the connection; a request is then answered with `{}`.
  '/scripted'(socket, request) {
    const run = locationOf(request).searchParams.get('run') ?? '';
    const count = (/** @type {number} */ step) => open.set(run, (open.get(run) ?? 0) + step);
    count(1);
    socket.on('close', () => count(-1));
    socket.on('error', () => {});
    /** @type {Record<string, (params: any, id: unknown) => unknown>} */
    const acts = {
      binary: () => socket.send(Buffer.from([1, 2, 3])),
      text: ({ text }) => socket.send(text),
      large: ({ bytes }, id) => {
        const empty = JSON.stringify({ jsonrpc: '2.0', id, result: { text: '' } });
        const rest = bytes - empty.length;
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'é'.repeat(rest / 2) + 'x'.repeat(rest % 2) } }));
      },
      close: ({ code, reason }) => socket.close(code, reason),
      cut: () => socket.terminate(),
      deaf: () => socket.pause(),
      offered: () => ({ offered: request.headers['sec-websocket-protocol'], url: request.url }),
      open: (params) => ({ open: open.get(params.run) ?? 0 }),
    };
    socket.on('message', (data) => {
      const { id, method, params = {} } = JSON.parse(String(data));
      const result = acts[method]?.(params, id) ?? {};
      if (id !== undefined && socket.readyState === 1) socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  },
};

export function webSocketServer() {
  const server = createServer((_, response) => void response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (_, { url = '' }) => !url.includes('bare') && 'mcp' });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = locationOf(request);
    const refuse = searchParams.get('refuse');
    const serve = servers[pathname];
    if (refuse !== null || serve === undefined) socket.end(`HTTP/1.1 ${refuse ?? 404} No\r\nConnection: close\r\n\r\n`);
    else sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, request));
  });
  return server;
}
