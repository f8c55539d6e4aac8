import type { LoggingMessageParams } from '../wire/mcp/logging.js';
import type { ProgressParams } from '../wire/mcp/notifications.js';
import type { TaskState } from '../wire/mcp/tasks-extension.js';
import type { JsonObject } from '../wire/message.js';
import type { AbortOptions } from './abort.js';

/** `config.timeout` when nobody says otherwise, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** How many deadlines a call may last in total when progress extends it. */
const TOTAL_FACTOR = 10;

/** How long a call may take. @public */
export interface TimeoutOptions {
  /**
   * Longest wait for the answer, or for the next progress, in milliseconds;
   * `Infinity` for none. @defaultValue `config.timeout`, else 30_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest time for the whole call, whatever progress comes, in milliseconds.
   * @defaultValue ten times `timeoutMs`
   */
  readonly maxTotalTimeoutMs?: number | undefined;
  /**
   * Whether progress starts the wait afresh. Without effect on a call that asks
   * for no progress. @defaultValue true
   */
  readonly resetTimeoutOnProgress?: boolean | undefined;
}

/** Options of one request. @public */
export interface RequestOptions extends TimeoutOptions, AbortOptions {
  /** Whether the server is asked for progress. @defaultValue whether `onProgress` is given */
  readonly progress?: boolean | undefined;
  /** Is told of progress. What it throws goes to `errors$`. */
  readonly onProgress?: ((progress: ProgressParams) => void) | undefined;
  /**
   * Who learns that the call was given up: the server too, or nobody beyond
   * this client. On HTTP the exchange ends in both cases, and since 2026-07-28
   * that alone tells the server. @defaultValue 'server'
   */
  readonly cancel?: 'server' | 'local' | undefined;
  /** More HTTP headers for this call. Other transports have none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `bypass`: asks the server in any case. Only of effect with {@link withCache}. @defaultValue 'use' */
  readonly cache?: 'use' | 'bypass' | undefined;
  /**
   * Kinds of result beside `complete` that the caller, mostly a feature, knows
   * what to do with; a result of any other kind is an error. @see MCP 2026-07-28 Base Protocol, "Results"
   */
  readonly resultTypes?: readonly string[] | undefined;
  /** Added to `params._meta`. */
  readonly meta?: JsonObject | undefined;
}

/** Options of one notification. @public */
export interface NotifyOptions {
  /** Longest wait until it is written or accepted, in milliseconds. @defaultValue `config.timeout`, else 30_000 */
  readonly timeoutMs?: number | undefined;
  /** More HTTP headers for this notification. Other transports have none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * What happens during a call, in order; the result is the last event.
 *
 * Logs are only told apart by call where the wire does: on HTTP streams.
 *
 * @public
 */
export type CallEvent<R> =
  | { readonly type: 'progress'; readonly progress: ProgressParams }
  | { readonly type: 'log'; readonly log: LoggingMessageParams }
  /** The call goes on as a task, now in this state; the first is its creation. Only with {@link withTasks}. */
  | { readonly type: 'task'; readonly task: TaskState }
  | { readonly type: 'result'; readonly result: R };

/** What can be learnt of a call on its way. */
export type CallNews = CallEvent<never> | { readonly type: 'streaming' };

/** The two clocks of a call. */
export function clocksOf(options: RequestOptions, defaultMs: number): { ms: number; totalMs: number } {
  const { timeoutMs = defaultMs, resetTimeoutOnProgress = true } = options;
  const totalMs = totalOf(options, defaultMs);
  return { ms: timeoutMs, totalMs: wantsProgress(options) && resetTimeoutOnProgress ? totalMs : Math.min(timeoutMs, totalMs) };
}

/** Longest time for all of a call, in milliseconds. */
export function totalOf({ timeoutMs, maxTotalTimeoutMs }: RequestOptions, defaultMs: number): number {
  return maxTotalTimeoutMs ?? (timeoutMs ?? defaultMs) * TOTAL_FACTOR;
}

/** Whether the server is asked for progress on this call. */
export function wantsProgress({ progress, onProgress }: RequestOptions): boolean {
  return progress ?? onProgress !== undefined;
}
