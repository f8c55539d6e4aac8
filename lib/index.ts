/**
 * MCP clients as RxJS streams, for browsers and everything else that has `fetch`.
 *
 * @packageDocumentation
 */
import { clientCreator, connector, transportCreator } from './client/door.js';
import { ConfigError } from './errors.js';
import { HttpTransport, type HttpConfig } from './transport/http.js';
import type { Transport } from './transport/transport.js';

export * from './api.js';

/** Where a server is. This door knows HTTP; `rxjs-mcp/node` knows child processes too. @public */
export type TransportConfig = HttpConfig;

/**
 * Makes a connection that is not open yet: transport and correlation, no handshake.
 *
 * @throws {@link ConfigError} unknown `type`, or a URL that is none.
 * @public
 */
export const createTransport = /* @__PURE__ */ transportCreator(openTransport);

/** Makes a client that is not connected yet. @public */
export const createClient = /* @__PURE__ */ clientCreator(openTransport);

/**
 * A ready client for as long as you are subscribed: subscribing connects,
 * unsubscribing closes. To await a client use `createClient(…).connect()`.
 *
 * @throws as {@link McpClient.connect}
 * @public
 */
export const connect = /* @__PURE__ */ connector(openTransport);

function openTransport(config: TransportConfig): Transport {
  const type = config.type as string | undefined;
  if (type === 'http' || type === 'sse') return new HttpTransport(config);
  throw new ConfigError(`Unknown transport type "${type ?? 'stdio'}": here "http" and "sse" are known; "stdio" is in rxjs-mcp/node`);
}
