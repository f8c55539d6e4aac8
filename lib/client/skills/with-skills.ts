import { concatMap, defer, map, type Observable } from 'rxjs';
import type { RequestOptions } from '../../session/request-options.js';
import type { Resource } from '../../wire/mcp/resource-types.js';
import type { Skill } from '../../wire/mcp/skills.js';
import { isObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';
import type { ClientFeature } from '../feature.js';
import { listMethod, type ListMethod } from '../lists.js';
import { DEFAULT_MAX_BYTES, entryProblem, findFile, type SkillLimits } from './skill-entry.js';
import { SkillEntryError, SkillsNotSupportedError } from './skill-errors.js';
import { platformSha256, verified, type Sha256, type SkillDocument, type SkillFile } from './skill-file.js';

/** The extension's name, under `capabilities.extensions`. */
const EXTENSION = 'io.modelcontextprotocol/skills';
const SKILL_FILE = 'SKILL.md';

/** @public */
export interface SkillsOptions extends SkillLimits {
  /** Hashes what is read. @defaultValue by `crypto.subtle`, which pages have over HTTPS and on localhost only */
  readonly sha256?: Sha256 | undefined;
}

/** What {@link withSkills} adds to a client. Everything is cold. @public */
export interface SkillsApi {
  /**
   * The entries of the skills that the server lists; it may serve others too. Reads
   * no file. Entries that must not be used are left out; `errors$` has a
   * {@link SkillEntryError} for each.
   *
   * @throws {@link SkillsNotSupportedError} the server does not declare the extension.
   * @throws as {@link McpClient.request}
   */
  readonly listSkills: ListMethod<Skill>;
  /**
   * The entry of one skill, as it is now, whether it is listed or not.
   *
   * @param uri - Of its `SKILL.md`.
   * @throws {@link SkillEntryError} it must not be used, or is that of another skill.
   * @throws {@link SkillsNotSupportedError} the server does not declare the extension.
   * @throws as {@link McpClient.request}; `RpcError` -32602: there is no such skill.
   */
  getSkill(uri: string, options?: RequestOptions): Observable<Skill>;
  /**
   * The `SKILL.md` of a skill, once it has turned out to be what the entry says.
   * The parser for its YAML is imported with the first one.
   *
   * @param skill - The entry that the user approved; of this server.
   * @throws {@link SkillMismatchError} it is not what the entry says.
   * @throws {@link SkillEntryError} the entry must not be used.
   * @throws as {@link McpClient.request}
   */
  readSkill(skill: Skill, options?: RequestOptions): Observable<SkillDocument>;
  /**
   * Another file of a skill, checked likewise. What the entry does not list is not
   * read. Files of a skill without digests (`dynamic`) are as the server gives them.
   *
   * @param path - As in the skill's text, relative to its directory; or a file's URI.
   * @throws as {@link readSkill}
   */
  readSkillFile(skill: Skill, path: string, options?: RequestOptions): Observable<SkillFile>;
  /**
   * What lies directly in a directory, for skills whose entry lists no files.
   *
   * @param uri - Without a slash at its end.
   * @throws {@link SkillsNotSupportedError} the server does not declare `directoryRead`.
   * @throws as {@link McpClient.request}
   */
  listSkillDirectory(uri: string, options?: RequestOptions): Observable<Resource[]>;
}

/**
 * Adds {@link SkillsApi}: instructions for an agent that a server offers. No file
 * is read before it is asked for, none is given out that is not what its entry
 * says. That a file matches says nothing of whether the server can be trusted:
 * asking the user, and telling the model where a skill is from, is up to the caller.
 *
 * @see SEP-2640; MCP extension `io.modelcontextprotocol/skills`
 * @public
 */
export function withSkills(options: SkillsOptions = {}): ClientFeature<SkillsApi> {
  return {
    name: 'skills',
    capabilities: { extensions: { [EXTENSION]: {} } },
    extend: (client, report) => skillsOf(client, report, options),
  };
}

function skillsOf(client: McpClient, report: (error: unknown) => void, { sha256 = platformSha256, ...limits }: SkillsOptions): SkillsApi {
  const { maxBytes = DEFAULT_MAX_BYTES } = limits;

  /** A call that the server has declared; without a connection it fails as any call does. */
  const declared = <T>(method: string, call: () => Observable<T>): Observable<T> =>
    defer(() => {
      const extension = client.capabilities?.extensions?.[EXTENSION];
      const isDeclared = isObject(extension) && (method !== 'resources/directory/read' || extension.directoryRead === true);
      if (client.connected && !isDeclared) throw new SkillsNotSupportedError(method);
      return call();
    });
  const usable = (skill: Skill): Skill => {
    const problem = entryProblem(skill, limits);
    if (problem !== undefined) throw problem;
    return skill;
  };
  const isUsable = (skill: Skill): boolean => {
    const problem = entryProblem(skill, limits);
    if (problem !== undefined) report(problem);
    return problem === undefined;
  };
  const read = (skill: Skill, path: string, options?: RequestOptions): Observable<SkillFile> =>
    defer(() => {
      const file = findFile(usable(skill), path);
      return client.readResource(file.uri, options).pipe(concatMap((result) => verified(skill, file, result.contents, sha256, maxBytes)));
    });

  return {
    listSkills: listMethod<Skill>({
      method: 'skills/list',
      itemsKey: 'skills',
      idKey: 'uri',
      usable: (skills) => skills.filter(isUsable),
      fetch: (params, options) => declared('skills/list', () => client.request('skills/list', params, options)),
    }),
    getSkill: (uri, options) =>
      declared('skills/get', () => client.request('skills/get', { uri }, options)).pipe(
        map(({ skill }) => {
          if (usable(skill).uri !== uri) throw new SkillEntryError(uri, `it is that of another skill, ${skill.uri}`, skill);
          return skill;
        }),
      ),
    readSkill: (skill, options) => read(skill, SKILL_FILE, options) as Observable<SkillDocument>,
    readSkillFile: read,
    listSkillDirectory: (uri, options) => {
      const method = 'resources/directory/read';
      const list = listMethod<Resource>({
        method,
        itemsKey: 'resources',
        idKey: 'uri',
        fetch: (page, callOptions) => declared(method, () => client.request(method, { ...page, uri }, callOptions)),
      });
      return list(options);
    },
  };
}
