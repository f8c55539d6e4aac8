import { asyncScheduler, EMPTY, filter, isObservable, map, merge, mergeMap, switchMap, type Observable, type Unsubscribable } from 'rxjs';
import type { McpClient } from '../client/client.js';
import type { WireRecord } from '../session/connection.js';
import { RpcError } from '../errors.js';
import type { Delivery } from '../transport/transport.js';
import { isJsonRpcMessage, isObject, isRequest, type JsonRpcMessage } from '../wire/message.js';
import { RecordingFormatError } from './testing-errors.js';

const FORMAT = 'rxjs-mcp/recording';
const VERSION = 1;

/** Why a request got no answer: the error's class, and what it says. @public */
export interface RecordedFailure {
  readonly name: string;
  readonly text: string;
  /** The HTTP status, where there was one. */
  readonly status?: number | undefined;
  /** The code and the data of an {@link RpcError}. */
  readonly code?: number | undefined;
  readonly data?: unknown;
}

/** Something that passed between a client and its server. @public */
export interface RecordedEvent {
  /** To the client, from it, that a request got no answer, as by an HTTP error, or that the server ended the connection. */
  readonly direction: 'in' | 'out' | 'failed' | 'end';
  /** Milliseconds since the recording began. */
  readonly ms: number;
  /** Which connection of the client, from 1. */
  readonly connection: number;
  /** Absent where `direction` is `end`; where it is `failed`, the request. */
  readonly message?: JsonRpcMessage;
  /** Only where `direction` is `failed`. */
  readonly failure?: RecordedFailure;
}

/** What passed between a client and its server: plain data, to be kept as JSON. @public */
export interface Recording {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  /** In the order in which it happened. */
  readonly events: readonly RecordedEvent[];
}

/** @public */
export interface RecordOptions {
  /** Changes each message before it is kept, to leave secrets out. It must not change ids. */
  readonly redact?: ((message: JsonRpcMessage, direction: 'in' | 'out') => JsonRpcMessage) | undefined;
}

/** A recording that goes on until it is unsubscribed. @public */
export interface WireRecorder extends Unsubscribable {
  /** What was recorded so far. */
  toRecording(): Recording;
  /** The same as JSON text, one event a line, given to what writes it: `recorder.save((text) => writeFile('a.json', text))`. */
  save<T>(write: (text: string) => T): T;
}

/**
 * Records what passes between a client and its server. Begin before
 * `connect()`, so that the handshake is in it.
 *
 * @param source - The client; or a stream such as `client.wire$`, which counts as one connection.
 * @public
 */
export function recordWire(source: Pick<McpClient, 'connection$'> | Observable<WireRecord>, { redact = (message) => message }: RecordOptions = {}): WireRecorder {
  const start = asyncScheduler.now();
  const events: RecordedEvent[] = [];
  const happened$: Observable<Happened> = isObservable(source) ? (source).pipe(map((record) => ({ connection: 1, ...record }))) : overConnections(source);
  const subscription = happened$.subscribe(({ direction, connection, message, failure }) => {
    const kept = message && { message: copied(redact(message, direction === 'in' ? 'in' : 'out')) };
    events.push({ direction, ms: asyncScheduler.now() - start, connection, ...kept, ...(failure && { failure }) });
  });
  const toRecording = (): Recording => ({ format: FORMAT, version: VERSION, events: [...events] });
  return {
    toRecording,
    save: (write) => write(textOf(toRecording())),
    unsubscribe: () => {
      subscription.unsubscribe();
    },
  };
}

/**
 * A recording from its JSON, parsed or not.
 *
 * @throws {@link RecordingFormatError} it is none, or of a version that is not known here.
 * @public
 */
export function parseRecording(json: unknown): Recording {
  const value = typeof json === 'string' ? parsed(json) : json;
  if (!isObject(value) || value.format !== FORMAT || !Array.isArray(value.events)) throw new RecordingFormatError('This is no recording of rxjs-mcp');
  if (value.version !== VERSION) throw new RecordingFormatError(`This recording has version ${String(value.version)}; version ${VERSION} is known here`);
  for (const [n, event] of (value.events as unknown[]).entries()) {
    if (!isEvent(event)) throw new RecordingFormatError(`Event ${n + 1} of the recording is not as it should be`);
  }
  return value as unknown as Recording;
}

type Happened = Omit<RecordedEvent, 'ms'>;

function overConnections({ connection$ }: Pick<McpClient, 'connection$'>): Observable<Happened> {
  let connection = 0;
  return connection$.pipe(
    switchMap((current) => {
      if (current === undefined) return EMPTY;
      const number = ++connection;
      const ended$ = current.state$.pipe(
        filter((state) => state.status === 'closed' && state.cause !== undefined),
        map(() => ({ direction: 'end' as const })),
      );
      return merge(current.wire$, current.deliveries$.pipe(mergeMap(failureIn)), ended$).pipe(map((happened) => ({ ...happened, connection: number })));
    }),
  );
}

function failureIn(delivery: Delivery): Pick<Happened, 'direction' | 'message' | 'failure'>[] {
  if (delivery.type !== 'failed' || !isRequest(delivery.message)) return [];
  const { message, error } = delivery;
  const { name, status, text = error.message } = error as Error & { readonly status?: number; readonly text?: string };
  const answer = error instanceof RpcError ? { text: error.detail, code: error.code, ...(error.data !== undefined && { data: error.data }) } : { text };
  return [{ direction: 'failed', message, failure: { name, ...(status !== undefined && { status }), ...answer } }];
}

function textOf({ format, version, events }: Recording): string {
  const lines = events.map((event) => `    ${JSON.stringify(event)}`);
  return `{\n  "format": ${JSON.stringify(format)},\n  "version": ${version},\n  "events": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

const copied = (message: JsonRpcMessage): JsonRpcMessage => JSON.parse(JSON.stringify(message)) as JsonRpcMessage;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordingFormatError(`This is no recording: ${String(error)}`, { cause: error });
  }
}

function isEvent(event: unknown): event is RecordedEvent {
  if (!isObject(event) || typeof event.ms !== 'number' || typeof event.connection !== 'number') return false;
  if (event.direction === 'end') return true;
  return (event.direction === 'in' || event.direction === 'out' || (event.direction === 'failed' && isObject(event.failure))) && isJsonRpcMessage(event.message);
}
