// What both servers say: fixed texts and their tools. The same seed gives the same bytes on every machine.

const SEED = 20_251_125;
const WORDS = ['river', 'stone', 'lamp', 'orchard', 'seven', 'quiet', 'ladder', 'copper', 'window', 'autumn', 'signal', 'paper'];

export const TOOLS = ['echo', 'held', 'notify', 'large', 'progress'].map((name) => ({ name, description: `Part of the benchmark: ${name}`, inputSchema: { type: 'object' } }));

/** Numbers from 0 to 1 (mulberry32). @param {number} [seed] @returns {() => number} */
export function random(seed = SEED) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Lines of words, exactly `length` characters, all of them ASCII. @param {number} length */
export function prose(length) {
  const next = random();
  let block = '';
  while (block.length < 10_000) block += `${WORDS[Math.floor(next() * WORDS.length)]}${next() < 0.1 ? '\n' : ' '}`;
  return block.repeat(Math.ceil(length / block.length)).slice(0, length);
}

/** The numbers below `count` in an order that is neither theirs nor its reverse. @param {number} count */
export function shuffled(count) {
  const next = random();
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [/** @type {number} */ (order[j]), /** @type {number} */ (order[i])];
  }
  return order;
}

/** The answer with a text that needs no escapes. @param {string} id as JSON @param {string | number} text */
export const answer = (id, text) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}`;

/** What {@link answer} has around a text of `bytes`: all but the id is made once. @param {number} bytes */
export const largeTail = (bytes) => `,"result":{"content":[{"type":"text","text":${JSON.stringify(prose(bytes))}}]}}`;

/** @param {number} i */
export const logMessage = (i) =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"bench","data":"${WORDS[i % WORDS.length]} ${i}"}}`;

/** @param {string} token as JSON @param {number} i @param {number} count */
export const progressMessage = (token, i, count) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${i + 1},"total":${count},"message":"${WORDS[i % WORDS.length]}"}}`;

/**
 * Answers what is asked once: the handshake of 2025-11-25 and lists.
 *
 * @param {any} request @returns {string | undefined} nothing for a notification
 */
export function answerRest({ id, method, params }) {
  if (id === undefined) return undefined;
  const head = { jsonrpc: '2.0', id };
  if (method === 'initialize') {
    const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'bench', version: '1.0.0' } };
    return JSON.stringify({ ...head, result });
  }
  if (method === 'tools/list') return JSON.stringify({ ...head, result: { tools: TOOLS } });
  if (method === 'ping' || method === 'logging/setLevel') return JSON.stringify({ ...head, result: {} });
  return JSON.stringify({ ...head, error: { code: -32601, message: 'Method not found' } });
}
