import { defer, switchMap, type Observable } from 'rxjs';
import type { StdioConfig } from '../transport/stdio.js';
import type { Bridge, BridgeOptions } from './bridge.js';
import { openBridge } from './bridge-server.js';

/**
 * Lets pages in a browser reach a stdio server: listens on the loopback
 * interface for as long as you are subscribed, and gives each WebSocket a
 * process of its own. What the page sends goes to the process as JSON lines,
 * what it answers comes back; either end ends the other.
 *
 * Cold: subscribing starts, unsubscribing ends the sockets and the processes.
 * Emits the bridge once it listens, and does not complete. The command is
 * yours alone: nothing in a request changes it.
 *
 * A connection needs three things: a `Host` that is loopback (so that no
 * foreign name resolves here), an allowed `Origin`, and a fresh ticket, offered
 * as a subprotocol beside `mcp`. See {@link Bridge.ticket}.
 *
 * @param config - How the server is started; `maxMessageBytes` holds both ways.
 * @throws {@link ConfigError} as an error of the Observable: an option makes no sense, or the port is taken.
 * @public
 */
export function serveStdio(config: StdioConfig, options: BridgeOptions = {}): Observable<Bridge> {
  return defer(() => import('ws')).pipe(switchMap(({ WebSocketServer }) => openBridge(config, options, WebSocketServer))); // only who uses it waits for it
}
