import { excerptOf } from '../../transport/diagnostic.js';
import type { Skill, SkillResource } from '../../wire/mcp/skills.js';
import { isObject } from '../../wire/message.js';
import { SkillEntryError, SkillMismatchError } from './skill-errors.js';

/** How large a skill may be. @public */
export interface SkillLimits {
  /** Most files of one skill. @defaultValue 512, which every host supports */
  readonly maxFiles?: number | undefined;
  /** Most bytes of all files of one skill; of each file where the entry lists none. @defaultValue 16 MiB, which every host supports */
  readonly maxBytes?: number | undefined;
}

export const DEFAULT_MAX_FILES = 512;
export const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

const SKILL_FILE = 'SKILL.md';
const DIGEST = /^sha256:[\da-f]{64}$/;
/** Segments that stand for the same directory, and for the one above. @see WHATWG URL, "single-dot path segment" */
const SAME = /^(?:\.|%2e)?$/i;
const ABOVE = /^(?:\.|%2e){2}$/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
/** What a segment of a URI cannot hold as it is; `%` stays, since it may be encoded already. */
const UNSAFE = /[^\w\-.~!$&'()*+,;=:@%]/gu;

/**
 * What is wrong with an entry, if anything is.
 *
 * @see MCP Skills extension, "Resources" and "Limits"
 */
export function entryProblem(entry: unknown, { maxFiles = DEFAULT_MAX_FILES, maxBytes = DEFAULT_MAX_BYTES }: SkillLimits): SkillEntryError | undefined {
  const skill = isObject(entry) ? entry : {};
  const problem = problemOf(skill, maxFiles, maxBytes);
  return problem === undefined ? undefined : new SkillEntryError(String(skill.uri), problem, entry);
}

function problemOf({ uri, frontmatter, resources }: Partial<Skill>, maxFiles: number, maxBytes: number): string | undefined {
  if (typeof uri !== 'string' || !uri.endsWith(`/${SKILL_FILE}`)) return `its uri is not that of a ${SKILL_FILE}`;
  if (!isObject(frontmatter) || typeof frontmatter.name !== 'string' || typeof frontmatter.description !== 'string') return 'its frontmatter has no name or no description';
  if (resources === 'dynamic') return undefined;
  if (!Array.isArray(resources)) return 'its resources are neither a list nor "dynamic"';
  if (resources.length > maxFiles) return `it has ${resources.length} files, and ${maxFiles} are allowed (maxFiles)`;
  const odd = resources.find((file: unknown) => !isFileOf(uri, file));
  if (odd !== undefined) return `this is no file of it: ${excerptOf(JSON.stringify(odd))}`;
  if (new Set(resources.map((file) => file.uri)).size !== resources.length) return 'it lists a file twice';
  if (!resources.some((file) => file.uri === uri)) return `it does not list its ${SKILL_FILE}`;
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  return bytes > maxBytes ? `its files have ${bytes} bytes, and ${maxBytes} are allowed (maxBytes)` : undefined;
}

function isFileOf(uri: string, file: unknown): boolean {
  if (!isObject(file)) return false;
  const { uri: fileUri, digest, size } = file;
  const root = rootOf(uri);
  if (typeof fileUri !== 'string' || !fileUri.startsWith(root)) return false;
  if (fileUri.slice(root.length).split('/').some((segment) => SAME.test(segment) || ABOVE.test(segment))) return false;
  return typeof digest === 'string' && DIGEST.test(digest) && Number.isSafeInteger(size) && (size as number) >= 0;
}

/** The skill's directory, with a slash at its end. */
function rootOf(uri: string): string {
  return uri.slice(0, -SKILL_FILE.length);
}

/** A file to read: where it is, and what the entry says of it, unless the skill is dynamic. */
export interface WantedFile {
  readonly uri: string;
  readonly listed: SkillResource | undefined;
}

/**
 * The file that a path means: a relative reference in the skill, or a file's URI.
 *
 * @throws {@link SkillMismatchError} it leads out of the skill, or to what the entry does not list.
 * @see MCP Skills extension, "Relative References" and "The Acting Window and the Held Entry"
 */
export function findFile({ uri, resources }: Skill, path: string): WantedFile {
  const root = rootOf(uri);
  const segments = segmentsOf(path.startsWith(root) ? path.slice(root.length) : path);
  if (segments === undefined) throw new SkillMismatchError(uri, path, 'unlisted', 'it is outside of the skill');
  const plain = root + segments.join('/');
  const encoded = root + segments.map((segment) => segment.replace(UNSAFE, encodeURIComponent)).join('/');
  if (resources === 'dynamic') return { uri: encoded, listed: undefined };
  const listed = resources.find((file) => file.uri === plain) ?? resources.find((file) => file.uri === encoded);
  if (listed === undefined) throw new SkillMismatchError(uri, plain, 'unlisted', "the skill's entry does not list it");
  return { uri: listed.uri, listed };
}

/** Undefined when a path leads above where it starts, or is a URI of elsewhere. */
function segmentsOf(path: string): string[] | undefined {
  if (SCHEME.test(path)) return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (ABOVE.test(segment)) {
      if (segments.pop() === undefined) return undefined;
    } else if (!SAME.test(segment)) segments.push(segment);
  }
  return segments;
}
