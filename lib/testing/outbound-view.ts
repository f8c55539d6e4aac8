import { isObject, type JsonObject, type JsonRpcMessage } from '../wire/message.js';

/** How exactly outbound messages are compared. @public */
export interface OutboundOptions {
  /** Whether the ids of requests count, also where they are named by a cancellation or as a progress token. @defaultValue 'loose': they do not */
  readonly ids?: 'loose' | 'exact' | undefined;
  /** Whether the fields count that 2026-07-28 wants in `_meta` of each request. @defaultValue 'loose': they do not */
  readonly meta?: 'loose' | 'exact' | undefined;
}

const EACH_REQUEST = ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((name) => `io.modelcontextprotocol/${name}`);

/** A message without what does not count. `jsonrpc` never does. */
export function viewOf(message: object, { ids = 'loose', meta = 'loose' }: OutboundOptions): JsonObject {
  const { jsonrpc: _, ...view } = message as JsonObject & { readonly jsonrpc?: unknown };
  const isRequest = 'method' in view;
  if (ids === 'loose' && isRequest) delete view.id;
  if (!isObject(view.params)) return view;
  const { _meta, ...params } = view.params;
  if (ids === 'loose' && view.method === 'notifications/cancelled') delete params.requestId;
  const dropped = [...(ids === 'loose' ? ['progressToken'] : []), ...(meta === 'loose' ? EACH_REQUEST : [])];
  const kept = Object.entries(isObject(_meta) ? _meta : {}).filter(([name]) => !dropped.includes(name));
  if (kept.length > 0) params._meta = Object.fromEntries(kept);
  if (Object.keys(params).length > 0) view.params = params;
  else delete view.params;
  return view;
}

/** What a message is called where only that counts. */
export function nameOf(message: JsonRpcMessage): string {
  if ('method' in message) return message.method;
  return 'error' in message ? 'error' : 'result';
}
