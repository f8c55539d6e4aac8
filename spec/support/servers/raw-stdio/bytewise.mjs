// Writes one byte at a time. A call gives characters of two, three and four bytes.
import { sleep } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  const write = server.write.bind(server);
  let queue = Promise.resolve();
  server.write = (bytes) =>
    (queue = queue.then(async () => {
      for (const byte of Buffer.from(/** @type {string} */ (bytes))) {
        await write(Uint8Array.of(byte));
        await sleep(0);
      }
    }));
  server.on('tools/call', () => ({ content: [{ type: 'text', text: 'é漢🦀' }] }));
  server.listen();
};
