import { McpError } from '../../errors.js';
import type { EntryOrigin } from '../server-entry.js';

/** A variable of an entry that could not be filled in, and where it is. @public */
export interface MissingVariable {
  /** Its name; with its kind before a colon where it is no environment variable, for instance `input:token`. */
  readonly variable: string;
  /** For instance `headers.Authorization` or `args.1`. */
  readonly field: string;
}

/** An entry needs variables that are not there. Nothing was sent in their place. @public */
export class MissingVariableError extends McpError {
  override readonly name = 'MissingVariableError';
  /** The first that is missing. */
  readonly variable: string;
  /** The field that it is in. */
  readonly field: string;
  readonly file: string | undefined;
  /** JSON pointer to the entry in the file. */
  readonly pointer: string | undefined;

  /** @param missing - At least one. @param cause - Why, where there was an error. */
  constructor(
    readonly server: string,
    readonly missing: readonly [MissingVariable, ...MissingVariable[]],
    origin: EntryOrigin | undefined,
    cause?: unknown,
  ) {
    const [first] = missing;
    const { file, pointer } = origin ?? {};
    const what = missing.map(({ variable, field }) => `${variable} in ${field}`).join(', ');
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    super(`The server "${server}" needs ${missing.length === 1 ? 'a variable that is' : 'variables that are'} not set: ${what}${placeOf(file, pointer)}${why}`, { cause });
    this.variable = first.variable;
    this.field = first.field;
    this.file = file;
    this.pointer = pointer;
  }
}

/** Where an entry is, for the end of a message. */
export function placeOf(file: string | undefined, pointer: string | undefined): string {
  return file === undefined ? '' : ` (${file}${pointer === undefined ? '' : `#${pointer}`})`;
}
