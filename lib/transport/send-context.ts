import type { JsonRpcMessage, RequestId } from '../wire/message.js';

/**
 * What a transport needs to know about a message beside its content. Filled by
 * the session, obeyed by the transport, never on the wire as such.
 *
 * @public
 */
export interface SendContext {
  /** Body fields and revision mirrored into HTTP headers; unsafe values are encoded by the transport. */
  readonly mirrored?: Readonly<Record<string, string>> | undefined;
  /** More HTTP headers for this message alone; values that are not safe are an error. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the message belongs to the HTTP session, or opens a new one. @defaultValue true */
  readonly session?: boolean | 'new' | undefined;
  /** What is sent later waits until this message was answered or accepted. @defaultValue false */
  readonly barrier?: boolean | undefined;
  /** Whether it belongs to the handshake, which is not counted among the concurrent requests. @defaultValue false */
  readonly handshake?: boolean | undefined;
  /** How long the sender waits, in milliseconds: it is not sent again later than that. @defaultValue `Infinity` */
  readonly timeoutMs?: number | undefined;
  /** Whether an answer stream that breaks may be resumed. @defaultValue false */
  readonly resumable?: boolean | undefined;
}

const NO_CONTEXT: SendContext = {};
const contexts = new WeakMap<JsonRpcMessage, SendContext>();

/** Puts a context beside a message that is about to be sent. */
export function withContext<M extends JsonRpcMessage>(message: M, context: SendContext): M {
  contexts.set(message, context);
  return message;
}

/** The context of an outbound message; empty when it has none. */
export function contextOf(message: JsonRpcMessage): SendContext {
  return contexts.get(message) ?? NO_CONTEXT;
}

const origins = new WeakMap<JsonRpcMessage, RequestId>();

/** Notes on whose answer stream a message came in. */
export function withOrigin<M extends JsonRpcMessage>(message: M, request: RequestId): M {
  origins.set(message, request);
  return message;
}

/** The request on whose answer stream this message came, where the wire tells. */
export function originOf(message: JsonRpcMessage): RequestId | undefined {
  return origins.get(message);
}
