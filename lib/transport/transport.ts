import type { Observable, Subject, Unsubscribable } from 'rxjs';
import type { McpError } from '../errors.js';
import type { JsonRpcMessage, RequestId } from '../wire/message.js';
import type { Diagnostic } from './diagnostic.js';
import type { SendContext } from './send-context.js';

/** Where a transport is in its one life. `closed` is final and says why. @public */
export type ConnectionState =
  | { readonly status: 'idle' | 'connecting' | 'connected' | 'closing' }
  | {
      readonly status: 'closed';
      /** What ended it; `undefined` after a `close()` that somebody asked for. */
      readonly cause: McpError | undefined;
    };

/** What became of a message that was sent. @public */
export type Delivery =
  /** It left: the pipe took it (`written`), the server took it (`accepted`), the head of a streamed answer came. */
  | { readonly type: 'written' | 'accepted' | 'streaming'; readonly message: JsonRpcMessage }
  /** It will get no answer, unless it is sent again. `mayHaveRun` is false only when the server surely did not act on it. */
  | {
      readonly type: 'failed';
      readonly message: JsonRpcMessage;
      readonly error: Error;
      readonly mayHaveRun: boolean;
      /** Set when the server no longer knows the session it was sent in: whether that is still the current one. */
      readonly session?: 'lost' | 'replaced' | undefined;
    };

/**
 * Framing and I/O, nothing more: what a channel to one server looks like to the layers above.
 *
 * A transport lives once: after `close()` make a new one. Everything it emits
 * goes through one queue, so all subscribers see the order of the wire, also
 * when one of them sends or closes inside its handler.
 *
 * @see MCP 2025-11-25 Transports, "Custom Transports"
 * @public
 */
export interface Transport {
  /** Every message of the server. Hot; completes on close; never errors. */
  readonly inbound$: Observable<JsonRpcMessage>;
  /** `next()` queues a message and never throws. */
  readonly outbound$: Subject<JsonRpcMessage>;
  /** What became of each outbound message. Hot; completes on close; never errors. */
  readonly deliveries$: Observable<Delivery>;
  /** Replays the current state; completes after `closed`. */
  readonly state$: Observable<ConnectionState>;
  /** What was skipped or dropped. Hot; completes on close; never errors. */
  readonly diagnostics$: Observable<Diagnostic>;
  /** What the server writes beside the protocol: stderr. Only where there is such a thing. */
  readonly stderr$?: Observable<string>;
  /** Whether each request has an answer stream of its own, whose end the server sees (HTTP). */
  readonly hasRequestStreams: boolean;
  /** Whether it reads the {@link SendContext} of messages. @defaultValue as `hasRequestStreams` */
  readonly usesContext?: boolean;

  /** Eager, replaying: starts when called, settles once. Calling again gives the same attempt. */
  connect(): Observable<void>;
  /** Eager, replaying, bounded in time. Never errors. */
  close(): Observable<void>;
  /**
   * Nobody waits any more for what becomes of this: takes it out of the queue
   * or ends its exchange. Tells the server nothing by itself.
   *
   * @param sent - The id of a request, or any other message itself.
   * @returns whether it had left, so that the server may know it.
   */
  release(sent: RequestId | JsonRpcMessage): boolean;
  /**
   * Opens the background stream for messages the server starts, where the transport has one.
   *
   * @param onGone - Told when the stream had been open, and the server does not find it any more.
   */
  startSSEListener?(context?: SendContext, onGone?: () => void): Unsubscribable;
}
