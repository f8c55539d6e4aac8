// `{ "count": n }`: waits for n calls, then answers them in reverse order, in one write. Each result holds the call's arguments.
// Without a count it waits for the request `go`, and answers that one last.
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { count }) => {
  /** @type {import('../raw-stdio.mjs').Message[]} */
  let calls = [];
  server.on('tools/call', (params, { id }) => {
    calls.push({ jsonrpc: '2.0', id, result: text(JSON.stringify(params.arguments ?? {})) });
    if (calls.length === count) {
      void server.send(...calls.reverse());
      calls = [];
    }
    return NO_ANSWER;
  });
  server.on('go', () => {
    const answers = calls.reverse();
    calls = [];
    void server.send(...answers);
    return {};
  });
  server.listen();
};
