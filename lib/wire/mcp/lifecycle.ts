/**
 * Getting to know the other side: `initialize`, `server/discover` and `ping`.
 *
 * @module
 */
import type { Implementation } from './base.js';
import type { ClientCapabilities, ServerCapabilities } from './capabilities.js';
import type { CacheableResult, RequestParams, Result } from './meta.js';

/**
 * Params of `initialize`. Removed in 2026-07-28.
 *
 * @see MCP 2025-11-25 schema, InitializeRequestParams
 * @public
 */
export interface InitializeParams extends RequestParams {
  /** The newest revision the client speaks. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/**
 * Result of `initialize`. Removed in 2026-07-28.
 *
 * @see MCP 2025-11-25 schema, InitializeResult
 * @public
 */
export interface InitializeResult extends Result {
  /** The revision the server chose; a client that lacks it disconnects. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** Advice on using the server, fit for a system prompt. */
  instructions?: string | undefined;
}

/**
 * Params of `server/discover`.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, DiscoverRequest
 * @public
 */
export type DiscoverParams = RequestParams;

/**
 * Result of `server/discover`. The server names itself in `_meta`.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, DiscoverResult
 * @public
 */
export interface DiscoverResult extends CacheableResult {
  /** Revisions the client can pick from. */
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  /** Advice on using the server, fit for a system prompt. */
  instructions?: string | undefined;
}

/**
 * Params of `ping`, which either side may send. Removed in 2026-07-28.
 *
 * @see MCP 2025-11-25 schema, PingRequest
 * @public
 */
export type PingParams = RequestParams;

/**
 * `data` of the error for a revision the server does not support.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, UnsupportedProtocolVersionError
 * @public
 */
export interface UnsupportedProtocolVersionData {
  /** Revisions the server supports. */
  supported: string[];
  /** The revision the client asked for. */
  requested: string;
}

/**
 * `data` of the error for a request that needs a capability the client did not
 * declare.
 *
 * @since 2026-07-28
 * @see MCP 2026-07-28 schema, MissingRequiredClientCapabilityError
 * @public
 */
export interface MissingRequiredClientCapabilityData {
  /** The capabilities that are missing. */
  requiredCapabilities: ClientCapabilities;
}
