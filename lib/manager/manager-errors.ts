import { McpError } from '../errors.js';

/** No such server, or one that cannot be used now; the `cause` says why it is not there. @public */
export class ServerUnavailableError extends McpError {
  override readonly name = 'ServerUnavailableError';

  /** @param why - For instance `is disabled`. */
  constructor(
    readonly server: string,
    why: string,
    cause?: unknown,
  ) {
    super(`The server "${server}" ${why}${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause });
  }
}

/** A tool that is not there: unknown, hidden by a filter, gone, or not the one that was listed any more. @public */
export class ToolUnavailableError extends McpError {
  override readonly name = 'ToolUnavailableError';

  /** @param reason - `changed`: its input schema is another one than was listed. */
  constructor(
    readonly tool: string,
    readonly server: string | undefined,
    readonly reason: 'unknown' | 'hidden' | 'gone' | 'changed',
  ) {
    super(`The tool "${tool}"${server === undefined ? '' : ` of the server "${server}"`} ${TEXT[reason]}`);
  }
}

const TEXT = {
  unknown: 'is not known',
  hidden: 'is hidden by the filter of its entry',
  gone: 'was listed from the cache, and the server no longer has it',
  changed: 'was listed from the cache, and its input schema has changed since: list it anew',
};

/** The connection was lost while a call was under way: the server may have done it, or not. @public */
export class OutcomeUnknownError extends McpError {
  override readonly name = 'OutcomeUnknownError';

  constructor(
    readonly server: string,
    readonly method: string,
    override readonly cause: McpError,
  ) {
    super(`The connection to "${server}" was lost during ${method}; it may have run: ${cause.message}`, { cause });
  }
}
