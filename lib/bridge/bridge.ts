import type { Observable } from 'rxjs';
import type { McpError } from '../errors.js';
import type { Diagnostic } from '../transport/diagnostic.js';

/** Who may use a bridge, and how much. @public */
export interface BridgeOptions {
  /** The loopback address to listen at; there is no other. @defaultValue '127.0.0.1' */
  readonly host?: '127.0.0.1' | '::1' | undefined;
  /** @defaultValue 0: any that is free */
  readonly port?: number | undefined;
  /**
   * Origins of the pages that may connect, exactly as browsers write them:
   * `https://app.example.com`, with the port unless it is the scheme's own.
   *
   * @defaultValue every `http` and `https` origin of `localhost`, `127.0.0.1` and `[::1]`, whatever its port
   */
  readonly origins?: readonly string[] | undefined;
  /** Whether clients without an `Origin`, which are not browsers, may connect. @defaultValue false */
  readonly allowMissingOrigin?: boolean | undefined;
  /** How long a ticket can be used, in milliseconds. @defaultValue 60_000 */
  readonly ticketTtlMs?: number | undefined;
  /** Most connections at once, each with a process of its own; those whose process is still ending count. @defaultValue 16 */
  readonly maxConnections?: number | undefined;
}

/** A bridge that listens. See {@link serveStdio}. @public */
export interface Bridge {
  /** Where it listens, such as `ws://127.0.0.1:49152/`; no secret. */
  readonly url: string;
  /** Each connection as it opens. Hot; no replay; completes when the bridge ends. */
  readonly connections$: Observable<BridgeConnection>;
  /** Each request that was refused. Hot; no replay; completes when the bridge ends. */
  readonly refusals$: Observable<BridgeRefusal>;
  /** Connections that are open, or whose process is still ending. */
  readonly connections: readonly BridgeConnection[];
  /**
   * Issues a ticket for one connection: to be handed to the page by whoever
   * serves it, and to be offered by the page as a subprotocol, which is kept
   * out of logs and histories better than a URL. It is good once, for
   * `ticketTtlMs`; of more than a thousand that are unused the oldest is dropped.
   */
  ticket(): string;
}

/** One page and the process that serves it: either end ends the other. @public */
export interface BridgeConnection {
  /** Counts from 1. */
  readonly id: number;
  /** Where the page is from; undefined if it did not say. */
  readonly origin: string | undefined;
  /** The process id of the server once it runs. */
  readonly pid: number | undefined;
  /** What the process writes to stderr. Hot; completes when it has ended. */
  readonly stderr$: Observable<string>;
  /** What was skipped, either way. Hot; completes when the connection is over. */
  readonly diagnostics$: Observable<Diagnostic>;
  /** How it ended, once the socket is closed and the process gone; replays. */
  readonly closed$: Observable<BridgeEnd>;
  /** Ends the socket and the process, whose farewells take a moment: see `closed$`. */
  close(): void;
}

/** How a connection of a bridge ended. @public */
export interface BridgeEnd {
  /** The code of the close frame, whoever sent it; 1006: there was none, the socket broke. @see RFC 6455 §7.4 */
  readonly code: number;
  readonly reason: string;
  /** What the process ended with, if it ended by itself: its exit code, signal and the end of its stderr. */
  readonly cause: McpError | undefined;
}

/** A connection that was not made. Browsers hide the answer from the page, so it is told here. @public */
export interface BridgeRefusal {
  readonly status: number;
  readonly text: string;
  /** As the request says it. */
  readonly origin: string | undefined;
}
