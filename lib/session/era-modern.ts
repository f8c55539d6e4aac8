import type { ClientCapabilities } from '../wire/mcp/capabilities.js';
import type { Implementation } from '../wire/mcp/base.js';
import { isObject, type JsonObject } from '../wire/message.js';
import type { ModernRevision } from '../wire/revision.js';
import type { Era } from './era.js';

/** Methods whose name or URI is mirrored into a header. @see MCP 2026-07-28 Streamable HTTP, "Standard Request Headers"; SEP-2663, "Routing Headers" */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** @see MCP 2026-07-28 Base Protocol, "Per-request protocol fields" */
export function modernEra(revision: ModernRevision, clientInfo: Implementation, capabilities: ClientCapabilities): Era {
  const fields = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return {
    name: 'modern',
    revision,
    answersServerRequests: false,
    hasListener: false,
    hasResultTypes: true,
    params: (params) => ({ ...params, _meta: { ...(params?._meta as JsonObject | undefined), ...fields } }),
    context: (method, params) => {
      const mirrored: Record<string, string> = { 'mcp-protocol-version': revision, 'mcp-method': method };
      const name = NAMED_BY[method];
      const value = name !== undefined && isObject(params) ? params[name] : undefined;
      if (typeof value === 'string') mirrored['mcp-name'] = value;
      return { mirrored, session: false, handshake: method === 'server/discover' };
    },
    cancelsByMessage: (hasRequestStreams) => !hasRequestStreams,
  };
}
