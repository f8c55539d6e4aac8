import { McpError } from '../errors.js';
import { inWords, type Difference } from './difference.js';

/** A marble test was written in a way that cannot work. The message says what to do. @public */
export class MarbleSetupError extends McpError {
  override readonly name = 'MarbleSetupError';
}

/** What happened is not what the diagram says. `expected` and `actual` are what runners show as a difference. @public */
export class MarbleMismatchError extends McpError {
  override readonly name = 'MarbleMismatchError';

  constructor(
    message: string,
    readonly expected: unknown,
    readonly actual: unknown,
  ) {
    super(message);
  }
}

/** It is no recording, or one of another version. @public */
export class RecordingFormatError extends McpError {
  override readonly name = 'RecordingFormatError';
}

/** What a client did that is not in the recording. @public */
export interface ReplayFacts {
  /** Which connection of the client, from 1. */
  readonly connection: number;
  /** Which message of the client on that connection, from 1; undefined where it is about the connection itself. */
  readonly message: number | undefined;
  /** The recorded message that comes closest; undefined when there is none. */
  readonly expected: unknown;
  readonly actual: unknown;
  readonly difference: Difference | undefined;
}

/** The client strayed from the recording. @public */
export class ReplayMismatchError extends McpError {
  override readonly name = 'ReplayMismatchError';

  constructor(readonly facts: ReplayFacts) {
    super(mismatchText(facts));
  }

  /** For the runners that show a difference. */
  get expected(): unknown {
    return this.facts.expected;
  }

  get actual(): unknown {
    return this.facts.actual;
  }
}

/** What was recorded did not happen again, or something else did. The message tells of everything. @public */
export class ReplayError extends McpError {
  override readonly name = 'ReplayError';

  /**
   * @param problems - Where the client strayed, in order.
   * @param neverSent - What of the recording the client did not send, one line each.
   */
  constructor(
    readonly problems: readonly ReplayMismatchError[],
    readonly neverSent: readonly string[],
  ) {
    const missing = neverSent.length === 0 ? [] : ['Recorded and never sent:', ...neverSent.map((line) => `  ${line}`)];
    super(['The replay differs from the recording.', ...problems.map(({ message }) => message), ...missing].join('\n'));
  }
}

/** Something that should be over is not. The message lists all of it. @public */
export class LeakError extends McpError {
  override readonly name = 'LeakError';

  constructor(readonly leaks: readonly { readonly message: string }[]) {
    super(`${leaks.length} left behind:\n${leaks.map(({ message }) => `- ${message}`).join('\n')}`);
  }
}

function mismatchText({ connection, message, expected, actual, difference }: ReplayFacts): string {
  if (message === undefined) return `Connection ${connection} was not recorded`;
  const where = `Message ${message} of connection ${connection}`;
  if (difference === undefined) return `${where} is not in the recording, or was sent already: ${inWords(actual)}`;
  const { path } = difference;
  return [
    `${where} differs from the recording${path === '' ? '' : ` at ${path}`}: recorded ${inWords(difference.expected)}, sent ${inWords(difference.actual)}`,
    `  recorded ${inWords(expected)}`,
    `  sent     ${inWords(actual)}`,
  ].join('\n');
}
