import { catchError, defer, EMPTY, type Observable, repeat, throwError } from 'rxjs';
import { NoResponseError } from '../errors.js';
import { consume } from '../framing/consume.js';
import { eventStream, type StreamItem } from '../framing/event-stream.js';
import type { RequestId } from '../wire/message.js';
import { Backoff, isWorthRetrying } from './backoff.js';
import type { Diagnostic } from './diagnostic.js';
import { isEventStream, isSuccess, messageOf } from './http-answer.js';
import { failWith } from './http-body.js';
import type { HttpResponse } from './http-handler.js';
import { reading } from './reading.js';

export interface ResumeOptions {
  /** The request whose answer the stream owes. */
  readonly id: RequestId;
  readonly url: string;
  /** Opens the stream again, after this event. */
  readonly open: (lastEventId: string) => Observable<HttpResponse>;
  readonly maxEventBytes: number;
  readonly onMessage: (value: unknown) => void;
  readonly isAnswered: () => boolean;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/**
 * Reads the event stream of an answer. When it ends or breaks before the
 * answer, and an event had an id, it is opened again after that event, with
 * backoff. What the server repeats then is left out.
 *
 * @throws {@link NoResponseError} it cannot be resumed; the `cause` says why.
 * @throws {@link ParseError} the data of a message event is not JSON.
 * @see MCP 2025-11-25 Transports, "Resumability and Redelivery"
 */
export function readResuming(first: HttpResponse, options: ResumeOptions): Observable<unknown> {
  const { id: requestId, url, open, maxEventBytes, onMessage, isAnswered, onDiagnostic } = options;
  return defer(() => {
    const backoff = new Backoff();
    const connectionOf = new Map<string, number>(); // which one brought an event, by event id
    let connection = 0;
    let cursor = '';
    let isRefused = false;
    let cause: unknown;

    const lose = (error: unknown) => {
      cause = error;
      return EMPTY;
    };
    const take = (item: StreamItem) => {
      if (item.type === 'retry') {
        backoff.retryMs = item.delayMs;
        return;
      }
      const { id } = item.event;
      if (id) {
        if ((connectionOf.get(id) ?? connection) !== connection) return; // repeated
        connectionOf.set(id, connection);
      }
      cursor = id ?? cursor;
      const value = messageOf(item, onDiagnostic);
      if (value === undefined) return;
      backoff.reset();
      onMessage(value);
    };
    const read = ({ body$ }: HttpResponse) => body$.pipe(catchError(lose), eventStream(maxEventBytes), consume(take));
    const readAgain = (response: HttpResponse) => {
      if (isSuccess(response) && isEventStream(response)) return read(response);
      isRefused = !isWorthRetrying(response.status);
      return failWith(response, url).pipe(catchError(lose));
    };
    const once$ = defer(() => (connection++ === 0 ? read(first) : open(cursor).pipe(catchError(lose), reading(readAgain))));
    const delay = () => {
      if (isAnswered()) return EMPTY;
      if (cursor === '') return cause === undefined ? EMPTY : throwError(() => cause);
      return (isRefused ? undefined : backoff.next()) ?? throwError(() => new NoResponseError(requestId, first.status, { cause }));
    };
    return once$.pipe(repeat({ delay }));
  });
}
