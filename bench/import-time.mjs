// `node import-time.mjs CLIENT`: prints how long the import of a client takes, in milliseconds. What comes before the
// semicolon is there already: a program with rxjs-mcp has RxJS in any case.

/** @type {Record<string, [before: string[], measured: string[]]>} */
const IMPORTS = {
  ours: [['rxjs'], ['rxjs-mcp/node']],
  official: [[], ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio']],
  sdk: [[], ['index', 'stdio', 'streamableHttp'].map((name) => `@modelcontextprotocol/sdk/client/${name}.js`)],
  'ai-sdk': [[], ['@ai-sdk/mcp', '@ai-sdk/mcp/mcp-stdio']],
};

const [before = [], measured = []] = IMPORTS[process.argv[2] ?? ''] ?? [];
if (measured.length === 0) throw new Error(`No client ${process.argv[2]}`);
for (const name of before) await import(name);
const start = performance.now();
for (const name of measured) await import(name);
console.log(performance.now() - start);
