import { firstDifference, inWords } from './difference.js';
import { MarbleMismatchError } from './testing-errors.js';

/** A moment of a diagram, as RxJS compares them. */
export interface Moment {
  readonly frame: number;
  readonly notification: { readonly kind: 'N' | 'E' | 'C'; readonly value?: unknown; readonly error?: unknown };
}

/**
 * Compares what `TestScheduler` compares, and says at which frame it differs and how.
 *
 * @throws {@link MarbleMismatchError}
 */
export function assertMarbles(actual: unknown, expected: unknown): void {
  const found = firstDifference(expected, actual);
  if (found === undefined) return;
  throw new MarbleMismatchError(isDiagram(actual) && isDiagram(expected) ? diagramText(actual, expected) : `Marbles differ at ${found.path}: expected ${inWords(found.expected)}, got ${inWords(found.actual)}`, expected, actual);
}

function diagramText(actual: readonly Moment[], expected: readonly Moment[]): string {
  const at = [...actual, undefined].findIndex((moment, n) => firstDifference(expected[n], moment) !== undefined);
  const [want, got] = [expected[at], actual[at]];
  const inside = want?.notification.kind === got?.notification.kind ? firstDifference(want?.notification, got?.notification) : undefined;
  const where = inside === undefined ? '' : `\n  where ${inside.path.replace(/^(value|error)\.?/, '') || 'it'} should be ${inWords(inside.expected)}, and is ${inWords(inside.actual)}`;
  return [`Expected ${momentText(want)}, got ${momentText(got)}${where}`, listed('expected', expected, at), listed('actual', actual, at)].join('\n');
}

function listed(title: string, moments: readonly Moment[], marked: number): string {
  return [`${title}:`, ...moments.map((moment, n) => `  ${n === marked ? '>' : ' '} ${momentText(moment)}`)].join('\n');
}

function momentText(moment: Moment | undefined): string {
  if (moment === undefined) return 'nothing more';
  const { kind, value, error } = moment.notification;
  return `${moment.frame} ms: ${kind === 'N' ? inWords(value) : kind === 'E' ? `error ${inWords(error)}` : 'the end'}`;
}

function isDiagram(value: unknown): value is readonly Moment[] {
  return Array.isArray(value) && value.every((moment: Partial<Moment> | null) => typeof moment?.notification === 'object');
}
