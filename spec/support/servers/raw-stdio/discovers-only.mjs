// Answers `server/discover` as a modern server, refuses `initialize`, and takes calls.
import { discovered, RpcFailure } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  server.on('server/discover', () => discovered('discovers-only'));
  server.on('initialize', () => {
    throw new RpcFailure(-32022, 'Unsupported protocol version', { supported: ['2026-07-28'], requested: '2025-11-25' });
  });
  server.listen();
};
