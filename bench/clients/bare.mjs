// The limit: a loop without any client. It starts a process or posts, joins lines or events, parses them, and finds who waits
// in a Map. No deadlines, no cancellation, no checks, nothing that can go wrong.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';

/** @typedef {{ done: (result: any) => void, onProgress?: (() => void) | undefined }} Waiting */
/** @typedef {(text: string) => void} OnText */

const LF = 10;

/** Makes lines of chunks: what has no end yet waits in parts, joined and decoded once. @param {OnText} onLine @returns {(chunk: Uint8Array) => void} */
function splitter(onLine) {
  /** @type {Uint8Array[]} */
  let parts = [];
  return (chunk) => {
    const whole = chunk.lastIndexOf(LF) + 1;
    if (whole === 0) return void parts.push(chunk);
    parts.push(chunk.subarray(0, whole));
    const text = Buffer.concat(parts).toString();
    parts = whole < chunk.length ? [chunk.subarray(whole)] : [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      onLine(text.slice(from, end));
      from = end + 1;
    }
  };
}

/** The data of events, which is one line each with this server. @param {OnText} onData */
function eventSplitter(onData) {
  return splitter((line) => {
    if (line.startsWith('data: ')) onData(line.slice(6));
  });
}

/** @param {Extract<import('../types.ts').Target, { command: string }>} target @param {OnText} onMessage */
function openProcess({ command, args }, onMessage) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.on('data', splitter(onMessage));
  return {
    /** @param {string} text */
    send: (text) => void child.stdin.write(`${text}\n`),
    /** @returns {Promise<void>} */
    close: () => new Promise((resolve) => void child.on('exit', () => resolve()).stdin.end()),
  };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

/** @param {string} url @param {OnText} onMessage */
function openFetch(url, onMessage) {
  /** @param {string} body */
  const send = async (body) => {
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const text = await response.text();
      if (text !== '') onMessage(text);
      return;
    }
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const split = eventSplitter(onMessage);
    for (let read = await reader.read(); !read.done; read = await reader.read()) split(read.value);
  };
  return { send, close: () => Promise.resolve() };
}

/** @param {string} url @param {OnText} onMessage */
function openNodeHttp(url, onMessage) {
  const agent = new Agent({ keepAlive: true });
  /** @param {string} body */
  const send = (body) => {
    const options = { method: 'POST', agent, headers: { ...HEADERS, 'content-length': Buffer.byteLength(body) } };
    request(url, options, (response) => {
      if (response.headers['content-type'] === 'text/event-stream') return void response.on('data', eventSplitter(onMessage));
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => text !== '' && onMessage(text));
    }).end(body);
  };
  return { send, close: () => Promise.resolve(agent.destroy()) };
}

/** @type {import('../types.ts').Connect} */
export async function connect(target, { client }) {
  /** @type {Map<number, Waiting>} */
  const pending = new Map();
  /** @type {(() => void)[]} */
  const listeners = [];
  /** @type {OnText} */
  const onMessage = (text) => {
    const message = JSON.parse(text);
    if (message.id !== undefined) {
      const waiting = pending.get(message.id);
      pending.delete(message.id);
      waiting?.done(message.result);
    } else if (message.method === 'notifications/message') {
      for (const listener of listeners) listener();
    } else if (message.method === 'notifications/progress') {
      pending.get(message.params.progressToken)?.onProgress?.();
    }
  };
  const open = client === 'bare-node-http' ? openNodeHttp : openFetch;
  const { send, close } = 'url' in target ? open(target.url, onMessage) : openProcess(target, onMessage);
  let id = 0;
  /** @param {string} method @param {object} params @param {(result: any) => void} done @param {() => void} [onProgress] */
  const ask = (method, params, done, onProgress) => {
    pending.set(++id, { done, onProgress });
    void send(JSON.stringify({ jsonrpc: '2.0', id, method, params: onProgress === undefined ? params : { ...params, _meta: { progressToken: id } } }));
  };
  const clientInfo = { name: 'bare', version: '1.0.0' };
  await new Promise((resolve) => ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, resolve));
  void send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return {
    call: (name, args, done) => ask('tools/call', { name, arguments: args }, (result) => done(result.content[0].text)),
    callWithProgress: (name, args, onProgress, done) => ask('tools/call', { name, arguments: args }, (result) => done(result.content[0].text), onProgress),
    listen: (onLog) => void listeners.push(onLog),
    listTools: () => new Promise((resolve) => ask('tools/list', {}, ({ tools }) => resolve(tools.length))),
    close,
  };
}
