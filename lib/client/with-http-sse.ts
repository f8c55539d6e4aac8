import { HttpSseTransport } from '../transport/http-sse.js';
import type { HttpConfig } from '../transport/http.js';
import type { ClientFeature } from './feature.js';

/**
 * Speaks the deprecated HTTP+SSE pair of 2024-11-05 with servers that know
 * nothing newer: after Streamable HTTP was answered with 400, 404 or 405, or
 * first when the configuration says `"sse"`. The Node door has it built in.
 *
 * @see MCP 2025-11-25 Transports, "Backwards Compatibility"
 * @public
 */
export function withHttpSse(): ClientFeature {
  return {
    name: 'HTTP+SSE',
    transport: (config) => (config.type === 'http' || config.type === 'sse' ? () => new HttpSseTransport(config as HttpConfig) : undefined),
  };
}
