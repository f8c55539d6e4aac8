import { McpError } from '../../errors.js';

/** The server does not declare the Skills extension, or the part of it that is needed. @public */
export class SkillsNotSupportedError extends McpError {
  override readonly name = 'SkillsNotSupportedError';

  /** @param method - What was not sent, for instance `skills/list`. */
  constructor(readonly method: string) {
    super(`The server declares no support for ${method} (extension io.modelcontextprotocol/skills)`);
  }
}

/** The entry of a skill that must not be loaded, because it is not as the extension says or exceeds a limit. @public */
export class SkillEntryError extends McpError {
  override readonly name = 'SkillEntryError';

  /**
   * @param skill - The entry's URI, as far as it has one.
   * @param problem - What is wrong.
   * @param entry - The entry as it came.
   */
  constructor(
    readonly skill: string,
    readonly problem: string,
    readonly entry: unknown,
  ) {
    super(`The entry of the skill ${skill} cannot be used: ${problem}`);
  }
}

/**
 * In what a file differs from its skill's entry: it is not listed there; the
 * server gave nothing that could be its content; or its length, its digest or
 * its frontmatter is another.
 *
 * @public
 */
export type SkillMismatch = 'unlisted' | 'content' | 'size' | 'digest' | 'frontmatter';

/**
 * A file that is not what its skill's entry says, and so must not be used. It
 * may have been tampered with, or the entry is out of date: get it afresh, and
 * ask again for approvals that were bound to it.
 *
 * @see MCP Skills extension, "Integrity and Verification"
 * @public
 */
export class SkillMismatchError extends McpError {
  override readonly name = 'SkillMismatchError';

  /**
   * @param skill - The skill's URI.
   * @param file - The file's URI, or the path that leads nowhere.
   * @param problem - The difference in words.
   * @param expected - What the entry says: a length in bytes, a digest, or a value of the frontmatter.
   * @param actual - What came instead.
   */
  constructor(
    readonly skill: string,
    readonly file: string,
    readonly mismatch: SkillMismatch,
    readonly problem: string,
    readonly expected?: unknown,
    readonly actual?: unknown,
    options?: ErrorOptions,
  ) {
    super(`The file ${file} of the skill ${skill} cannot be used: ${problem}`, options);
  }
}
