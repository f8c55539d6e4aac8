// The official SDK, version 1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const MAX_BUFFER_BYTES = 67_108_864; // its own 10 MB are too few for the largest result

/** @param {any} result @returns {string} */
const textOf = (result) => result.content[0].text;

/** @type {import('../types.ts').Connect} */
export async function connect(target) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url))
      : new StdioClientTransport({ command: target.command, args: [...target.args], maxBufferSize: MAX_BUFFER_BYTES });
  await client.connect(/** @type {any} */ (transport)); // its types are not made for exactOptionalPropertyTypes
  /** @type {(() => void)[]} */
  const listeners = [];
  return {
    call: (tool, args, done, fail) => void client.callTool({ name: tool, arguments: { ...args } }).then((result) => done(textOf(result)), fail),
    callWithProgress: (tool, args, onProgress, done, fail) =>
      void client.callTool({ name: tool, arguments: { ...args } }, undefined, { onprogress: onProgress }).then((result) => done(textOf(result)), fail),
    listen: (onLog) => {
      listeners.push(onLog);
      client.setNotificationHandler(LoggingMessageNotificationSchema, () => {
        for (const listener of listeners) listener();
      });
    },
    listTools: async () => (await client.listTools()).tools.length,
    close: () => client.close(),
  };
}
