import { INTERNAL_ERROR } from './codes.js';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Token that ties an answer to its request. @see JSON-RPC 2.0 §4 @public */
export type RequestId = string | number;

/** A call that is owed an answer. @public */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A call without an answer. @public */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

/** @public */
export interface JsonRpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: JsonObject;
}

/** The error member of an answer. @see JSON-RPC 2.0 §5.1 @public */
export interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** `id` is null or missing when the peer could not read it. @public */
export interface JsonRpcFailure {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId | null;
  readonly error: JsonRpcErrorObject;
}

/** An answer: a result or an error. @public */
export type JsonRpcResponse = JsonRpcResult | JsonRpcFailure;

/** Anything that travels. @public */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/**
 * Whether a parsed JSON value is a message: an object with a `method`, a `result` or an `error`.
 *
 * Checks only what dispatching relies on. Real servers leave `jsonrpc` out or
 * send fields of their own; neither is a reason to lose a message.
 */
export function isJsonRpcMessage(value: unknown): value is JsonRpcMessage {
  if (!isObject(value)) return false;
  const { method, id } = value;
  if (typeof method === 'string') return id == null || isRequestId(id);
  return !('method' in value) && ('result' in value || isFailure(value as unknown as JsonRpcMessage));
}

/** A request from the peer. */
export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && (message as { id?: unknown }).id != null;
}

/** A message with a method and no id. */
export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return 'method' in message && !isRequest(message);
}

/** An answer, whoever it is for. */
export function isResponse(message: JsonRpcMessage): message is JsonRpcResponse {
  return !('method' in message);
}

/** An error answer; whatever the error is if it has an id, an error object if it has none. */
export function isFailure(message: JsonRpcMessage): message is JsonRpcFailure {
  const { error, id } = message as { error?: unknown; id?: unknown };
  if (!isResponse(message) || error == null) return false;
  return isRequestId(id) || (isObject(error) && typeof error.code === 'number');
}

/** Whether a message is the one meant: by its id if it is a request, else by itself. */
export function isSame(message: JsonRpcMessage, meant: RequestId | JsonRpcMessage): boolean {
  return message === meant || (isRequest(message) && message.id === meant);
}

/**
 * What an error answer says. Some servers put text where the object belongs, or
 * leave its code out: then it is an internal error with what there is.
 */
export function errorIn({ error }: JsonRpcFailure): JsonRpcErrorObject {
  const { code, message, data } = isObject(error) ? (error as Partial<JsonRpcErrorObject>) : { message: error as unknown };
  return {
    code: typeof code === 'number' ? code : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : JSON.stringify(error),
    data,
  };
}

/** Objects that are neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

/**
 * The id under which an answer may be waited for.
 *
 * Some servers return our number as text. Only the canonical decimal spelling
 * of a number counts, and only when that very text is not waited for itself;
 * JSON-RPC asks for the same value back, so this is leniency.
 */
export function matchingId(id: unknown, isPending: (id: RequestId) => boolean): RequestId | undefined {
  if (!isRequestId(id)) return undefined;
  if (isPending(id)) return id;
  if (typeof id !== 'string' || !/^(0|[1-9]\d{0,14})$/.test(id)) return undefined;
  return isPending(Number(id)) ? Number(id) : undefined;
}
