// rxjs-mcp, as its users get it. `ours` is the Node door with its own HTTP, `ours-fetch` is what a browser has too.
import { firstValueFrom, lastValueFrom } from 'rxjs';

/** @param {import('rxjs-mcp/node').CallToolResult} result */
const textOf = ({ content: [block] }) => (block?.type === 'text' ? block.text : '');

/** @type {import('../types.ts').Connect} */
export async function connect(target, { client: name, library }) {
  /** @type {typeof import('rxjs-mcp/node')} */
  const { createClient, fetchHandler, nodeHttpHandler } = await import(library);
  const handler = name === 'ours-fetch' ? fetchHandler() : nodeHttpHandler();
  const client = createClient('url' in target ? { type: 'http', url: target.url, handler } : { command: target.command, args: [...target.args] });
  await firstValueFrom(client.connect());
  return {
    call: (tool, args, done, fail) => void client.callTool(tool, { ...args }).subscribe({ next: (result) => done(textOf(result)), error: fail }),
    callWithProgress: (tool, args, onProgress, done, fail) =>
      void client.callTool(tool, { ...args }, { onProgress }).subscribe({ next: (result) => done(textOf(result)), error: fail }),
    listen: (onLog) => void client.logs$.subscribe(onLog),
    listTools: async () => (await lastValueFrom(client.listTools())).length,
    close: () => lastValueFrom(client.close(), { defaultValue: undefined }),
  };
}
