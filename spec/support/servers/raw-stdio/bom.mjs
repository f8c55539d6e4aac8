// Puts a byte order mark before every line and CRLF behind it; `{ "cut": true }` cuts the mark over two writes.
import { sleep } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { cut = false }) => {
  const write = server.write.bind(server);
  server.send = async (...messages) => {
    for (const message of messages) {
      const bytes = Buffer.from(`\uFEFF${JSON.stringify(message)}\r\n`);
      if (cut) {
        await write(bytes.subarray(0, 1));
        await sleep(5);
      }
      await write(bytes.subarray(cut ? 1 : 0));
    }
  };
  server.on('tools/call', () => ({ content: [{ type: 'text', text: 'a\uFEFFb' }] }));
  server.listen();
};
