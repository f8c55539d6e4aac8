/**
 * MCP clients as RxJS streams, for Node: all of `rxjs-mcp`, and servers that run as child processes.
 *
 * @packageDocumentation
 */
import { clientCreator, connector, transportCreator } from './client/door.js';
import { withHttpSse } from './client/with-http-sse.js';
import { withMessagePort } from './client/with-message-port.js';
import { withWebSocket } from './client/with-web-socket.js';
import { ConfigError } from './errors.js';
import { managerCreator } from './manager/manager.js';
import { HttpTransport, type HttpConfig } from './transport/http.js';
import type { MessagePortConfig } from './transport/message-port.js';
import { StdioTransport, type StdioConfig } from './transport/stdio.js';
import type { Transport } from './transport/transport.js';
import type { WebSocketConfig } from './transport/web-socket.js';

export * from './api.js';
export type { Bridge, BridgeConnection, BridgeEnd, BridgeOptions, BridgeRefusal } from './bridge/bridge.js';
export { serveStdio } from './bridge/serve-stdio.js';
export { MissingVariableError, type MissingVariable } from './manager/config/config-errors.js';
export type { ConfigHost, ConfigHostFile, ConfigPolicy, ConfigScope, VariableSyntax } from './manager/config/config-host.js';
export type { ConfigChange, ConfigFile, ConfigOptions, ConfigSnapshot, ConfigWarning, ResolveRequest } from './manager/config/config-types.js';
export { CONFIG_HOSTS, type ConfigHostId } from './manager/config/hosts.js';
export { loadConfig } from './manager/config/load-config.js';
export { toEntries, watchConfig, type ConfigWatchOptions } from './manager/config/watch-config.js';
export { fileStore } from './manager/file-store.js';
export { nodeHttpHandler, type NodeHttpOptions } from './transport/node-http-handler.js';
export { INHERITED_VARIABLES, type StdioConfig } from './transport/stdio.js';

/** Where a server is, or how it is started. `type` missing means stdio. @public */
export type TransportConfig = StdioConfig | HttpConfig | WebSocketConfig | MessagePortConfig;

const BUILT_IN = /* @__PURE__ */ [withHttpSse(), withWebSocket(), withMessagePort()];

/**
 * Makes a connection that is not open yet: transport and correlation, no handshake.
 *
 * @throws {@link ConfigError} unknown `type`, or something missing.
 * @public
 */
export const createTransport = /* @__PURE__ */ transportCreator(openTransport, BUILT_IN);

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

/**
 * Looks after many servers: see {@link McpManager}. Nothing starts before `discoverAndConnect()`.
 *
 * @param source - The entries, for instance `[[{ name, config }]]`, or a stream of all of them each time one changes.
 * @public
 */
export const createManager = /* @__PURE__ */ managerCreator((config, options) => createClient(config as TransportConfig, options));

function openTransport(config: TransportConfig): Transport {
  switch (config.type) {
    case 'http':
    case 'sse':
      return new HttpTransport(config);
    case undefined:
    case 'stdio':
      return new StdioTransport(config);
    default:
      throw new ConfigError(`Unknown transport type "${(config as { type: string }).type}"; known are "stdio", "http", "sse", "websocket" and "message-port"`);
  }
}
