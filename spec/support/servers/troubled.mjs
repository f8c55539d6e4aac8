// A server over stdio that makes trouble: `node troubled.mjs slow MS`, `crash`, or `flood`. Otherwise it has one tool.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [kind = '', ms = '0'] = process.argv.slice(2);
const server = new Server({ name: kind, version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: kind, inputSchema: { type: 'object' } }] }));
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: kind }] }));
if (kind === 'crash') server.oninitialized = () => void setTimeout(() => process.exit(3), 20);
if (kind === 'flood') setInterval(() => process.stderr.write('x'.repeat(65_536)), 5).unref();
if (kind === 'slow') await new Promise((resolve) => void setTimeout(resolve, Number(ms)));
process.stdin.on('end', () => process.exit());
await server.connect(new StdioServerTransport());
