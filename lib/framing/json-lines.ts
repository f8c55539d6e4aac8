import { Buffer } from 'node:buffer';
import { concat, Observable } from 'rxjs';
import split2 from 'split2';
import { MessageTooLargeError } from '../errors.js';
import { consume } from './consume.js';

const LF = 0x0a;
const BYTE_ORDER_MARK = 0xfeff;

/** One line: its JSON value, or the text that is none. */
export type JsonLine =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'malformed'; readonly text: string; readonly error: unknown };

/** @public */
export interface JsonLinesOptions {
  /** Longest line, in bytes, without its line end. */
  readonly maxLineBytes: number;
  /**
   * `fail`: a longer line ends the stream with a {@link MessageTooLargeError}.
   * `skip`: it is reported and reading goes on after its line end.
   * @defaultValue 'fail'
   */
  readonly oversized?: 'fail' | 'skip' | undefined;
  /** Told of each line that was skipped for its length. */
  readonly onOversized?: ((error: MessageTooLargeError) => void) | undefined;
}

/**
 * Turns chunks of bytes into JSON values, one per line, in order and synchronously.
 *
 * Blank lines are nothing. A leading byte order mark and a trailing CR are not
 * part of a line. What stands after the last line end counts as a line when
 * the source completes.
 *
 * @throws {@link MessageTooLargeError} a line is longer than allowed; the lines before it were emitted.
 * @see MCP 2025-11-25 Transports, stdio
 */
export function jsonLines(options: JsonLinesOptions): (bytes$: Observable<Uint8Array>) => Observable<JsonLine> {
  return (bytes$) =>
    new Observable((subscriber) => {
      // split2 keeps its remainder as one string and searches it again with
      // every chunk, which is quadratic on a long line. It only gets whole lines.
      // A CR before LF is white space to JSON, so the plain separator does, at a fraction of a pattern's cost.
      // Lines are taken where they are cut: passing them through the stream's own queue would cost as much as parsing them.
      const lines = split2('\n', (text: string) => {
        const line = subscriber.closed ? undefined : parseLine(text);
        if (line !== undefined) subscriber.next(line);
      });
      const gate = new WholeLines(options);
      lines.resume(); // or it never ends
      lines.on('error', (error) => {
        subscriber.error(error);
      });
      subscriber.add(() => {
        lines.destroy();
      });
      const read = (chunk: Uint8Array) => {
        const whole = gate.push(chunk);
        if (whole !== undefined) lines.write(whole);
        if (gate.error !== undefined) subscriber.error(gate.error);
      };
      const end$ = new Observable<never>((end) => {
        lines.on('end', () => {
          end.complete();
        });
        lines.end(gate.rest());
      });
      concat(bytes$.pipe(consume(read)), end$).subscribe(subscriber);
    });
}

/** Holds bytes back until their line is complete; joins a long line once. */
class WholeLines {
  error: MessageTooLargeError | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #skipping = false;

  constructor(readonly options: JsonLinesOptions) {}

  /** The complete lines that `chunk` brings, if it brings any. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const end = chunk.lastIndexOf(LF) + 1;
    if (end === 0) {
      this.#hold(chunk);
      return undefined;
    }
    if (this.#heldBytes === 0 && !this.#skipping && chunk.length <= this.options.maxLineBytes) {
      if (end < chunk.length) this.#hold(chunk.subarray(end));
      return chunk.subarray(0, end);
    }
    const first = chunk.indexOf(LF) + 1;
    const whole: Uint8Array[] = [];
    if (this.#skipping) this.#skipping = false;
    else if (this.#fits(this.#heldBytes + first - 1)) whole.push(...this.#held, chunk.subarray(0, first));
    this.#drop();
    for (const line of this.#middle(chunk.subarray(first, end))) whole.push(line);
    if (this.error === undefined && end < chunk.length) this.#hold(chunk.subarray(end));
    if (whole.length === 0) return undefined;
    return whole.length === 1 ? whole[0] : Buffer.concat(whole);
  }

  /** What is left without a line end. */
  rest(): Uint8Array {
    return Buffer.concat(this.#held);
  }

  /** Whole lines of one chunk; looked at one by one only if one of them can be too long. */
  #middle(lines: Uint8Array): Uint8Array[] {
    if (this.error !== undefined || lines.length === 0) return [];
    if (lines.length <= this.options.maxLineBytes) return [lines];
    const kept: Uint8Array[] = [];
    for (let start = 0; start < lines.length; ) {
      const next = lines.indexOf(LF, start) + 1;
      if (this.#fits(next - 1 - start)) kept.push(lines.subarray(start, next));
      else if (this.options.oversized !== 'skip') break;
      start = next;
    }
    return kept;
  }

  #hold(bytes: Uint8Array): void {
    if (this.#skipping) return;
    if (!this.#fits(this.#heldBytes + bytes.length)) {
      this.#drop();
      this.#skipping = true;
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #drop(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Whether a line of this length is allowed; if not, it is reported or fatal. */
  #fits(bytes: number): boolean {
    const { maxLineBytes, oversized, onOversized } = this.options;
    if (bytes <= maxLineBytes) return true;
    const error = new MessageTooLargeError(maxLineBytes, 'line');
    if (oversized === 'skip') onOversized?.(error);
    else this.error ??= error;
    return false;
  }
}

/** @returns undefined for a blank line. */
function parseLine(text: string): JsonLine | undefined {
  const line = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  try {
    return { type: 'value', value: JSON.parse(line) as unknown };
  } catch (error) {
    return line.trim() === '' ? undefined : { type: 'malformed', text: line, error };
  }
}
