// Fills stderr synchronously before it answers: `{ "bytes": 262144, "on": "tools/call", "invalid": false }`.
import { writeSync } from 'node:fs';
import { RpcFailure, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { bytes = 256 * 1024, on = 'tools/call', invalid = false }) => {
  const chunk = Buffer.alloc(1024, invalid ? 0xff : 'e');
  chunk[chunk.length - 1] = 0x0a;
  server.on(on, () => {
    for (let written = 0; written < bytes; written += chunk.length) writeFully(chunk);
    if (on === 'server/discover') throw new RpcFailure(-32601, 'Method not found');
    return text('after the flood');
  });
  server.listen();
};

/** Blocks while the pipe is full, as a server in C would. @param {Uint8Array} chunk */
function writeFully(chunk) {
  for (let offset = 0; offset < chunk.length; ) {
    try {
      offset += writeSync(2, chunk, offset);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error;
    }
  }
}
