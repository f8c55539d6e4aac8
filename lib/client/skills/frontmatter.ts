import type { load } from 'js-yaml';
import { isObject, type JsonObject } from '../../wire/message.js';

/** Longest frontmatter that is parsed, in characters. */
const MAX_LENGTH = 65_536;
/** How deep it may be; js-yaml counts itself, except through aliases. */
const MAX_DEPTH = 100;
const MAX_ALIASES = 100;

/** What is needed of js-yaml. */
export interface Yaml {
  readonly load: typeof load;
}

/** A Markdown file in its two parts. */
export interface FrontmatterFile {
  readonly frontmatter: JsonObject;
  /** What follows it. */
  readonly body: string;
}

/**
 * Parses the frontmatter of a Markdown file: YAML 1.2, core schema.
 *
 * @throws {Error} there is none, or it is no YAML mapping; the message says which.
 */
export function parseFrontmatter(text: string, yaml: Yaml): FrontmatterFile {
  const [all = '', frontmatterText = ''] = /^\ufeff?---[ \t]*\r?\n((?:[^]*?\n)??)---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (all === '') throw new Error('it has no frontmatter');
  if (frontmatterText.length > MAX_LENGTH) throw new Error(`its frontmatter is longer than ${MAX_LENGTH} characters`);
  const frontmatter = parse(frontmatterText, yaml);
  if (!isObject(frontmatter)) throw new Error('its frontmatter is no mapping');
  return { frontmatter, body: text.slice(all.length) };
}

function parse(text: string, yaml: Yaml): unknown {
  try {
    return yaml.load(text, { maxDepth: MAX_DEPTH, maxAliases: MAX_ALIASES });
  } catch (error) {
    throw new Error(`its frontmatter is no YAML: ${(error as { reason?: string }).reason ?? String(error)}`, { cause: error });
  }
}

/** Where two values differ, and how. */
export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The first difference between two JSON values, whatever the order of keys; what is too deep differs. */
export function firstDifference(expected: unknown, actual: unknown, path = '', depth = 0): Difference | undefined {
  if (expected === actual) return undefined;
  const areLists = Array.isArray(expected) && Array.isArray(actual);
  if (depth >= MAX_DEPTH || !(areLists || (isObject(expected) && isObject(actual)))) return { path, expected, actual };
  const [left, right] = [expected, actual] as [JsonObject, JsonObject];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = path === '' ? key : `${path}.${key}`;
    const found = firstDifference(own(left, key), own(right, key), inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Not what the prototype has under that name. */
function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
