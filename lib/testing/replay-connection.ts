import { asyncScheduler, Subscription } from 'rxjs';
import { HttpError, NoResponseError, ProtocolError, RpcError } from '../errors.js';
import type { Transport } from '../transport/transport.js';
import { INTERNAL_ERROR } from '../wire/codes.js';
import { isRequest, isResponse, type JsonRpcMessage, type RequestId } from '../wire/message.js';
import { firstDifference } from './difference.js';
import { MemoryEnd } from './memory-end.js';
import type { RecordedEvent, RecordedFailure } from './recording.js';
import { comparable, readdressed, tokenOf, type MessagePath } from './replay-matching.js';
import { ReplayMismatchError } from './testing-errors.js';

/** How to play a recording. @public */
export interface ReplayOptions {
  /** When the server's messages come: as soon as they can, or as long after what led to them as when it was recorded. @defaultValue 'at-once' */
  readonly times?: 'recorded' | 'at-once' | undefined;
  /** Whether what the client sends must come in the recorded order, or only must come. @defaultValue 'loose' */
  readonly order?: 'strict' | 'loose' | undefined;
  /** Places in the client's messages that may differ. The client's version may in any case. */
  readonly ignore?: readonly MessagePath[] | undefined;
}

/** What the client is expected to send. */
interface Step {
  readonly message: JsonRpcMessage;
  readonly index: number;
  readonly ms: number;
  isDone: boolean;
  /** Done, or something else was sent in its place: nothing waits for it any more. */
  isPassed: boolean;
}

/** What the server does once what led to it has come. */
interface Cue {
  readonly event: RecordedEvent;
  /** The request that it is about. */
  readonly request: Step | undefined;
  readonly after: readonly Step[];
  isDone: boolean;
}

/** Plays one connection of a recording. */
export class ReplayConnection {
  readonly sent: JsonRpcMessage[] = [];
  readonly #number: number;
  readonly #options: ReplayOptions;
  readonly #comparable: ReturnType<typeof comparable>;
  readonly #onProblem: (problem: ReplayMismatchError) => void;
  readonly #steps: readonly Step[];
  readonly #cues: readonly Cue[];
  /** Recorded ids and progress tokens, and those of now. */
  readonly #idsNow = new Map<RequestId, RequestId>();
  readonly #idsThen = new Map<RequestId, RequestId>();
  readonly #tokens = new Map<unknown, unknown>();
  readonly #work = new Subscription();
  readonly #end = new MemoryEnd({
    take: (message) => {
      this.#take(message);
    },
    gone: () => {
      this.#work.unsubscribe();
    },
  });

  constructor(number: number, events: readonly RecordedEvent[], options: ReplayOptions, onProblem: (problem: ReplayMismatchError) => void) {
    this.#number = number;
    this.#options = options;
    this.#comparable = comparable(options.ignore ?? []);
    this.#onProblem = onProblem;
    this.#steps = events.flatMap(({ direction, message, ms }, index) => (direction === 'out' && message !== undefined ? [{ message, index, ms, isDone: false, isPassed: false }] : []));
    this.#cues = events.flatMap((event, index) => (event.direction === 'out' ? [] : [cueFor(event, this.#steps.filter((step) => step.index < index))]));
  }

  get transport(): Transport {
    return this.#end;
  }

  /** What of the recording the client has not sent yet. */
  get missing(): readonly JsonRpcMessage[] {
    return this.#steps.filter(({ isDone }) => !isDone).map(({ message }) => message);
  }

  /** Does what the server did before the client sent anything. */
  start(): void {
    this.#goOn();
  }

  /** Ends a connection that was not recorded. */
  refuse(): void {
    this.#end.endsNow();
  }

  #take(message: JsonRpcMessage): void {
    this.sent.push(message);
    const waiting = this.#steps.filter(({ isDone }) => !isDone);
    const step = waiting.find((candidate) => this.#differenceTo(candidate, message) === undefined);
    const next = waiting.find(({ isPassed }) => !isPassed);
    if (step === undefined) this.#stray(message, closest(waiting, message));
    else {
      if (this.#options.order === 'strict' && next !== undefined && step.index > next.index) this.#tell(message, next);
      this.#did(step, message);
    }
  }

  #did(step: Step, message: JsonRpcMessage): void {
    step.isDone = step.isPassed = true;
    if (isRequest(message) && isRequest(step.message)) {
      this.#idsNow.set(step.message.id, message.id);
      this.#idsThen.set(message.id, step.message.id);
      this.#tokens.set(tokenOf(step.message), tokenOf(message));
    }
    this.#goOn();
  }

  #goOn(): void {
    const due = this.#cues.filter(({ isDone, request, after }) => !isDone && (request?.isDone ?? true) && after.every(({ isPassed }) => isPassed));
    for (const cue of due) {
      cue.isDone = true;
      this.#play(cue);
    }
  }

  #play({ event, request, after }: Cue): void {
    const act = (): void => {
      if (event.direction === 'failed') this.#fail(event);
      else if (event.message === undefined) this.#end.ends();
      else this.#end.arrives(readdressed(event.message, this.#idsNow, this.#tokens));
    };
    const since = Math.max(...after.map(({ ms }) => ms), request?.ms ?? 0);
    if (this.#options.times === 'recorded') this.#work.add(asyncScheduler.schedule(act, Math.max(0, event.ms - since)));
    else act();
  }

  #fail({ message, failure }: RecordedEvent): void {
    if (message === undefined || failure === undefined || !isRequest(message)) return;
    this.#end.fails({ ...message, id: this.#idsNow.get(message.id) ?? message.id }, errorFrom(failure, message.id));
  }

  /** The client does something else: it learns so at once, since no answer will come. */
  #stray(message: JsonRpcMessage, nearest: Step | undefined): void {
    const problem = this.#tell(message, nearest);
    if (isRequest(message)) this.#end.arrives({ jsonrpc: '2.0', id: message.id, error: { code: INTERNAL_ERROR, message: problem.message } });
    if (nearest !== undefined) nearest.isPassed = true;
    this.#goOn();
  }

  #tell(message: JsonRpcMessage, nearest: Step | undefined): ReplayMismatchError {
    const problem = new ReplayMismatchError({
      connection: this.#number,
      message: this.sent.length,
      expected: nearest?.message,
      actual: message,
      difference: nearest && this.#differenceTo(nearest, message),
    });
    this.#onProblem(problem);
    return problem;
  }

  #differenceTo({ message: recorded }: Step, message: JsonRpcMessage) {
    return firstDifference(this.#comparable(recorded), this.#comparable(message, this.#idsThen));
  }
}

/**
 * When the server does this again: an answer, and progress, once their request
 * has come, and what had been answered to the server by then, since it may have
 * waited for that; all else after what the client had sent last.
 */
function cueFor(event: RecordedEvent, before: readonly Step[]): Cue {
  const isAbout = requestOf(event);
  if (isAbout === undefined) return { event, request: undefined, after: before.slice(-1), isDone: false };
  const request = before.findLast(({ message }) => isRequest(message) && isAbout(message.id, tokenOf(message)));
  return { event, request, after: before.filter(({ message }) => isResponse(message)), isDone: false };
}

function requestOf({ direction, message }: RecordedEvent): ((id: RequestId, token: unknown) => boolean) | undefined {
  if (message === undefined) return undefined;
  if (direction === 'failed') return (id) => isRequest(message) && id === message.id;
  if (isResponse(message)) return (id) => id === message.id;
  if (message.method === 'notifications/progress') return (_, token) => token !== undefined && token === message.params?.progressToken;
  return undefined;
}

/** An error as it was, where its class has a meaning for the client. */
function errorFrom({ name, text, status, code, data }: RecordedFailure, id: RequestId): Error {
  if (name === 'RpcError' && code !== undefined) return new RpcError(code, text, data, status);
  if (name === 'HttpError' && status !== undefined) return new HttpError(status, text);
  return name === 'NoResponseError' ? new NoResponseError(id, status) : new ProtocolError(text);
}

/** The one to compare with: the answer to the same request, or the next of the same method. */
function closest(waiting: readonly Step[], sent: JsonRpcMessage): Step | undefined {
  const isAlike = (message: JsonRpcMessage): boolean => {
    if (isResponse(sent)) return isResponse(message) && message.id === sent.id;
    return 'method' in message && message.method === sent.method;
  };
  return waiting.find(({ message, isPassed }) => !isPassed && isAlike(message));
}
