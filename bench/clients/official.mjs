// The official client, version 2. Its default speaks the revisions up to 2025-11-25 only; `auto` finds out, as rxjs-mcp does.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const MAX_BUFFER_BYTES = 67_108_864; // its own 10 MB are too few for the largest result

/** @param {any} result @returns {string} */
const textOf = (result) => result.content[0].text;

/** @type {import('../types.ts').Connect} */
export async function connect(target, { client: name }) {
  const versionNegotiation = /** @type {const} */ ({ mode: name === 'official' ? 'auto' : 'legacy' });
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation });
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url))
      : new StdioClientTransport({ command: target.command, args: [...target.args], maxBufferSize: MAX_BUFFER_BYTES });
  await client.connect(transport);
  /** @type {(() => void)[]} */
  const listeners = [];
  return {
    call: (tool, args, done, fail) => void client.callTool({ name: tool, arguments: { ...args } }).then((result) => done(textOf(result)), fail),
    callWithProgress: (tool, args, onProgress, done, fail) =>
      void client.callTool({ name: tool, arguments: { ...args } }, { onprogress: onProgress }).then((result) => done(textOf(result)), fail),
    listen: (onLog) => {
      listeners.push(onLog);
      // One handler for each method: more subscribers are up to whoever uses it.
      client.setNotificationHandler('notifications/message', () => {
        for (const listener of listeners) listener();
      });
    },
    listTools: async () => (await client.listTools()).tools.length,
    close: () => client.close(),
  };
}
