// A correct legacy server.

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server) => server.listen();
