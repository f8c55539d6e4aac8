import type { LegacyRevision } from '../wire/revision.js';
import { legacyContext, type Era } from './era.js';

/** The first revision whose HTTP requests name it in a header. @see MCP 2025-06-18 Transports, "Protocol Version Header" */
const FIRST_WITH_HEADER = '2025-06-18';
/** The first revision with Streamable HTTP, and so with a listener stream and streams that can be resumed. */
const FIRST_WITH_STREAMS = '2025-03-26';

/** Revisions up to 2025-11-25, after the handshake. @see MCP 2025-11-25 Lifecycle */
export function legacyEra(revision: LegacyRevision): Era {
  const hasStreams = revision >= FIRST_WITH_STREAMS;
  const context = {
    resumable: hasStreams,
    ...(revision >= FIRST_WITH_HEADER && { mirrored: { 'mcp-protocol-version': revision } }),
  };
  return {
    name: 'legacy',
    revision,
    answersServerRequests: true,
    hasListener: hasStreams,
    hasResultTypes: false,
    params: (params) => params,
    context: (method) => legacyContext(method, context),
    cancelsByMessage: () => true,
  };
}
