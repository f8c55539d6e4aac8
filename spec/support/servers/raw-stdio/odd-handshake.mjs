// Answers `initialize` with what the options give: `{ "capabilities": { "tools": true }, "protocolVersion": "1999-01-01" }`.

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { capabilities = { tools: true, logging: true, resources: false }, protocolVersion }) => {
  server.on('initialize', (params) => ({
    protocolVersion: protocolVersion ?? params.protocolVersion,
    capabilities,
    serverInfo: { name: 'odd-handshake', version: '1' },
  }));
  server.listen();
};
