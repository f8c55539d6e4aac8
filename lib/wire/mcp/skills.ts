/**
 * Skills: directories of instructions for an agent, which a server offers as
 * resources. An extension of MCP, not part of the core protocol.
 *
 * @see SEP-2640; MCP extension `io.modelcontextprotocol/skills`, built on 2026-07-28
 * @module
 */
import type { CacheableResult, Meta, PaginatedParams, PaginatedResult, RequestParams } from './meta.js';
import type { Resource } from './resource-types.js';

/**
 * One file of a skill.
 *
 * @see MCP Skills extension, "Skill Entries"
 * @public
 */
export interface SkillResource {
  uri: string;
  /** Of the raw bytes: `sha256:` and 64 lowercase hexadecimal digits. */
  digest: string;
  /** Length of the raw bytes. */
  size: number;
}

/**
 * What the author wrote at the top of `SKILL.md`, as JSON.
 *
 * @see MCP Skills extension, "Frontmatter"
 * @public
 */
export interface SkillFrontmatter {
  [field: string]: unknown;
  /** A label; not unique. */
  name: string;
  description: string;
}

/**
 * Entry of a skill, in `skills/list` as in `skills/get`.
 *
 * @see MCP Skills extension, "Skill Entries"
 * @public
 */
export interface Skill {
  /** Of the skill's `SKILL.md`; tells skills of one server apart. */
  uri: string;
  frontmatter: SkillFrontmatter;
  /** Every file, `SKILL.md` included; `dynamic` where the content has no stable digests. */
  resources: SkillResource[] | 'dynamic';
  _meta?: Meta | undefined;
}

/** Params of `skills/list`. @see MCP Skills extension, "Listing Skills" @public */
export type ListSkillsParams = PaginatedParams;

/** Result of `skills/list`; may leave skills out. @see MCP Skills extension, "Listing Skills" @public */
export interface ListSkillsResult extends PaginatedResult, CacheableResult {
  skills: Skill[];
}

/** Params of `skills/get`. @see MCP Skills extension, "Getting a Skill" @public */
export interface GetSkillParams extends RequestParams {
  /** Of the skill's `SKILL.md`. */
  uri: string;
}

/** Result of `skills/get`. @see MCP Skills extension, "Getting a Skill" @public */
export interface GetSkillResult extends CacheableResult {
  skill: Skill;
}

/** Params of `resources/directory/read`. @see MCP Skills extension, "Reading Directories" @public */
export interface ReadDirectoryParams extends PaginatedParams {
  /** Of the directory, without a slash at its end. */
  uri: string;
}

/** Result of `resources/directory/read`: what lies directly in it. @see MCP Skills extension, "Reading Directories" @public */
export interface ReadDirectoryResult extends PaginatedResult, CacheableResult {
  /** Directories have the media type `inode/directory`. */
  resources: Resource[];
}
