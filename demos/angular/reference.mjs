// The official reference server over HTTP, as a program. It would listen at all interfaces: here the loopback one has to
// do, at a free port, which is reported to the parent.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (/** @type {unknown[]} */ ...args) {
  Server.prototype.listen = listen;
  const callback = /** @type {(() => void) | undefined} */ (args.findLast((argument) => typeof argument === 'function'));
  return this.listen(0, '127.0.0.1', () => {
    callback?.();
    process.send?.(/** @type {import('node:net').AddressInfo} */ (this.address()).port);
  });
};
process.on('disconnect', () => process.exit());
await import(new URL('transports/streamableHttp.js', import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')).href);
