import { ReplaySubject, type Observable } from 'rxjs';
import type { Transport } from '../transport/transport.js';
import type { JsonRpcMessage } from '../wire/message.js';
import { inWords } from './difference.js';
import { provideLazyModules } from './lazy-modules.js';
import { parseRecording, type Recording } from './recording.js';
import { ReplayConnection, type ReplayOptions } from './replay-connection.js';
import { ReplayError, ReplayMismatchError } from './testing-errors.js';

/**
 * A server that does again what was recorded: `createClient(replayed.open)`.
 *
 * A client that sends what was sent then gets what came then, under the ids
 * that it uses now. One that strays gets an error for an answer, and
 * {@link verify} tells where.
 *
 * @public
 */
export class ReplayServer {
  readonly #recording: Recording;
  readonly #options: ReplayOptions;
  readonly #connections: ReplayConnection[] = [];
  readonly #problems: ReplayMismatchError[] = [];
  readonly #problem = new ReplaySubject<ReplayMismatchError>(Infinity);

  /** Where the client strayed, those of the past included. Never ends. */
  readonly problems$: Observable<ReplayMismatchError> = this.#problem.asObservable();

  /** @throws {@link RecordingFormatError} it is no recording. */
  constructor(recording: Recording, options: ReplayOptions = {}) {
    provideLazyModules();
    this.#recording = parseRecording(recording);
    this.#options = options;
  }

  /** Makes the transport of the next recorded connection; for `createClient`. */
  readonly open = (): Transport => {
    const connection = this.#play(this.#connections.length + 1);
    this.#connections.push(connection);
    if (this.#connections.length > this.#recorded) {
      this.#report(new ReplayMismatchError({ connection: this.#connections.length, message: undefined, expected: undefined, actual: undefined, difference: undefined }));
      connection.refuse();
    } else connection.start();
    return connection.transport;
  };

  /** Everything the client has sent, over all connections. */
  get received(): readonly JsonRpcMessage[] {
    return this.#connections.flatMap(({ sent }) => sent);
  }

  /**
   * Looks whether all that was recorded happened again, and nothing else.
   *
   * @throws {@link ReplayError} it did not; the message tells of every difference.
   */
  verify(): void {
    const unopened = Array.from({ length: Math.max(0, this.#recorded - this.#connections.length) }, (_, n) => this.#play(this.#connections.length + n + 1));
    const neverSent = [...this.#connections, ...unopened].flatMap(({ missing }, n) => missing.map((message) => `connection ${n + 1}: ${inWords(message)}`));
    if (this.#problems.length + neverSent.length > 0) throw new ReplayError(this.#problems, neverSent);
  }

  /** How many connections were recorded. */
  get #recorded(): number {
    return Math.max(0, ...this.#recording.events.map(({ connection }) => connection));
  }

  #play(number: number): ReplayConnection {
    const events = this.#recording.events.filter(({ connection }) => connection === number);
    return new ReplayConnection(number, events, this.#options, (problem) => {
      this.#report(problem);
    });
  }

  #report(problem: ReplayMismatchError): void {
    this.#problems.push(problem);
    this.#problem.next(problem);
  }
}

/**
 * Makes a {@link ReplayServer}.
 *
 * @throws {@link RecordingFormatError} it is no recording, or of another version.
 * @public
 */
export function replay(recording: Recording, options?: ReplayOptions): ReplayServer {
  return new ReplayServer(recording, options);
}
