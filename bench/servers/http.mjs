// A Streamable HTTP server without any SDK: `/json` answers with JSON, `/sse` with an event stream. Prints its URL when it listens.
import { createServer } from 'node:http';
import { answer, answerRest, progressMessage } from './answers.mjs';

const SLICE = 500;
const HOUR_MS = 3_600_000;

/** @param {string} message */
const event = (message) => `event: message\ndata: ${message}\n\n`;

/** Writes slice by slice, so that the client can read meanwhile. @param {import('node:http').ServerResponse} response @param {any} request */
async function writeProgress(response, { id, params }) {
  const { count } = params.arguments;
  const token = JSON.stringify(params._meta.progressToken);
  for (let from = 0; from < count; from += SLICE) {
    let slice = '';
    for (let i = from; i < Math.min(from + SLICE, count); i++) slice += event(progressMessage(token, i, count));
    if (!response.write(slice)) await new Promise((resolve) => void response.once('drain', () => resolve(undefined)));
  }
  response.end(event(answer(JSON.stringify(id), count)));
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return void response.writeHead(request.method === 'GET' ? 405 : 200).end();
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const message = JSON.parse(body);
    const { name, arguments: args } = message.params ?? {};
    const text = name === 'echo' ? answer(JSON.stringify(message.id), args.i) : name === 'progress' ? '' : answerRest(message);
    if (text === undefined) return void response.writeHead(202).end();
    if (request.url === '/json') return void response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    if (name === 'progress') void writeProgress(response, message);
    else response.end(event(text));
  });
});
server.keepAliveTimeout = HOUR_MS; // a client that waits for its turn keeps its sockets
server.headersTimeout = HOUR_MS + 1_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}`);
});
process.on('disconnect', () => process.exit()); // nothing outlives the harness
