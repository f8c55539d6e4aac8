import { McpError } from '../../errors.js';

/** A server keeps asking for input, round after round, and the bound was reached. @public */
export class InputRoundsError extends McpError {
  override readonly name = 'InputRoundsError';

  /**
   * @param method - The call that did not come to an end.
   * @param rounds - How often the server was given what it asked for.
   */
  constructor(
    readonly method: string,
    readonly rounds: number,
  ) {
    super(`${method} still asks for input after ${rounds} rounds (maxRounds)`);
  }
}

/** A server asks for something that this client has not declared. @public */
export class InputNotSupportedError extends McpError {
  override readonly name = 'InputNotSupportedError';

  /**
   * @param method - What is asked, for instance `sampling/createMessage`.
   * @param detail - Which part of it, where only that was not declared.
   */
  constructor(
    readonly method: string,
    readonly detail?: string,
  ) {
    super(`The server asks for ${method}${detail === undefined ? '' : ` with ${detail}`}, which this client did not declare`);
  }
}
