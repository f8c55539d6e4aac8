// Answers `server/discover` like an unknown method and refuses `initialize` in any process that was probed: it must be started afresh.
import { RpcFailure } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  let probed = false;
  server.on('server/discover', () => {
    probed = true;
    throw new RpcFailure(-32601, 'Method not found');
  });
  server.on('initialize', (params) => {
    if (probed) throw new RpcFailure(-32600, 'Invalid Request');
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fresh', version: '1' } };
  });
  server.listen();
};
