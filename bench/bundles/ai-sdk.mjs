import { createMCPClient } from '@ai-sdk/mcp';

const client = await createMCPClient({ transport: { type: 'http', url: 'https://example.com/mcp' } });
const { echo } = await client.tools();
console.log(await echo?.execute({ message: 'hello' }, { toolCallId: '', messages: [] }));
