// Stops reading stdin: at once, or after the handshake with `{ "after": "notifications/initialized" }`.

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { after }) => {
  setInterval(() => {}, 60_000);
  if (after === undefined) return;
  server.onMessage = ({ method }) => {
    if (method === after) process.stdin.pause();
  };
  server.listen();
};
