// The server of the transport contract, see contract-server.mjs.
import { contractMethods, createContractServer } from '../../contract-server.mjs';
import { NO_ANSWER } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  const react = createContractServer();
  for (const method of contractMethods) server.on(method, () => NO_ANSWER);
  server.onMessage = (message) => react(message, (...messages) => server.send(.../** @type {any[]} */ (messages)));
  server.listen();
};
