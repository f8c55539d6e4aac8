/** What a manager knows of a server, and what it does about it. @public */
export interface ServerState {
  /**
   * - `disabled`, `refused` (by consent), `broken` (an entry that cannot be used): nothing is tried;
   * - `asking` for consent, `waiting` for its turn, `connecting`;
   * - `ready`: calls can be made;
   * - `reconnecting`: lost, tried again at `nextAttemptAt`; `probing`: the same, slowly, since it failed too often;
   * - `stopped`: failed for good until somebody asks for it, by `reconnect()` or a call;
   * - `closed`: removed, or the manager was closed.
   */
  readonly phase: 'disabled' | 'refused' | 'broken' | 'asking' | 'waiting' | 'connecting' | 'ready' | 'reconnecting' | 'probing' | 'stopped' | 'closed';
  /** What went wrong last; undefined when nothing did. */
  readonly cause?: unknown;
  /** Since when, in milliseconds since 1970. */
  readonly since: number;
  /** When it is tried again, in milliseconds since 1970; of a stopped one, from when on a call tries it. */
  readonly nextAttemptAt?: number | undefined;
}

/** Phases in which nothing more happens by itself, or is no hurry. */
export function isSettled({ phase }: ServerState): boolean {
  return phase !== 'asking' && phase !== 'waiting' && phase !== 'connecting';
}
