// Never answers the methods in `{ "methods": ["initialize"] }`; a call of the tool `received` lists all messages read so far.
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { methods = [] }) => {
  server.on('tools/call', (params) => text(params.name === 'received' ? JSON.stringify(server.received) : 'ok'));
  for (const method of methods) server.on(method, () => NO_ANSWER);
  server.onMessage = (message) => void process.stderr.write(`${JSON.stringify(message)}\n`);
  server.listen();
};
