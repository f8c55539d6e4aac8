import { META_KEYS } from '../wire/mcp/meta.js';
import { isObject, isRequest, isResponse, type JsonObject, type JsonRpcMessage, type RequestId } from '../wire/message.js';

/** A place in a message: `params.arguments.now`, or its keys one by one where a key has a dot in it; `*` is any. @public */
export type MessagePath = string | readonly string[];

/** What differs from one version of this package to the next. */
const VERSIONS: readonly (readonly string[])[] = [
  ['params', 'clientInfo', 'version'],
  ['params', '_meta', 'io.modelcontextprotocol/clientInfo', 'version'],
];

/** Takes ids and what is to be ignored out of what a client sends, so that it can be compared. */
export function comparable(ignored: readonly MessagePath[]): (message: JsonRpcMessage, ids?: ReadonlyMap<RequestId, RequestId>) => JsonObject {
  const paths = [...VERSIONS, ...ignored.map((path) => (typeof path === 'string' ? path.split('.') : path))];
  return (message, ids = new Map()) => {
    const copy = structuredClone(message) as unknown as JsonObject;
    const { id, params } = copy;
    const meta = isObject(params) ? params._meta : undefined;
    if (isRequest(message)) delete copy.id;
    if (isObject(meta) && meta.progressToken === id) meta.progressToken = '(id)';
    if (copy.method === 'notifications/cancelled' && isObject(params)) params.requestId = ids.get(params.requestId as RequestId) ?? params.requestId;
    for (const path of paths) leaveOut(copy, path);
    return copy;
  };
}

/** A recorded message of the server with the ids that the client's requests have now. */
export function readdressed(message: JsonRpcMessage, ids: ReadonlyMap<RequestId, RequestId>, tokens: ReadonlyMap<unknown, unknown>): JsonRpcMessage {
  const copy = structuredClone(message) as unknown as JsonObject;
  const idNow = (id: unknown): unknown => ids.get(id as RequestId) ?? id;
  if (isResponse(message)) copy.id = idNow(copy.id);
  const { method, params = copy.result } = copy;
  if (!isObject(params)) return copy as unknown as JsonRpcMessage;
  if (method === 'notifications/progress') params.progressToken = tokens.get(params.progressToken) ?? params.progressToken;
  if (method === 'notifications/cancelled') params.requestId = idNow(params.requestId);
  const { _meta } = params;
  if (isObject(_meta) && META_KEYS.subscriptionId in _meta) _meta[META_KEYS.subscriptionId] = idNow(_meta[META_KEYS.subscriptionId]);
  return copy as unknown as JsonRpcMessage;
}

export const tokenOf = ({ params }: { readonly params?: JsonObject }): unknown => (isObject(params?._meta) ? params._meta.progressToken : undefined);

function leaveOut(value: unknown, [key, ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null || key === undefined) return;
  const holder = value as JsonObject;
  for (const name of key === '*' ? Object.keys(holder) : [key]) {
    if (!Object.hasOwn(holder, name)) continue;
    if (rest.length === 0) Reflect.deleteProperty(holder, name);
    else leaveOut(holder[name], rest);
  }
}
