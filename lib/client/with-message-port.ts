import { MessagePortTransport, type MessagePortConfig } from '../transport/message-port.js';
import type { ClientFeature } from './feature.js';

/**
 * Knows servers of the type `"message-port"`: in a worker, a frame or another
 * thread, see {@link MessagePortConfig}. The Node door has it built in.
 *
 * @see MCP 2025-11-25 Transports, "Custom Transports"
 * @public
 */
export function withMessagePort(): ClientFeature {
  return {
    name: 'MessagePort',
    transport: (config) => (config.type === 'message-port' ? () => new MessagePortTransport(config as MessagePortConfig) : undefined),
  };
}
