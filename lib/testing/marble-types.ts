import type { RunHelpers } from 'rxjs/testing';
import type { ClientOptions } from '../client/client.js';
import type { ClientWith } from '../client/door.js';
import type { ClientFeature } from '../client/feature.js';
import type { McpError } from '../errors.js';
import type { McpManager } from '../manager/manager.js';
import type { ManagerOptions } from '../manager/manager-types.js';
import type { Inbound } from './inbound.js';
import type { OutboundOptions } from './outbound-view.js';
import type { ScriptedServer } from './scripted-server.js';
import type { ScriptedServerOptions } from './scripted-defaults.js';

/** @public */
export interface McpMarblesOptions<F extends readonly ClientFeature[] = readonly ClientFeature[]> extends ScriptedServerOptions {
  /**
   * `before`: the client is connected, frame 0 is after the handshake. `scripted`:
   * it is not, and the server answers when it connects. `diagram`: it is not, and
   * only the diagram and the rules answer. @defaultValue 'before'
   */
  readonly opening?: 'before' | 'scripted' | 'diagram' | undefined;
  /** Options of the client. */
  readonly client?: ClientOptions<F> | undefined;
  /** Compares what happened with a diagram, and throws; given the runner's own, failures look like its own. @defaultValue one that says at which frame what differs */
  readonly assertDeepEqual?: ((actual: unknown, expected: unknown) => unknown) | undefined;
  /** Longest time that may pass, in virtual milliseconds: what never ends is found there. @defaultValue an hour */
  readonly untilMs?: number | undefined;
}

/** How to send a diagram. @public */
export interface InboundOptions {
  /** Which server sends. @defaultValue the server of the run */
  readonly from?: ScriptedServer | undefined;
  /** What the connection ends with at `#`. @defaultValue a `ProtocolError` */
  readonly error?: McpError | undefined;
}

/** What a marble test has: the helpers of `TestScheduler.run`, a client, and its server. @public */
export interface McpMarbles<F extends readonly ClientFeature[] = readonly ClientFeature[]> extends Omit<RunHelpers, 'flush' | 'animate'> {
  /** The client. Its requests have the ids 1, 2, 3 …; those of a handshake before frame 0 do not count. */
  readonly client: ClientWith<F>;
  /** Its server: rules by `server.when(…)`. Requests that no rule is for are left to the diagram; they are in `server.unexpected` all the same. */
  readonly server: ScriptedServer;
  /** One more server, for a manager or another client. */
  scriptedServer(options?: ScriptedServerOptions): ScriptedServer;
  /** A manager of scripted servers, by name; closed at the end. */
  createManager(servers: Readonly<Record<string, ScriptedServer>>, options?: ManagerOptions): McpManager;
  /**
   * What the server sends: a message at each letter, `|` it ends the connection, `#` the transport fails.
   *
   * @param values - By letter: a message (`jsonrpc` may be missing), or {@link answerTo} and its like.
   */
  inbound(marbles: string, values?: Readonly<Record<string, Inbound>>, options?: InboundOptions): void;
  /**
   * What the client is to send; `|` it closes its connection.
   *
   * @param values - By letter: a message, or its method alone; answers are called `result` and `error`.
   * @param options - `at`: the server that gets it.
   */
  expectOutbound(marbles: string, values?: Readonly<Record<string, string | object>>, options?: OutboundOptions & { readonly at?: ScriptedServer | undefined }): void;
  /** Does something at each letter, as a user would. */
  when(marbles: string, actions: Readonly<Record<string, () => unknown>>): void;
  /** Does something at this millisecond, counted from now. */
  at(ms: number, action: () => unknown): void;
  /** The millisecond it is. */
  now(): number;
  /** Lets so many milliseconds pass; 0 does what is due now. Look at what happened then; diagrams written after it begin there, and what was sent before it does not count for {@link expectOutbound}. */
  advance(ms: number): void;
  /** Lets all time pass, and compares. Done at the end in any case. */
  flush(): void;
}
