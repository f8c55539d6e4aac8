import { RpcError } from '../../errors.js';
import type { ElicitUrlParams } from '../../wire/mcp/elicitation.js';
import { isObject } from '../../wire/message.js';

/** The server wants URLs visited before it does what was asked. @see MCP 2025-11-25 Elicitation, "URL Elicitation Required Error" */
const URL_ELICITATION_REQUIRED = -32042;

/**
 * What the user has to visit before a call that failed can be made again:
 * nothing, when it failed for another reason. Ask before a URL is opened, and
 * call again once `elicitationsCompleted$` names them all.
 *
 * @see MCP 2025-11-25 Elicitation, "URL Elicitation Required Error"
 * @public
 */
export function requiredElicitations(error: unknown): ElicitUrlParams[] {
  if (!(error instanceof RpcError) || error.code !== URL_ELICITATION_REQUIRED || !isObject(error.data)) return [];
  const { elicitations } = error.data;
  return Array.isArray(elicitations) ? elicitations.filter(isVisit) : [];
}

function isVisit(value: unknown): value is ElicitUrlParams {
  return isObject(value) && value.mode === 'url' && typeof value.url === 'string';
}
