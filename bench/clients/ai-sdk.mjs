// The client of the AI SDK. It has no way to listen to notifications, nor to progress.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';

/** @type {import('../types.ts').Connect} */
export async function connect(target) {
  const transport = 'url' in target ? /** @type {const} */ ({ type: 'http', url: target.url }) : new StdioTransport({ command: target.command, args: [...target.args] });
  const client = await createMCPClient({ transport });
  /** @type {Record<string, any>} */
  let tools = {};
  const listTools = async () => {
    tools = await client.tools();
    return Object.keys(tools).length;
  };
  return {
    call: (tool, args, done, fail) =>
      void tools[tool].execute(args, { toolCallId: '', messages: [] }).then((/** @type {any} */ result) => done(result.content[0].text), fail),
    listTools,
    close: () => client.close(),
  };
}
