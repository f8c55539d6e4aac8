/** Base of every error this package raises: one `instanceof` catches all. @public */
export abstract class McpError extends Error {
  /** Literal, because minifiers rename classes. */
  abstract override readonly name: string;
}

/** The peer's error object. @see JSON-RPC 2.0 §5.1 @public */
export class RpcError extends McpError {
  override readonly name = 'RpcError';

  /**
   * @param code - The peer's code, for instance -32601.
   * @param detail - The peer's own message, without our prefix.
   * @param data - Whatever the peer sent beside them.
   * @param status - The HTTP status the error came with, when it was not 2xx.
   */
  constructor(
    readonly code: number,
    readonly detail: string,
    readonly data?: unknown,
    readonly status?: number,
  ) {
    super(`MCP error ${code}: ${detail}`);
  }
}

/** How far a message got before its deadline: it decides the text of a {@link RequestTimeoutError}. @public */
export type TimeoutPhase = 'request' | 'streaming' | 'notify';

const TIMEOUT_TEXT: Record<TimeoutPhase, string> = {
  request: 'Request timeout',
  streaming: 'SSE response timeout',
  notify: 'Notify timeout',
};

/** No answer in time. Local: never crosses the wire. @public */
export class RequestTimeoutError extends McpError {
  override readonly name = 'RequestTimeoutError';

  /**
   * @param method - The method that was sent.
   * @param timeoutMs - The deadline that passed, in milliseconds.
   * @param phase - `streaming`: the head of an HTTP answer had arrived, the answer had not.
   */
  constructor(
    readonly method: string,
    readonly timeoutMs: number,
    readonly phase: TimeoutPhase = 'request',
  ) {
    super(`${TIMEOUT_TEXT[phase]} after ${timeoutMs}ms`);
  }
}

/** The caller gave up without a reason of their own. @public */
export class AbortError extends McpError {
  override readonly name = 'AbortError';

  constructor(message = 'The operation was aborted') {
    super(message);
  }
}

/** A call before `connect()` or after `close()`. Nothing was sent. @public */
export class NotConnectedError extends McpError {
  override readonly name = 'NotConnectedError';

  constructor(options?: ErrorOptions) {
    super('Transport not connected', options);
  }
}

/** What a person needs to see why a connection ended. @public */
export interface ClosedFacts {
  /** The name the server was configured under. */
  readonly server?: string | undefined;
  /** What the client was doing. */
  readonly phase?: string | undefined;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  /** The last of what the server wrote to stderr. */
  readonly stderrTail?: string | undefined;
  /** Code and reason of the close frame, where the transport is a WebSocket; 1006: there was none. @see RFC 6455 §7.4 */
  readonly closeCode?: number | undefined;
  readonly closeReason?: string | undefined;
  readonly cause?: unknown;
}

/** The connection ended while an answer was owed, or by itself. @public */
export class ConnectionClosedError extends McpError {
  override readonly name = 'ConnectionClosedError';
  declare readonly server: string | undefined;
  declare readonly phase: string | undefined;
  declare readonly exitCode: number | null | undefined;
  declare readonly signal: string | null | undefined;
  declare readonly stderrTail: string | undefined;
  declare readonly closeCode: number | undefined;
  declare readonly closeReason: string | undefined;

  constructor(facts: ClosedFacts = {}) {
    super('Transport closed');
    Object.assign(this, facts);
  }
}

/** The exchange that carried a request ended without its answer. @public */
export class NoResponseError extends McpError {
  override readonly name = 'NoResponseError';

  constructor(
    readonly requestId: string | number,
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(`No response received for request ID ${requestId}`, options);
  }
}

/** What an {@link HttpError} knows beyond status and text. @public */
export interface HttpErrorFacts {
  readonly url?: string | undefined;
  /** The `WWW-Authenticate` header, as sent. */
  readonly wwwAuthenticate?: string | undefined;
  /** The `Mcp-Auth-Server` header, as sent. */
  readonly mcpAuthServer?: string | undefined;
  /** The `Retry-After` header, as sent: seconds or an HTTP date. */
  readonly retryAfter?: string | undefined;
  /** What may be the reason, where that can be guessed. */
  readonly hint?: string | undefined;
}

/** An HTTP answer that is not 2xx and carries no JSON-RPC error for us. @public */
export class HttpError extends McpError {
  override readonly name = 'HttpError';
  declare readonly url: string | undefined;
  declare readonly wwwAuthenticate: string | undefined;
  declare readonly mcpAuthServer: string | undefined;
  declare readonly retryAfter: string | undefined;
  declare readonly hint: string | undefined;

  constructor(
    readonly status: number,
    readonly text: string,
    facts: HttpErrorFacts = {},
  ) {
    const hints = [
      facts.wwwAuthenticate && `WWW-Authenticate: ${facts.wwwAuthenticate}`,
      facts.mcpAuthServer && `Mcp-Auth-Server: ${facts.mcpAuthServer}`,
      facts.hint,
    ].filter(Boolean);
    super(`HTTP ${status}: ${text}${hints.length === 0 ? '' : ` [${hints.join('; ')}]`}`);
    Object.assign(this, facts);
  }
}

/** No HTTP answer at all: refused, reset, DNS, TLS, or a browser that blocks the request. @public */
export class NetworkError extends McpError {
  override readonly name = 'NetworkError';

  /** @param code - The system's code such as `ECONNREFUSED`; browsers give none. */
  constructor(
    readonly url: string,
    readonly code: string | undefined,
    reason: string | undefined,
    cause: unknown,
  ) {
    super(`Cannot reach ${url}: ${code ?? reason ?? String(cause)}`, { cause });
  }
}

/** A redirect that is not followed: another origin, a method change, a loop, or hidden by the browser. @public */
export class RedirectError extends McpError {
  override readonly name = 'RedirectError';

  /** @param status - 0 when the browser hides it. */
  constructor(
    readonly url: string,
    readonly location: string | undefined,
    readonly status: number,
    why: string,
  ) {
    super(`Redirect from ${url}${location === undefined ? '' : ` to ${location}`} not followed: ${why}`);
  }
}

/** Text that should have been JSON. The message is the parser's own. @public */
export class ParseError extends McpError {
  override readonly name = 'ParseError';

  /** @param excerpt - The start of the text, at most a few hundred characters. */
  constructor(
    cause: unknown,
    readonly excerpt: string,
    readonly status?: number,
    readonly contentType?: string,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** One message is longer than `maxMessageBytes` allows. @public */
export class MessageTooLargeError extends McpError {
  override readonly name = 'MessageTooLargeError';

  constructor(
    readonly limitBytes: number,
    what = 'message',
  ) {
    super(`Incoming ${what} exceeds the limit of ${limitBytes} bytes (maxMessageBytes)`);
  }
}

/** So much waits to be written that no more is taken. Nothing of this message was sent. @public */
export class QueueFullError extends McpError {
  override readonly name = 'QueueFullError';

  constructor(
    readonly limit: number,
    unit: 'bytes' | 'requests',
    option: string,
  ) {
    super(`Outgoing queue is full: ${limit} ${unit} wait to be sent (${option})`);
  }
}

/** The command could not be started. @public */
export class SpawnError extends McpError {
  override readonly name = 'SpawnError';

  /** @param code - The system's code: `ENOENT`, `EACCES`, … */
  constructor(
    readonly command: string,
    readonly code: string | undefined,
    why: string,
    cause?: unknown,
  ) {
    super(`Cannot start "${command}": ${why}`, { cause });
  }
}

/** The peer broke the protocol in a way that cannot be worked around. @public */
export class ProtocolError extends McpError {
  override readonly name = 'ProtocolError';
}

/** A list broke off after some of it had come. What broke it is the `cause`, whose message this has. @public */
export class PartialListError extends McpError {
  override readonly name = 'PartialListError';

  /** @param items - What had been listed by then. */
  constructor(
    override readonly cause: McpError,
    readonly items: readonly unknown[],
  ) {
    super(cause.message, { cause });
  }
}

/** Client and server share no protocol revision. @public */
export class UnsupportedProtocolVersionError extends McpError {
  override readonly name = 'UnsupportedProtocolVersionError';

  constructor(
    readonly serverVersions: readonly string[],
    readonly clientVersions: readonly string[],
    options?: ErrorOptions,
  ) {
    super(
      `No common protocol version: the server offers ${serverVersions.join(', ') || 'only others'}; ` +
        `this client speaks ${clientVersions.join(', ')}`,
      options,
    );
  }
}

/** Every way to reach the server failed. The message tells of each, in order. @public */
export class FallbackError extends McpError {
  override readonly name = 'FallbackError';

  /** @param errors - What each way ended with, in order. */
  constructor(readonly errors: readonly Error[]) {
    super(errors.map(({ message }) => message).join('; then: '), { cause: errors[0] });
  }
}

/** Something the caller configured cannot work; the message says what, where and what to do. @public */
export class ConfigError extends McpError {
  override readonly name = 'ConfigError';
}
