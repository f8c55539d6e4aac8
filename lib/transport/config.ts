/** What every kind of server configuration has. @public */
export interface CommonConfig {
  /** How the server is reached. @defaultValue 'stdio' */
  readonly type?: string | undefined;
  /** Name for errors and logs. */
  readonly name?: string | undefined;
  /** Deadline of every request and notification that names none, in milliseconds. @defaultValue 30_000 */
  readonly timeout?: number | undefined;
  /** Longest incoming message (a line, a body or an event), in bytes. @defaultValue 67_108_864 (64 MiB) */
  readonly maxMessageBytes?: number | undefined;
}

export const DEFAULT_MAX_MESSAGE_BYTES = 67_108_864;
