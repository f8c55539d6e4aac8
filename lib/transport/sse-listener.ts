import { asyncScheduler, catchError, defer, EMPTY, map, repeat, type Observable } from 'rxjs';
import { consume } from '../framing/consume.js';
import { eventStream, type StreamItem } from '../framing/event-stream.js';
import { Backoff, isWorthRetrying, LONG_LIFE_MS, MAX_ATTEMPTS } from './backoff.js';
import { excerptOf, type Diagnostic } from './diagnostic.js';
import { isEventStream, messageOf } from './http-answer.js';
import { readErrorBody } from './http-body.js';
import type { HttpResponse } from './http-handler.js';
import { reading } from './reading.js';

export interface SseListenerOptions {
  /** Opens the stream, after this event if there was one. */
  readonly open: (lastEventId: string | undefined) => Observable<HttpResponse>;
  readonly maxEventBytes: number;
  readonly onMessage: (value: unknown) => void;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** Told when a stream that had been open is not found any more: the session may be lost. */
  readonly onGone?: (() => void) | undefined;
}

/**
 * The optional stream for what the server starts by itself. Reconnects with
 * backoff, after the last event seen; only a message, or a long life, resets the
 * backoff, so a server that accepts and hangs up is not polled for ever.
 * Completes when the server does not offer it or the budget is spent; never errors.
 *
 * @see MCP 2025-11-25 Transports, "Listening for Messages from the Server"
 */
export function sseListener({ open, maxEventBytes, onMessage, onDiagnostic, onGone }: SseListenerOptions): Observable<unknown> {
  return defer(() => {
    const backoff = new Backoff();
    let lastEventId: string | undefined;
    let offered = true;
    let hasBeenOpen = false;
    let openedAt = 0;

    const take = (item: StreamItem) => {
      if (item.type === 'retry') backoff.retryMs = item.delayMs;
      else if (item.event.id !== undefined) lastEventId = item.event.id;
      try {
        const value = messageOf(item, onDiagnostic);
        if (value === undefined) return;
        backoff.reset();
        onMessage(value);
      } catch (error) {
        onDiagnostic({ kind: 'failure', message: 'Skipped a listener event that is not JSON', error: error as Error });
      }
    };
    const refuse = (response: HttpResponse) => {
      offered = isWorthRetrying(response.status);
      return readErrorBody(response).pipe(
        map((body) => {
          onDiagnostic({ kind: 'listener', message: `Listener refused: HTTP ${response.status}`, excerpt: excerptOf(body) });
          if (hasBeenOpen && response.status === 404) onGone?.();
        }),
      );
    };
    const once$ = defer(() => {
      openedAt = asyncScheduler.now();
      return open(lastEventId);
    }).pipe(
      reading((response) => {
        const isStream = response.status === 200 && isEventStream(response);
        hasBeenOpen ||= isStream;
        return isStream ? response.body$.pipe(eventStream(maxEventBytes), consume(take)) : refuse(response);
      }),
      catchError((error: unknown) => {
        onDiagnostic({ kind: 'listener', message: `Listener lost: ${String(error)}` });
        return EMPTY;
      }),
    );
    const delay = () => {
      if (!offered) return EMPTY;
      if (asyncScheduler.now() - openedAt >= LONG_LIFE_MS) backoff.reset(); // quiet streams are cut now and then
      const wait$ = backoff.next();
      if (wait$ === undefined) onDiagnostic({ kind: 'listener', message: `Listener given up: no message in ${MAX_ATTEMPTS} attempts` });
      return wait$ ?? EMPTY;
    };
    return once$.pipe(repeat({ delay }));
  });
}
