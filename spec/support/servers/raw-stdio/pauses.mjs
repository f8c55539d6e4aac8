// Stops reading stdin after the notification `pause`, until it gets SIGUSR2. A call lists the messages read so far: methods, and
// of cancels the ids.
import { text } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => {
  setTimeout(() => process.exit(), 60_000); // a paused stdin would let it end
  server.on('tools/call', () =>
    text(JSON.stringify(server.received.map(({ method, id, params }) => [method, id ?? params?.requestId, params?.arguments?.tag ?? null]))),
  );
  server.onMessage = ({ method }) => {
    if (method !== 'pause') return;
    process.stdin.pause();
    process.stderr.write('paused\n');
  };
  process.on('SIGUSR2', () => void process.stdin.resume());
  server.listen();
};
