// The server of tasks-modern.mjs with a transport: run as a program it speaks stdio, and `tasksHttp()` serves it over HTTP.
import { createInterface } from 'node:readline';
import { isProgram } from './program.mjs';
import { modernTasks } from './tasks-modern.mjs';

/** The answer to a request, as a message; undefined for what gets none. @param {ReturnType<typeof modernTasks>} server @param {import('./tasks-modern.mjs').Message} message */
function reply(server, message) {
  if (message.id === undefined) return undefined;
  try {
    return { jsonrpc: '2.0', id: message.id, result: server.answer(message) };
  } catch (error) {
    const { code = -32603, message: text, data } = /** @type {import('./tasks-modern.mjs').Failure} */ (error);
    return { jsonrpc: '2.0', id: message.id, error: { code, message: text, data } };
  }
}

/**
 * What a `subscriptions/listen` request brings: the acknowledgement, then the states of the tasks until they are over.
 * @param {ReturnType<typeof modernTasks>} server @param {import('./tasks-modern.mjs').Message} request @param {(message: object) => void} send
 * @returns {() => void} ends it
 */
function listen(server, { id, params }, send) {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  const { taskIds = [] } = params.notifications;
  send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications: { taskIds } } });
  const clock = setInterval(() => {
    for (const taskId of taskIds) send({ jsonrpc: '2.0', method: 'notifications/tasks', params: { ...server.next(taskId), _meta } });
  }, 20);
  return () => clearInterval(clock);
}

/** Over HTTP, at any path; a request about a task must name it in its header. */
export function tasksHttp() {
  const server = modernTasks();
  /** @type {import('node:http').RequestListener} */
  const handle = (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const message = /** @type {import('./tasks-modern.mjs').Message} */ (JSON.parse(body || '{}'));
      const { method = '', params, id } = message;
      if (method === 'subscriptions/listen') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.on('close', listen(server, message, (event) => response.write(`data: ${JSON.stringify(event)}\n\n`)));
        return;
      }
      const isNamed = !method.startsWith('tasks/') || request.headers['mcp-name'] === params.taskId;
      const answer = isNamed ? reply(server, message) : { jsonrpc: '2.0', id, error: { code: -32020, message: 'Mcp-Name is not the task' } };
      response.writeHead(isNamed ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  };
  return { handle, server };
}

if (isProgram(import.meta.url)) {
  const server = modernTasks();
  /** @type {Map<unknown, () => void>} */
  const listeners = new Map();
  const send = (/** @type {object} */ message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const message = /** @type {import('./tasks-modern.mjs').Message} */ (JSON.parse(line));
      if (message.method === 'subscriptions/listen') listeners.set(message.id, listen(server, message, send));
      else if (message.method === 'notifications/cancelled') listeners.get(message.params.requestId)?.();
      const answer = message.method === 'subscriptions/listen' ? undefined : reply(server, message);
      if (answer !== undefined) send(answer);
    })
    .on('close', () => process.exit());
}
