import { excerptOf } from '../transport/diagnostic.js';

/** Where two values first differ. @public */
export interface Difference {
  /** Like `params.arguments.list[2]`; empty where the values as a whole differ. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * The first difference between two values, in depth.
 *
 * A property that is `undefined` counts as absent. Errors are compared by name,
 * message and their own properties; what is neither JSON nor an error, a date, a
 * map or a set by its enumerable properties.
 */
export function firstDifference(expected: unknown, actual: unknown, path = '', above: readonly unknown[] = []): Difference | undefined {
  if (Object.is(expected, actual)) return undefined;
  const here = { path, expected, actual };
  if (!isComposite(expected) || !isComposite(actual) || Array.isArray(expected) !== Array.isArray(actual)) return here;
  if (above.includes(actual)) return undefined; // a cycle: compared further up
  if (kindOf(expected) !== kindOf(actual)) return here;
  const [a, b] = [partsOf(expected), partsOf(actual)];
  const inside = [...above, actual];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(a[key], b[key], joined(path, key, Array.isArray(expected)), inside);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether `actual` has everything that `pattern` has; what else it has does not matter. Arrays must match as a whole. */
export function matches(pattern: unknown, actual: unknown): boolean {
  if (!isComposite(pattern) || !isComposite(actual) || Array.isArray(pattern)) return firstDifference(pattern, actual) === undefined;
  return Object.entries(pattern).every(([key, value]) => matches(value, (actual as Record<string, unknown>)[key]));
}

/** A value as text for people, short enough for a line. */
export function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return excerptOf(jsonOf(value) ?? (typeof value === 'object' ? 'an object without JSON' : `a ${typeof value}`));
}

/** Undefined where there is none: a function, a cycle. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null;

function kindOf(value: object): string {
  if (value instanceof Error) return value.name;
  return Object.prototype.toString.call(value);
}

function partsOf(value: object): Record<string, unknown> {
  if (value instanceof Date) return { time: value.getTime() };
  if (value instanceof Map || value instanceof Set) return Object.fromEntries([...value].map((item, n) => [n, item]));
  return value instanceof Error ? { ...Object.fromEntries(Object.entries(value)), message: value.message } : (value as Record<string, unknown>);
}

function joined(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  if (!/^[\w$]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
