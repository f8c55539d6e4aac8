import { concatMap, defer, map, of, tap, type Observable, type ObservableInput } from 'rxjs';
import { ConfigError } from '../../errors.js';
import { firstOf } from '../../transport/first-of.js';
import type { BlobResourceContents, TextResourceContents } from '../../wire/mcp/resource-types.js';
import type { Skill, SkillFrontmatter } from '../../wire/mcp/skills.js';
import { LazyModule } from '../lazy-module.js';
import { firstDifference, parseFrontmatter, type FrontmatterFile, type Yaml } from './frontmatter.js';
import type { WantedFile } from './skill-entry.js';
import { SkillMismatchError, type SkillMismatch } from './skill-errors.js';

/** The parser for frontmatter. */
export const yamlModule = /* @__PURE__ */ new LazyModule<Yaml>(() => import('js-yaml'));

/** The SHA-256 hash of some bytes; the first value counts. @public */
export type Sha256 = (bytes: Uint8Array) => ObservableInput<ArrayBuffer | Uint8Array>;

/** A file of a skill, as its entry says it is. @public */
export interface SkillFile {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
  /** Undefined where the server gave the file as binary data. */
  readonly text: string | undefined;
}

/** The `SKILL.md` of a skill, as its entry says it is. Untrusted input for a model. @public */
export interface SkillDocument extends SkillFile {
  readonly text: string;
  /** The text without the frontmatter. */
  readonly body: string;
  readonly frontmatter: SkillFrontmatter;
}

/**
 * What was read of a file, checked against the entry before any of it is given
 * out: length, digest and, of `SKILL.md`, the frontmatter. Of a dynamic skill
 * only the last can be, and the length against `maxBytes`.
 *
 * @throws {@link SkillMismatchError}
 * @see MCP Skills extension, "Integrity and Verification"
 */
export function verified(skill: Skill, { uri, listed }: WantedFile, contents: unknown, sha256: Sha256, maxBytes: number): Observable<SkillFile> {
  const fail = (mismatch: SkillMismatch, problem: string, expected?: unknown, actual?: unknown, cause?: unknown) =>
    new SkillMismatchError(skill.uri, uri, mismatch, problem, expected, actual, cause === undefined ? undefined : { cause });

  const fileOf = (): SkillFile => {
    const content = contentOf(uri, contents);
    const bytes = bytesOf(content);
    if (bytes === undefined) throw fail('content', 'the server gave no content for it');
    return { uri, mimeType: content?.mimeType, bytes, text: typeof content?.text === 'string' ? content.text : undefined };
  };
  const checkSize = ({ length }: Uint8Array) => {
    if (listed === undefined && length > maxBytes) throw fail('size', `it has ${length} bytes, and ${maxBytes} are allowed (maxBytes)`, maxBytes, length);
    if (listed !== undefined && length !== listed.size) throw fail('size', `its entry says ${listed.size} bytes, and ${length} came`, listed.size, length);
  };
  const checkDigest = (hash: ArrayBuffer | Uint8Array) => {
    const digest = `sha256:${hexOf(hash)}`;
    if (digest !== listed?.digest) throw fail('digest', `its entry says ${listed?.digest}, and ${digest} came`, listed?.digest, digest);
  };
  const documentOf = (file: SkillFile, yaml: Yaml): SkillDocument => {
    const text = file.text ?? decoded(file.bytes);
    if (text === undefined) throw fail('content', 'it is no UTF-8 text');
    let parsed: FrontmatterFile;
    try {
      parsed = parseFrontmatter(text, yaml);
    } catch (error) {
      throw fail('frontmatter', (error as Error).message, skill.frontmatter, undefined, error);
    }
    const difference = firstDifference(skill.frontmatter, parsed.frontmatter);
    if (difference !== undefined) throw fail('frontmatter', `its frontmatter differs from its entry in "${difference.path}"`, difference.expected, difference.actual);
    return { ...file, text, body: parsed.body, frontmatter: parsed.frontmatter as SkillFrontmatter };
  };

  return defer(() => {
    const file = fileOf();
    checkSize(file.bytes);
    const checked$ = listed === undefined ? of(file) : hashed(file.bytes, sha256).pipe(tap(checkDigest), map(() => file));
    if (uri !== skill.uri) return checked$;
    return checked$.pipe(concatMap((checked) => yamlModule.module$.pipe(map((yaml) => documentOf(checked, yaml)))));
  });
}

/** By the platform. Pages have it in secure contexts only: HTTPS and localhost. */
export const platformSha256: Sha256 = (bytes) => {
  const { subtle } = globalThis.crypto as Partial<Crypto>;
  if (subtle === undefined) throw new ConfigError('There is no SHA-256 here: crypto.subtle is for secure contexts only; give withSkills() the option sha256');
  return subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
};

function hashed(bytes: Uint8Array, sha256: Sha256): Observable<ArrayBuffer | Uint8Array> {
  return firstOf(() => sha256(bytes), () => new ConfigError('The option sha256 of withSkills() gave no value'));
}

type Content = Partial<TextResourceContents & BlobResourceContents>;

function contentOf(uri: string, contents: unknown): Content | undefined {
  if (!Array.isArray(contents)) return undefined;
  return contents.find((content: Content | null) => content?.uri === uri) as Content | undefined;
}

/** Undefined where there are none, or no base64. */
function bytesOf(content: Content | undefined): Uint8Array | undefined {
  if (typeof content?.text === 'string') return new TextEncoder().encode(content.text);
  if (typeof content?.blob !== 'string') return undefined;
  try {
    return Uint8Array.from(atob(content.blob), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function hexOf(hash: ArrayBuffer | Uint8Array): string {
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
