import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'page', version: '1.0.0' });
await client.connect(/** @type {any} */ (new StreamableHTTPClientTransport(new URL('https://example.com/mcp'))));
console.log(await client.callTool({ name: 'echo', arguments: { message: 'hello' } }));
