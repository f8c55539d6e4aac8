// Prints to stderr and exits: `{ "code": 78, "stderr": "Error: missing API key\n", "on": "initialize", "signal": "SIGKILL",
// "answer": false }`. Without `on` it exits at once; with `answer` it answers first.
import { NO_ANSWER, text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { code = 78, stderr = 'Error: missing API key\n', on, signal, answer = false }) => {
  const exit = () =>
    void process.stderr.write(stderr, () => (signal ? process.kill(process.pid, signal) : process.exit(code)));
  if (on === undefined) return exit();
  server.on(on, async (_, { id }) => {
    if (answer) await server.reply(id, text('last words'));
    exit();
    return NO_ANSWER;
  });
  server.listen();
};
