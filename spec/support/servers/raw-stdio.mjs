// `node raw-stdio.mjs NAME [OPTIONS as JSON]`: a stdio server without any SDK that can misbehave.
// Its behaviour is `raw-stdio/NAME.mjs`, a module whose default export is called with a `RawServer` and the options.
// What a scenario does not say, a small correct server of the 2025-11-25 revision does.
import { spawn } from 'node:child_process';

/** @typedef {{ jsonrpc?: string, id?: any, method?: string, params?: any, result?: any, error?: any }} Message */
/** @typedef {(params: any, message: Message) => unknown} Handler */
/** @typedef {(server: RawServer, options: any) => void | Promise<void>} Scenario */

/** Returned by a handler that answers by itself, later, or not at all. */
export const NO_ANSWER = Symbol('no answer');

/** What a handler throws to answer with an error. */
export class RpcFailure extends Error {
  /** @param {number} code @param {string} message @param {unknown} [data] */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class RawServer {
  /** Every message read, in order. @type {Message[]} */
  received = [];
  /** Called with every message before its handler. @type {(message: Message) => void} */
  onMessage = () => {};
  /** What to do when stdin ends. @type {() => void} */
  onEof = () => process.exit(0);

  /** @type {Map<string, Handler>} */
  #handlers = new Map();
  /** @type {Map<unknown, (answer: Message) => void>} */
  #waiting = new Map();
  #requests = 0;

  constructor() {
    this.on('initialize', (params) => ({
      protocolVersion: params?.protocolVersion ?? '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1.0.0' },
    }));
    this.on('ping', () => ({}));
    this.on('tools/list', () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }));
    this.on('tools/call', (params) => text(JSON.stringify(params.arguments ?? {})));
  }

  /**
   * Says how a method is answered: the handler's value is the result, what it throws the error.
   * @param {string} method @param {Handler} handler
   */
  on(method, handler) {
    this.#handlers.set(method, handler);
    return this;
  }

  /** Raw bytes or text to stdout. @param {string | Uint8Array} bytes @returns {Promise<void>} when they are written */
  write(bytes) {
    return new Promise((resolve) => void process.stdout.write(bytes, () => resolve()));
  }

  /** @param {...Message} messages written as one chunk */
  send(...messages) {
    return this.write(messages.map(line).join(''));
  }

  /** @param {unknown} id @param {unknown} result */
  reply(id, result) {
    return this.send({ jsonrpc: '2.0', id, result });
  }

  /** @param {unknown} id @param {number} code @param {string} message @param {unknown} [data] */
  fail(id, code, message, data) {
    return this.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  /** @param {string} method @param {object} [params] */
  notify(method, params) {
    return this.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /**
   * Asks the client something.
   * @param {string} method @param {object} [params] @param {unknown} [id]
   * @returns {Promise<Message>} the whole answer
   */
  request(method, params, id = `s-${++this.#requests}`) {
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    void this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return /** @type {Promise<Message>} */ (answer);
  }

  listen() {
    let rest = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) if (text.trim() !== '') void this.#receive(JSON.parse(text));
    });
    process.stdin.on('end', () => this.onEof());
  }

  /** @param {Message} message */
  async #receive(message) {
    this.received.push(message);
    this.onMessage(message);
    if (message.method === undefined) {
      const settle = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      settle?.(message);
      return;
    }
    const handler = this.#handlers.get(message.method);
    if (message.id === undefined) {
      await handler?.(message.params, message);
      return;
    }
    try {
      if (!handler) throw new RpcFailure(-32601, 'Method not found');
      const result = await handler(message.params, message);
      if (result !== NO_ANSWER) await this.reply(message.id, result);
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      await this.fail(message.id, error.code, error.message, error.data);
    }
  }
}

/** @param {unknown} message */
export const line = (message) => `${JSON.stringify(message)}\n`;

/** A tool result. @param {string} value */
export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** A result of `server/discover`. @param {string} name */
export const discovered = (name) => ({
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name, version: '1.0.0' } },
});

/** @param {number} ms @returns {Promise<void>} */
export const sleep = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * A child of the server that outlives it, holds its pipes open and ignores SIGTERM.
 * It ends by itself after a minute, should a spec forget it.
 */
export function spawnGrandchild() {
  const code = `process.on('SIGTERM', () => {}); setTimeout(() => {}, 60_000)`;
  return spawn(process.execPath, ['-e', code], { stdio: 'inherit' });
}

// Scenarios import this module, so it must not wait for them: the program part runs in a later turn.
if (process.argv[1]?.endsWith('raw-stdio.mjs')) setImmediate(run);

async function run() {
  const [name = 'plain', options = '{}'] = process.argv.slice(2);
  /** @type {{ default: Scenario }} */
  const scenario = await import(new URL(`raw-stdio/${name}.mjs`, import.meta.url).href);
  const server = new RawServer();
  await scenario.default(server, JSON.parse(options));
}
