/**
 * MCP clients as RxJS streams, for browsers and everything else that has `fetch`.
 *
 * @packageDocumentation
 */
import { clientCreator, connector, transportCreator } from './client/door.js';
import { ConfigError } from './errors.js';
import { managerCreator } from './manager/manager.js';
import type { CommonConfig } from './transport/config.js';
import { HttpTransport, type HttpConfig } from './transport/http.js';
import type { MessagePortConfig } from './transport/message-port.js';
import type { Transport } from './transport/transport.js';
import type { WebSocketConfig } from './transport/web-socket.js';

export * from './api.js';

/**
 * Where a server is. This door knows HTTP; {@link withWebSocket} and
 * {@link withMessagePort} know the rest, `rxjs-mcp/node` child processes too.
 *
 * @public
 */
export type TransportConfig = HttpConfig | WebSocketConfig | MessagePortConfig;

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

/**
 * Looks after many servers: see {@link McpManager}. Nothing starts before `discoverAndConnect()`.
 *
 * @param source - The entries, for instance `[[{ name, config }]]`, or a stream of all of them each time one changes.
 * @public
 */
export const createManager = /* @__PURE__ */ managerCreator((config, options) => createClient(config as TransportConfig, options));

function openTransport(config: TransportConfig): Transport {
  if (config.type === 'http' || config.type === 'sse') return new HttpTransport(config);
  const { type = 'stdio' } = config as CommonConfig;
  throw new ConfigError(
    `Unknown transport type "${type}": here "http" and "sse" are known; ` +
      '"websocket" needs withWebSocket(), "message-port" withMessagePort(), and "stdio" is in rxjs-mcp/node',
  );
}
