import { HttpError, NetworkError } from '../errors.js';
import { withoutSecrets } from './fetch-handler.js';

const EXPOSE = 'the page sees no Mcp-Session-Id; if the server sends one, it must name it in Access-Control-Expose-Headers';
const ALLOW =
  'the browser does not say why. The server answered before, so it may be its answer to the preflight: Access-Control-Allow-Headers must name all that is sent, as mcp-protocol-version and mcp-session-id';

/**
 * Says so where a browser that keeps things from the page may be the reason.
 *
 * @param error - Why a message in a session was refused, or not answered.
 * @param session - The session as far as the page could see it.
 * @see Fetch Standard, "CORS protocol"
 */
export function withCorsHint(error: unknown, url: string, session: string | undefined): unknown {
  if (!isCrossOrigin(url)) return error;
  if (error instanceof NetworkError && error.code === undefined) return new NetworkError(error.url, undefined, ALLOW, error.cause);
  const { status, text, detail } = error as Partial<Record<'status' | 'text' | 'detail', unknown>>;
  return status === 400 && session === undefined ? new HttpError(status, String(text ?? detail), { url: withoutSecrets(url), hint: EXPOSE }) : error;
}

/** Whether a page calls a server that is not its own. */
function isCrossOrigin(url: string): boolean {
  const { location } = globalThis as { location?: { origin: string } };
  return location !== undefined && new URL(url).origin !== location.origin;
}
