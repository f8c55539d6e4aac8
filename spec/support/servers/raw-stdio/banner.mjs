// Prints to stdout what is no message: at the start, and around every answer.
/** @type {import('../raw-stdio.mjs').Scenario} */
export default async (server) => {
  await server.write('Server v1.0 starting\n{\n\n');
  server.onMessage = (message) => void server.write(`[MCP] ${message.method} requested\n`);
  server.listen();
};
