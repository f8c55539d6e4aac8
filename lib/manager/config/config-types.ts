import type { ObservableInput } from 'rxjs';
import type { ServerEntry } from '../server-entry.js';
import type { ConfigHost, ConfigScope } from './config-host.js';
import type { ConfigHostId } from './hosts.js';

/** A file to read. @public */
export interface ConfigFile {
  readonly path: string;
  /** In whose notation it is. @defaultValue told by the path, else by the shape */
  readonly host?: ConfigHostId | ConfigHost | undefined;
  /** @defaultValue 'given' */
  readonly scope?: ConfigScope | undefined;
}

/** A value that is not in the environment. @public */
export interface ResolveRequest {
  /** `input`: asked of the user; `secret`: from a store of secrets, an `op://…` address among them; `command`: what a command prints. */
  readonly kind: 'input' | 'secret' | 'command';
  readonly id: string;
  /** The server that needs it. */
  readonly server: string;
  /** For instance `headers.Authorization`. */
  readonly field: string;
  readonly file: string | undefined;
  /** What the file says of an input: its description, whether it is a password. */
  readonly definition: Readonly<Record<string, unknown>> | undefined;
}

/** @public */
export interface ConfigOptions {
  /** Whose files are read, the strongest first; `all`: of every known host. @defaultValue none */
  readonly hosts?: 'all' | readonly (ConfigHostId | ConfigHost)[] | undefined;
  /** More files, stronger than those of hosts; among them a narrower scope wins, then the first. */
  readonly files?: readonly (string | ConfigFile)[] | undefined;
  /** Entries of the program, stronger than all files. */
  readonly entries?: readonly ServerEntry[] | undefined;
  /** Which scopes of hosts are read; without `project`, nothing that comes with a folder. @defaultValue all */
  readonly scopes?: readonly ('user' | 'local' | 'project')[] | undefined;
  /** Servers that are off, whatever files say. */
  readonly disabledServers?: readonly string[] | undefined;
  /** Servers that are on, whatever files say; `disabledServers` is stronger. */
  readonly enabledServers?: readonly string[] | undefined;
  /** What an entry does that has the command and variables, or the URL and headers, of a stronger one with another name. @defaultValue 'shadow' */
  readonly sameEndpoint?: 'shadow' | 'keep' | undefined;
  /**
   * What becomes of a variable that is not there: an entry that cannot be used (see
   * {@link MissingVariableError}); nothing in its place; or the text as it is written, in commands,
   * arguments and folders alone, since it must never go out in the place of a secret. @defaultValue 'error'
   */
  readonly missing?: 'error' | 'empty' | 'literal' | undefined;
  /**
   * Gives values of inputs, secrets and commands, one at a time, each once; its first value counts, and none, or `undefined`, is missing.
   * Only asked for what an enabled server needs. Loading waits for it.
   */
  readonly resolve?: ((request: ResolveRequest) => ObservableInput<string | undefined>) | undefined;
  /** What processes inherit beyond `INHERITED_VARIABLES`: everything, or variables by name. */
  readonly inheritEnv?: 'all' | readonly string[] | undefined;
  /** The folder of the project, or one in it; project files are looked for from here up. @defaultValue that of this process */
  readonly cwd?: string | undefined;
  /** Where looking up ends. @defaultValue the next folder with `.git`; where there is none, `cwd` */
  readonly root?: string | undefined;
  /** @defaultValue that of the user */
  readonly home?: string | undefined;
  /** @defaultValue that of this process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** `darwin`, `win32` or `linux`: where hosts have their files. @defaultValue this one */
  readonly platform?: string | undefined;
}

/** Something odd, which did not keep the rest from being read. @public */
export interface ConfigWarning {
  /**
   * - `missing`, `unreadable`, `broken`: a file that was named and is not there, cannot be read, or is no JSON, TOML or YAML;
   * - `kept`: a file is broken, and what it said before still counts;
   * - `file`, `entry`: an oddity of a file or an entry;
   * - `shadowed`: an entry that does not count, since a stronger one has its name or its endpoint;
   * - `watch`: changes cannot be seen.
   */
  readonly kind: 'missing' | 'unreadable' | 'broken' | 'kept' | 'file' | 'entry' | 'shadowed' | 'watch';
  /** Says all, with file and place. */
  readonly message: string;
  readonly server?: string | undefined;
  readonly file?: string | undefined;
  /** From 1, as `column`. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What configuration says at one moment. @public */
export interface ConfigSnapshot {
  /** Of different names; the strongest first. */
  readonly entries: readonly ServerEntry[];
  readonly warnings: readonly ConfigWarning[];
}

/** A snapshot, and which names differ from the one before. @public */
export interface ConfigChange extends ConfigSnapshot {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}
