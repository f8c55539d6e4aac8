/** @see JSON-RPC 2.0 §5.1 */
export const METHOD_NOT_FOUND = -32601;
/** @see JSON-RPC 2.0 §5.1 */
export const INVALID_PARAMS = -32602;
/** @see JSON-RPC 2.0 §5.1 */
export const INTERNAL_ERROR = -32603;

/** Headers and body disagree. @see MCP 2026-07-28, Error Codes */
export const HEADER_MISMATCH = -32020;
/** A capability the request needs was not declared. @see MCP 2026-07-28, Error Codes */
export const MISSING_CLIENT_CAPABILITY = -32021;
/** `data.supported` lists what the server speaks. @see MCP 2026-07-28, Error Codes */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** Whether only a server of a modern revision sends this code. */
export function isModernErrorCode(code: number): boolean {
  return code <= HEADER_MISMATCH && code >= UNSUPPORTED_PROTOCOL_VERSION;
}
