// The server of the transport contract: what it does about each message, whichever transport carries it. For Node and browsers.

/** @typedef {{ jsonrpc?: string, id?: any, method?: string, params?: any, result?: any, error?: any }} Message */

/** The requests it knows. */
export const contractMethods = ['echo', 'fail', 'silent', 'late', 'hold', 'progress', 'notes', 'junk', 'received'].map((name) => `contract/${name}`);

/** @returns {(message: Message, send: (...messages: unknown[]) => unknown) => void} `send` sends back, in one chunk, on the message's own stream if it has one */
export function createContractServer() {
  /** @type {Message[]} */
  const received = [];
  /** @type {(() => void)[]} */
  const held = [];
  /** @type {unknown} */
  let silent;

  return (message, send) => {
    received.push(message);
    const { id, method, params = {} } = message;
    const { count } = params;
    const result = (/** @type {unknown} */ value) => ({ jsonrpc: '2.0', id, result: value });
    const series = (/** @type {(n: number) => Message} */ make) => Array.from({ length: count }, (_, index) => ({ jsonrpc: '2.0', ...make(index + 1) }));
    switch (method) {
      case 'contract/echo':
        return void send(result(params));
      case 'contract/fail':
        return void send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no luck', data: { why: 'because' } } });
      case 'contract/silent':
        silent = id;
        return;
      case 'contract/late': // an answer to the silent one, then its own
        return void send({ jsonrpc: '2.0', id: silent, result: { late: true } }, result({ late: false }));
      case 'contract/hold': // answered in reverse order once there are `count`
        held.push(() => void send(result({ n: params.n })));
        if (held.length === count) for (const answer of held.splice(0).reverse()) answer();
        return;
      case 'contract/progress':
        return void send(
          ...series((progress) => ({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress, total: count } })),
          result({ done: true }),
        );
      case 'contract/notes':
        return void send(...series((n) => ({ method: 'note', params: { n } })), result({ count }));
      case 'contract/junk':
        return void send({ hello: 'world' }, 7, { jsonrpc: '2.0', id: 'nobody', result: {} }, result({ after: 'junk' }));
      case 'contract/received':
        return void send(result({ messages: [...received] }));
    }
  };
}
