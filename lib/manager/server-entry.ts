import type { CommonConfig } from '../transport/config.js';

/** Where an entry was written. @public */
export interface EntryOrigin {
  /** Whose file it is, for instance `claude-code` or `vscode`. */
  readonly host: string;
  /** How far it reaches; a narrower scope wins. */
  readonly scope: 'user' | 'local' | 'project' | 'given';
  readonly file?: string | undefined;
  /** JSON pointer to the entry in the file. @see RFC 6901 */
  readonly pointer?: string | undefined;
}

/** Which tools of a server are shown: those allowed, without those denied. Patterns know `*` and `?`. @public */
export interface ToolFilter {
  /** @defaultValue all */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** One server that a manager looks after. @public */
export interface ServerEntry<Config extends CommonConfig = CommonConfig> {
  /** Unique among the entries. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** How to reach it, as for `createClient`. Not needed for an entry that cannot be used: see `problem`. */
  readonly config?: Config | undefined;
  /** Why the entry cannot be used, for instance a variable that is missing. */
  readonly problem?: Error | undefined;
  /** @defaultValue true */
  readonly enabled?: boolean | undefined;
  /** Deadline for connecting, in milliseconds. @defaultValue 60_000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Deadline for one request, in milliseconds. @defaultValue 30_000 */
  readonly requestTimeoutMs?: number | undefined;
  readonly tools?: ToolFilter | undefined;
  readonly origin?: EntryOrigin | undefined;
  /** The same entry in the same words has the same one, whatever its variables hold. @defaultValue made from the rest of the entry */
  readonly hash?: string | undefined;
  /** Oddities of how it is written. */
  readonly warnings?: readonly string[] | undefined;
  /** As it is written, before variables are filled in: for whoever is asked to consent. What is a secret in clear there is one here. */
  readonly raw?: unknown;
  /** Entries of the same name or to the same server that this one takes the place of, the strongest first. */
  readonly shadows?: readonly EntryOrigin[] | undefined;
  /** What its host lets run unasked, as written, by the names of the fields; nothing acts on it. */
  readonly approval?: Readonly<Record<string, unknown>> | undefined;
  /** What it says of OAuth, as written; nothing acts on it. */
  readonly oauth?: unknown;
}
