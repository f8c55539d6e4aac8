// Ends at the end of stdin, after a pause of `{ "delay": ms }`, and leaves a mark on stderr.
import { sleep } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { delay = 0 }) => {
  server.onEof = () =>
    void sleep(delay).then(() => process.stderr.write('goodbye\n', () => process.exit()));
  server.listen();
};
