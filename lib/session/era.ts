import type { SendContext } from '../transport/send-context.js';
import type { JsonObject } from '../wire/message.js';

/**
 * What depends on the protocol era, in one place. *Legacy* revisions open with
 * a handshake and then keep state; *modern* ones say everything in each request.
 */
export interface Era {
  readonly name: 'opening' | 'legacy' | 'modern';
  /** The negotiated revision; undefined while it is not known. */
  readonly revision: string | undefined;
  /** Whether the server may ask us something in a request of its own. */
  readonly answersServerRequests: boolean;
  /** Whether there is a background stream for what the server starts. */
  readonly hasListener: boolean;
  /** Whether results say of what kind they are. */
  readonly hasResultTypes: boolean;
  /** The params as they travel. */
  params(params: JsonObject | undefined): JsonObject | undefined;
  /** What goes beside a message. */
  context(method: string, params: JsonObject | undefined): SendContext;
  /** Whether a cancelled request is told to the server in a message; else the end of its stream tells it. */
  cancelsByMessage(hasRequestStreams: boolean): boolean;
}

/** Before a revision is known: no additions, and the server's pings are answered. */
export const OPENING_ERA: Era = {
  name: 'opening',
  revision: undefined,
  answersServerRequests: true,
  hasListener: true,
  hasResultTypes: false,
  params: (params) => params,
  context: (method) => legacyContext(method, {}),
  cancelsByMessage: () => true,
};

/**
 * The handshake keeps its order: what is sent later waits until `initialize`
 * was answered, and again until `notifications/initialized` was accepted.
 *
 * @see MCP 2025-11-25 Lifecycle, "Initialization"
 */
export function legacyContext(method: string, context: SendContext): SendContext {
  if (method === 'initialize') return { ...context, session: 'new', barrier: true, handshake: true };
  return method === 'notifications/initialized' ? { ...context, barrier: true, handshake: true } : context;
}
