/**
 * `elicitation/create`: a server asks the user, by a form or by a URL to visit.
 *
 * Since 2025-06-18; a request of its own in legacy revisions, an input request
 * since 2026-07-28.
 *
 * @module
 */
import type { ElicitFormSchema } from './form-schema.js';
import type { NotificationParams, Result } from './meta.js';
import type { TaskAugmentedParams } from './tasks.js';

/**
 * Asks by a form. No `mode` means this one.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, ElicitRequestFormParams
 * @public
 */
export interface ElicitFormParams extends TaskAugmentedParams {
  /** @since 2025-11-25 */
  mode?: 'form' | undefined;
  /** What to tell the user. */
  message: string;
  requestedSchema: ElicitFormSchema;
}

/**
 * Sends the user to a URL. Get the user's consent before you open it.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, ElicitRequestURLParams
 * @public
 */
export interface ElicitUrlParams extends TaskAugmentedParams {
  mode: 'url';
  /** Why the visit is needed. */
  message: string;
  url: string;
  /** Opaque. Required in 2025-11-25, removed in 2026-07-28. */
  elicitationId?: string | undefined;
}

/**
 * Params of `elicitation/create`; narrow by `mode`.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, ElicitRequestParams
 * @public
 */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

/**
 * Value of a form field; lists since 2025-11-25.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, ElicitResult
 * @public
 */
export type ElicitValue = string | number | boolean | string[];

/**
 * Result of `elicitation/create`.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, ElicitResult
 * @public
 */
export interface ElicitResult extends Result {
  /** The user agreed, said no, or walked away. */
  action: 'accept' | 'decline' | 'cancel';
  /** The filled-in form; only with `accept` in form mode. */
  content?: Record<string, ElicitValue> | undefined;
}

/**
 * Params of `notifications/elicitation/complete`: the visit to a URL is over.
 *
 * @since 2025-11-25, removed in 2026-07-28
 * @see MCP 2025-11-25 schema, ElicitationCompleteNotification
 * @public
 */
export interface ElicitationCompleteParams extends NotificationParams {
  elicitationId: string;
}

/**
 * `data` of the error that asks to visit URLs before the request is sent again.
 *
 * @since 2025-11-25, removed in 2026-07-28
 * @see MCP 2025-11-25 schema, URLElicitationRequiredError
 * @public
 */
export interface UrlElicitationRequiredData {
  [key: string]: unknown;
  elicitations: ElicitUrlParams[];
}
