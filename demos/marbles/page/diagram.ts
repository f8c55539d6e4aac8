import type { Happening, LaneId } from './happening.ts';
import type { TrackedRequest } from './requests.ts';

/** What to write down: a lane, or one request. */
export type Choice = { readonly lane: LaneId } | { readonly request: TrackedRequest };

export interface Diagram {
  /** In the syntax of `TestScheduler.run`, a frame being a millisecond. */
  readonly marbles: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** How many marks are in it. */
  readonly count: number;
  /** How far marks had to be moved, in milliseconds: what stands in a group takes more than one. */
  readonly movedMs: number;
}

/** Most marks in a diagram: more could not be read. */
export const MAX_MARKS = 400;

/** Letters, none of which means anything else in a diagram. */
const LETTERS = [...letters(0x61, 0x7a), ...letters(0x41, 0x5a), ...letters(0x3b1, 0x3c1), ...letters(0x3c3, 0x3c9), ...letters(0x430, 0x44f), ...letters(0x4e00, 0x4f8f)];

/** Happenings, oldest first, as a marble diagram with its values; the first one is at frame 0. */
export function diagramOf(happenings: readonly Happening[], choice: Choice): Diagram {
  const [first] = happenings;
  if (first === undefined) return { marbles: '', values: {}, count: 0, movedMs: 0 };
  const zero = 'request' in choice ? choice.request.startMs : first.ms;
  const names = new Names();
  const parts: string[] = [];
  let frame = 0;
  let movedMs = 0;
  for (const { ms, marbles } of momentsOf(happenings, choice, names)) {
    const due = Math.round(ms - zero);
    if (due > frame) parts.push(gap(due - frame));
    movedMs = Math.max(movedMs, frame - due);
    frame = Math.max(frame, due);
    const text = marbles.length > 1 ? `(${marbles.join('')})` : (marbles[0] ?? '');
    parts.push(text);
    frame += text.length;
  }
  return { marbles: parts.join('').trim(), values: names.values, count: happenings.length, movedMs };
}

/** The diagram as code for a spec. */
export function codeOf({ marbles, values }: Diagram, name: string): string {
  const rows = Object.entries(values).map(([letter, value]) => `  ${letter}: ${JSON.stringify(value)},`);
  return [`const ${name} = '${marbles}';`, `const ${name}Values = {`, ...rows, '};', ''].join('\n');
}

/** What the choice shows of a happening. */
export const belongsTo = (choice: Choice) => (happening: Happening): boolean =>
  'lane' in choice ? happening.marks.some(({ lane }) => lane === choice.lane) : happening.request === choice.request.id && happening.direction !== 'out';

/** What happened in the same millisecond is one moment. */
function momentsOf(happenings: readonly Happening[], choice: Choice, names: Names): { ms: number; marbles: string[] }[] {
  const moments: { ms: number; marbles: string[] }[] = [];
  for (const happening of happenings) {
    const marbles = marblesOf(happening, choice, names);
    const latest = moments.at(-1);
    if (latest !== undefined && Math.round(latest.ms) === Math.round(happening.ms)) latest.marbles.push(...marbles);
    else moments.push({ ms: happening.ms, marbles });
  }
  return moments;
}

/** Of a request: its result completes it, an error ends it, and one that was given up has no end. */
function marblesOf({ content, marks }: Happening, choice: Choice, names: Names): string[] {
  if ('lane' in choice) return [names.of(content)];
  const kind = marks.find(({ lane }) => lane === choice.request.lane)?.kind;
  if (kind === 'timeout' || (kind === 'error' && !('result' in content))) return ['#'];
  if (kind === 'cancelled') return [];
  return kind === 'progress' ? [names.of(content)] : [names.of(content), '|'];
}

/** A pause of so many frames: dashes where they are short, else a time, which needs a space on both sides. */
const gap = (frames: number): string => (frames <= 3 ? '-'.repeat(frames) : ` ${frames}ms `);

/** One letter for each value; the same for equal ones. */
class Names {
  readonly values: Record<string, unknown> = {};
  readonly #byText = new Map<string, string>();

  of(value: unknown): string {
    const text = JSON.stringify(value);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const letter = LETTERS[this.#byText.size];
    if (letter === undefined) throw new Error(`A diagram can show at most ${LETTERS.length} different values`);
    this.#byText.set(text, letter);
    this.values[letter] = value;
    return letter;
  }
}

function letters(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
}
