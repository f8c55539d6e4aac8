/**
 * MCP clients as RxJS streams, for Node: all of `rxjs-mcp`, and servers that run as child processes.
 *
 * @packageDocumentation
 */
import { clientCreator, connector, transportCreator } from './client/door.js';
import { withHttpSse } from './client/with-http-sse.js';
import { ConfigError } from './errors.js';
import { HttpTransport, type HttpConfig } from './transport/http.js';
import { StdioTransport, type StdioConfig } from './transport/stdio.js';
import type { Transport } from './transport/transport.js';

export * from './api.js';
export { INHERITED_VARIABLES, type StdioConfig } from './transport/stdio.js';

/** Where a server is, or how it is started. `type` missing means stdio. @public */
export type TransportConfig = StdioConfig | HttpConfig;

const BUILT_IN = /* @__PURE__ */ [withHttpSse()];

/**
 * Makes a connection that is not open yet: transport and correlation, no handshake.
 *
 * @throws {@link ConfigError} unknown `type`, or something missing.
 * @public
 */
export const createTransport = /* @__PURE__ */ transportCreator(openTransport);

/** Makes a client that is not connected yet. @public */
export const createClient = /* @__PURE__ */ clientCreator(openTransport, BUILT_IN);

/**
 * A ready client for as long as you are subscribed: subscribing connects,
 * unsubscribing closes. To await a client use `createClient(…).connect()`.
 *
 * @throws as {@link McpClient.connect}
 * @public
 */
export const connect = /* @__PURE__ */ connector(openTransport, BUILT_IN);

function openTransport(config: TransportConfig): Transport {
  switch (config.type) {
    case 'http':
    case 'sse':
      return new HttpTransport(config);
    case undefined:
    case 'stdio':
      return new StdioTransport(config);
    default:
      throw new ConfigError(`Unknown transport type "${(config as { type: string }).type}"; known are "stdio", "http" and "sse"`);
  }
}
