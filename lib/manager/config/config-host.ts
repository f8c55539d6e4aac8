import type { EntryOrigin } from '../server-entry.js';

/** How far an entry reaches. @public */
export type ConfigScope = EntryOrigin['scope'];

/**
 * A notation of variables. That of the draft standard, `${env:NAME}`, `${value:text}`,
 * `${input:id}` and `${op://…}` with alternatives between `|`, is known everywhere.
 *
 * - `braces`: `${NAME}`
 * - `default`: `${NAME:-text}`, where the text may hold variables
 * - `dollar`: `$NAME`
 * - `dollar-env`: `$env:NAME`
 * - `plain-braces`: `{env:NAME}` and `{file:path}`
 * - `file`: `${file:path}`
 * - `predefined`: `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`, `${cwd}`, `${pathSeparator}` and `${/}`
 * - `secrets`: `${{ secrets.NAME }}`
 * - `bare`: in variables and headers, a value that is the name of a variable which is set
 * - `command`: in variables and headers, `!command`; it is never run, but asked for
 *
 * @public
 */
export type VariableSyntax = 'braces' | 'default' | 'dollar' | 'dollar-env' | 'plain-braces' | 'file' | 'predefined' | 'secrets' | 'bare' | 'command';

/** A file of a host. @public */
export interface ConfigHostFile {
  readonly scope: 'user' | 'project';
  /**
   * For users from `~` or an environment variable, `{NAME}` or `{NAME|otherwise}`; for projects from
   * a folder of the project. A last part `*` means every JSON and YAML file there. One for all
   * platforms, or one for each, where `linux` stands for all others.
   */
  readonly path: string | Readonly<Partial<Record<'darwin' | 'win32' | 'linux', string>>>;
  /** False for a file that only says which servers are off. @defaultValue true */
  readonly servers?: boolean | undefined;
}

/** Servers that a host switches off by name. @public */
export interface ConfigPolicy {
  readonly off?: readonly string[] | undefined;
  /** All others are off. */
  readonly only?: readonly string[] | undefined;
  /** @defaultValue all */
  readonly scope?: ConfigScope | undefined;
}

/** How a program writes its servers: one row of the table of hosts. @public */
export interface ConfigHost {
  readonly id: string;
  readonly files: readonly ConfigHostFile[];
  /** Paths to the servers in a file; the first that is there counts. @defaultValue `[['mcpServers']]` */
  readonly containers?: readonly (readonly string[])[] | undefined;
  /** Path to the servers of one project in a file of the user; {@link PROJECT} stands for its folder. */
  readonly perProject?: readonly string[] | undefined;
  readonly syntax: readonly VariableSyntax[];
  /** Unit and meaning of a field `timeout`. @defaultValue `{ unit: 'ms', of: 'request' }` */
  readonly timeout?: { readonly unit: 'ms' | 's'; readonly of: 'connect' | 'request' } | undefined;
  /** What `url` means without a type. @defaultValue 'http' */
  readonly untypedUrl?: 'http' | 'sse' | undefined;
  /** Types of entries that are no MCP servers. */
  readonly foreignTypes?: readonly string[] | undefined;
  /** Whether an empty list of allowed tools allows all. @defaultValue false */
  readonly emptyAllowsAll?: boolean | undefined;
  /** What a file of it switches off. `folders`: those of the project, the nearest first. */
  readonly policies?: ((document: Readonly<Record<string, unknown>>, folders: readonly string[]) => readonly ConfigPolicy[]) | undefined;
}

/** Stands for the folder of the project in {@link ConfigHost.perProject}. */
export const PROJECT = '<project>';
