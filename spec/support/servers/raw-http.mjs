// An HTTP server without any SDK that can misbehave. A scenario is a function; those that a browser needs as well are files:
// `/raw/NAME?run=ID` is answered by the default export of `raw-http/NAME.mjs`.
// Everything received is recorded per scenario and run, and served as JSON at `/raw/NAME/requests?run=ID`.
import { createServer } from 'node:http';
import { setCors } from './cors.mjs';

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {{ method: string, url: string, headers: Record<string, string>, body: any, at: number, aborted: boolean }} RecordedRequest */
/** @typedef {(request: Request, response: Response, body: any, context: RawContext) => unknown} ScenarioFunction */

/**
 * `grants` says which request headers a preflight grants; `false` leaves out all CORS headers. The default grants all of MCP's.
 * @typedef {ScenarioFunction | { handle: ScenarioFunction, grants?: false | ((header: string) => boolean) }} Scenario
 */

/** What a scenario has at hand for one request. */
export class RawContext {
  /** @param {Request} request @param {Response} response @param {any} body @param {URL} url @param {Run} run */
  constructor(request, response, body, url, run) {
    this.request = request;
    this.response = response;
    this.body = body;
    this.query = url.searchParams;
    /** Everything recorded in this run, this request included. */
    this.requests = run.requests;
    /** The scenario's memory for this run. @type {Record<string, any>} */
    this.state = run.state;
  }

  /** How many requests with this one's HTTP method (and JSON-RPC method) came so far, this one included. */
  get count() {
    return this.requests.filter(({ method, body }) => method === this.request.method && body?.method === this.body?.method).length;
  }

  /** @param {unknown} value @param {number} [status] @param {Record<string, string>} [headers] */
  json(value, status = 200, headers = {}) {
    this.text(JSON.stringify(value), status, { 'content-type': 'application/json', ...headers });
  }

  /** @param {string} value @param {number} [status] @param {Record<string, string>} [headers] */
  text(value, status = 200, headers = {}) {
    this.response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(value);
  }

  /** @param {number} status @param {Record<string, string>} [headers] */
  empty(status, headers = {}) {
    this.response.writeHead(status, headers).end();
  }

  /** Answers the request with this result. @param {unknown} result @param {Record<string, string>} [headers] */
  result(result, headers) {
    this.json(this.answer(result), 200, headers);
  }

  /** Answers the request with a JSON-RPC error. @param {number} code @param {string} message @param {number} [status] @param {unknown} [data] */
  error(code, message, status = 200, data) {
    this.json({ jsonrpc: '2.0', id: this.body?.id ?? null, error: { code, message, ...(data !== undefined && { data }) } }, status);
  }

  /** The answer to the request, as a message. @param {unknown} result */
  answer(result) {
    return { jsonrpc: '2.0', id: this.body?.id, result };
  }

  /** Starts an event stream. @param {Record<string, string>} [headers] @param {number} [status] */
  sse(headers = {}, status = 200) {
    this.response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    this.response.flushHeaders();
    return new EventStream(this.response);
  }

  /** Cuts the connection with a TCP reset. */
  reset() {
    this.response.socket?.resetAndDestroy();
  }

  /** @param {number} ms @returns {Promise<void>} */
  sleep(ms) {
    return new Promise((resolve) => void setTimeout(resolve, ms));
  }

  /** Waits until the client has gone. @returns {Promise<void>} */
  gone() {
    return new Promise((resolve) => void this.response.on('close', () => resolve()));
  }

  /**
   * The answer of a small correct server of the 2025-11-25 revision, for what a scenario does not care about.
   * @param {Record<string, string>} [headers]
   */
  fallback(headers) {
    const { method } = this.body ?? {};
    if (this.request.method !== 'POST') return this.empty(405, { allow: 'POST' });
    if (this.body?.id === undefined || method === undefined) return this.empty(202);
    if (method === 'initialize') {
      const serverInfo = { name: 'raw', version: '1.0.0' };
      return this.result({ protocolVersion: this.body.params.protocolVersion, capabilities: { tools: {} }, serverInfo }, headers);
    }
    if (method === 'tools/list') return this.result({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }, headers);
    if (method === 'tools/call') return this.result({ content: [{ type: 'text', text: JSON.stringify(this.body.params.arguments ?? {}) }] }, headers);
    if (method === 'ping') return this.result({}, headers);
    return this.error(-32601, 'Method not found', 400);
  }
}

class EventStream {
  /** @param {Response} response */
  constructor(response) {
    this.response = response;
  }

  /** @param {unknown} message @param {{ id?: string, event?: string, retry?: number }} [fields] */
  message(message, { id, event, retry } = {}) {
    return this.raw(
      (event === undefined ? '' : `event: ${event}\n`) +
        (id === undefined ? '' : `id: ${id}\n`) +
        (retry === undefined ? '' : `retry: ${retry}\n`) +
        `data: ${typeof message === 'string' ? message : JSON.stringify(message)}\n\n`,
    );
  }

  /** @param {string} [text] */
  comment(text = '') {
    return this.raw(`: ${text}\n\n`);
  }

  /** Writes bytes as they are: one call, one chunk. @param {string | Uint8Array} chunk @returns {Promise<void>} */
  raw(chunk) {
    return new Promise((resolve) => void this.response.write(chunk, () => resolve()));
  }

  /** Writes `text` cut into chunks of `size` bytes, each in a turn of its own. @param {string} text @param {number} size */
  async chunked(text, size) {
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; from += size) {
      await this.raw(bytes.subarray(from, from + size));
      await new Promise((resolve) => void setTimeout(resolve, 0));
    }
  }

  end() {
    this.response.end();
  }
}

/** What one scenario has seen and remembers in one run. */
class Run {
  /** @type {RecordedRequest[]} */
  requests = [];
  /** @type {Record<string, any>} */
  state = {};
}

/**
 * @param {(name: string) => Scenario | undefined | Promise<Scenario | undefined>} find gives the scenario of that name
 */
export function createRawHttp(find) {
  /** @type {Map<string, Run>} */
  const runs = new Map();

  /** @param {string} key */
  const runOf = (key) => {
    const run = runs.get(key) ?? new Run();
    runs.set(key, run);
    return run;
  };

  /** @type {(request: Request, response: Response) => Promise<void>} */
  async function serve(request, response) {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, root, name = '', rest] = url.pathname.split('/');
    const run = runOf(`${name} ${url.searchParams.get('run') ?? ''}`);
    if (root !== 'raw') return void response.writeHead(404).end();
    if (rest === 'requests') {
      setCors(request, response);
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      return void response.end(JSON.stringify(run.requests));
    }

    const scenario = await find(name);
    if (!scenario) return void response.writeHead(404).end(`No scenario ${name}`);
    const { handle, grants = undefined } = typeof scenario === 'function' ? { handle: scenario } : scenario;
    if (grants !== false) setCors(request, response, grants);
    if (request.method === 'OPTIONS') {
      // A browser asks this by itself, so it is no part of the record.
      return void response.writeHead(grants === false ? 405 : 204).end();
    }

    const body = await bodyOf(request);
    /** @type {RecordedRequest} */
    const record = {
      method: request.method ?? '',
      url: `${url.pathname}${url.search}`,
      headers: Object.fromEntries(Object.entries(request.headers).map(([header, value]) => [header, String(value)])),
      body,
      at: performance.now(),
      aborted: false,
    };
    run.requests.push(record);
    response.on('close', () => (record.aborted = !response.writableFinished));
    response.on('error', () => {});
    await handle(request, response, body, new RawContext(request, response, body, url, run));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  return Object.assign(server, {
    /** @param {string} name @param {string} [run] */
    requestsOf: (name, run = '') => runOf(`${name} ${run}`).requests,
  });
}

/** @param {Request} request @returns {Promise<any>} the body as JSON, else as text; undefined when there is none */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Finds scenarios among the files of `raw-http/`. @param {string} name @returns {Promise<Scenario | undefined>} */
export async function scenarioFile(name) {
  if (!/^[\w-]+$/.test(name)) return undefined;
  const { default: scenario } = await import(new URL(`raw-http/${name}.mjs`, import.meta.url).href);
  return scenario;
}
