// Sends `?events=3` list changes on the GET stream, with ids, then ends it (`?end`), or breaks one event (`?broken`), or keeps it open.
// A GET with Last-Event-ID goes on after that event. A DELETE is accepted.
/** @type {import('../raw-http.mjs').Scenario} */
export default async (request, _response, _body, context) => {
  if (request.method === 'DELETE') return context.empty(200);
  if (request.method !== 'GET') return context.fallback();
  const { query } = context;
  const stream = context.sse();
  await stream.comment('ready');
  const from = Number(request.headers['last-event-id'] ?? 0) + 1;
  for (let id = from; id < from + Number(query.get('events') ?? 3); id++) {
    if (query.has('broken') && id === 2) await stream.message('{"jsonrpc":', { id: String(id) });
    else await stream.message({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: id } }, { id: String(id), retry: 10 });
  }
  if (query.has('end')) stream.end();
};
