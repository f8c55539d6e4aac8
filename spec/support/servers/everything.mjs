// The official reference server, `@modelcontextprotocol/server-everything`.
import { once } from 'node:events';
import { Server } from 'node:net';
import { fileURLToPath } from 'node:url';

const entry = import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** How to start it over stdio. */
export const everythingStdio = () => ({ command: process.execPath, args: [fileURLToPath(entry), 'stdio'] });

/**
 * Starts one of its HTTP programs inside this process, on a free port of the loopback interface. It listens by itself when
 * imported, at all interfaces; so that its port is known and closed to the outside, that one call is redirected.
 * @param {'streamableHttp' | 'sse'} program
 * @returns {Promise<Server>}
 */
export async function everythingHttp(program) {
  const { listen } = Server.prototype;
  /** @type {Promise<Server>} */
  const listening = new Promise((resolve) => {
    Server.prototype.listen = function (/** @type {unknown[]} */ ...args) {
      const callback = args.findLast((argument) => typeof argument === 'function');
      Server.prototype.listen = listen;
      resolve(this);
      return this.listen(0, '127.0.0.1', /** @type {() => void} */ (callback));
    };
  });
  await import(new URL(`transports/${program}.js`, entry).href);
  const server = await listening;
  if (!server.listening) await once(server, 'listening');
  return server;
}
