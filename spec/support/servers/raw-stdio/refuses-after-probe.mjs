// Answers `server/discover` like an unknown method, or with `{ "versions": ["2025-11-25"] }` well, and refuses `initialize` in any
// process that was probed: it must be started afresh. With `{ "always": true }` that does not help either.
import { discovered, RpcFailure } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { versions, always = false }) => {
  let probed = false;
  server.on('server/discover', () => {
    probed = true;
    if (versions !== undefined) return { ...discovered('fresh'), supportedVersions: versions };
    throw new RpcFailure(-32601, 'Method not found');
  });
  server.on('initialize', (params) => {
    if (probed || always) throw new RpcFailure(-32600, 'Invalid Request');
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fresh', version: '1' } };
  });
  server.listen();
};
