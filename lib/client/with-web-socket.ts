import { WebSocketTransport, type WebSocketConfig } from '../transport/web-socket.js';
import type { ClientFeature } from './feature.js';

/**
 * Knows servers of the type `"websocket"`, see {@link WebSocketConfig}. The
 * Node door has it built in.
 *
 * @see MCP 2025-11-25 Transports, "Custom Transports"
 * @public
 */
export function withWebSocket(): ClientFeature {
  return {
    name: 'WebSocket',
    transport: (config) => (config.type === 'websocket' ? () => new WebSocketTransport(config as WebSocketConfig) : undefined),
  };
}
