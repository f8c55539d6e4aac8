// What a page's own server does when it has a bridge: `/NAME` answers with the address of a bridge to that stdio server, and a
// ticket. `/NAME/ended` lists how connections to it have ended.
import { fileURLToPath } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import { everythingStdio } from './everything.mjs';

/** @type {typeof import('../../../lib/node.ts')} */
const { serveStdio } = await tsImport('../../../lib/node.ts', import.meta.url);

const script = (/** @type {string} */ name) => fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
/** @type {Record<string, { command: string, args: string[] }>} */
const commands = { everything: everythingStdio() };
for (const name of ['legacy', 'modern', 'dual']) commands[name] = { command: process.execPath, args: [script(name)] };
commands.exits = { command: process.execPath, args: [script('raw-stdio'), 'exits'] };

/** @type {Record<string, Promise<{ bridge: import('../../../lib/node.ts').Bridge, ended: object[] }>>} */
const bridges = {};

/** @param {string} name */
const started = (name) =>
  (bridges[name] ??= new Promise((resolve, reject) => {
    const config = commands[name];
    if (config === undefined) throw new Error(`No bridge to ${name}`);
    serveStdio(config).subscribe({
      next: (bridge) => {
        /** @type {object[]} */
        const ended = [];
        bridge.connections$.subscribe((connection) => {
          connection.closed$.subscribe(({ code, reason }) => ended.push({ code, reason }));
        });
        resolve({ bridge, ended });
      },
      error: reject,
    });
  }));

/** @returns {import('node:http').RequestListener} */
export const bridgeTickets = () => (request, response) => {
  const [, name = '', what] = (request.url ?? '').split('/');
  started(name).then(
    ({ bridge, ended }) => response.end(JSON.stringify(what === 'ended' ? ended : { url: bridge.url, ticket: bridge.ticket() })),
    (error) => response.writeHead(500).end(String(error)),
  );
};
