import { NetworkError } from '../errors.js';

/** Errors of the system that come before anything could be sent. */
const CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Whether a request surely did not reach the server. Browsers do not tell. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof NetworkError && error.code !== undefined && CODES.includes(error.code);
}
