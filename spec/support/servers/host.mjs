// A program that serves all HTTP fixtures on free ports of the loopback interface. It is forked by start.mjs, reports the
// addresses to its parent as one IPC message, and ends with it. `node host.mjs NAME…` serves only those fixtures.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { withCors } from './cors.mjs';

/** @param {import('node:http').RequestListener} listener */
const listen = (listener) => bind(createServer(withCors(listener)));

/** @param {import('node:http').Server} server */
async function bind(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** @type {Record<keyof import('./start.mjs').FixtureUrls, { path: string, start: () => Promise<import('node:net').Server> }>} */
const fixtures = {
  everything: { path: '/mcp', start: async () => (await import('./everything.mjs')).everythingHttp('streamableHttp') },
  everythingSse: { path: '/sse', start: async () => (await import('./everything.mjs')).everythingHttp('sse') },
  legacy: { path: '/mcp', start: async () => listen((await import('./legacy.mjs')).legacyHttp().handle) },
  modern: { path: '/mcp', start: async () => listen((await import('./modern.mjs')).modernHttp().handle) },
  dual: { path: '/mcp', start: async () => listen((await import('./dual.mjs')).dualHttp().handle) },
  inquiring: { path: '/mcp', start: async () => listen((await import('./inquiring.mjs')).inquiringHttp().handle) },
  skills: { path: '/mcp', start: async () => listen((await import('./skills.mjs')).skillsHttp().handle) },
  webSocket: { path: '', start: async () => bind((await import('./web-socket.mjs')).webSocketServer()) },
  bridge: { path: '', start: async () => listen((await import('./bridge.mjs')).bridgeTickets()) },
  raw: {
    path: '/raw',
    start: async () => {
      const { createRawHttp, scenarioFile } = await import('./raw-http.mjs');
      return bind(createRawHttp(scenarioFile));
    },
  },
};

process.on('disconnect', () => process.exit());
// A fault in one server must not take the others down.
process.on('uncaughtException', (error) => console.error(error));

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(fixtures);
/** @type {Record<string, string>} */
const urls = {};
for (const name of names) {
  const { path, start } = fixtures[/** @type {keyof typeof fixtures} */ (name)];
  const address = /** @type {import('node:net').AddressInfo} */ ((await start()).address());
  urls[name] = `http://127.0.0.1:${address.port}${path}`;
}
process.send?.(urls);
