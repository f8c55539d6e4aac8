import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Observable } from 'rxjs';
import { MessageTooLargeError } from '../errors.js';

/** What an event stream says: an event, or the delay before reconnecting, in milliseconds. */
export type StreamItem =
  | { readonly type: 'event'; readonly event: EventSourceMessage }
  | { readonly type: 'retry'; readonly delayMs: number };

/**
 * Turns chunks of bytes into server-sent events, in order and synchronously.
 *
 * @param maxEventBytes - Longest event, counted in characters after decoding.
 * @throws {@link MessageTooLargeError} an event is longer than allowed; the events before it were emitted.
 * @see WHATWG HTML, Server-sent events, "Parsing an event stream"
 */
export function eventStream(maxEventBytes: number): (bytes$: Observable<Uint8Array>) => Observable<StreamItem> {
  return (bytes$) =>
    new Observable((subscriber) => {
      const decoder = new TextDecoder(); // streaming: a character may be cut anywhere; drops a byte order mark
      let lastCharacter = '';
      const parser = createParser({
        maxBufferSize: maxEventBytes,
        onEvent: (event) => {
          subscriber.next({ type: 'event', event });
        },
        onRetry: (delayMs) => {
          subscriber.next({ type: 'retry', delayMs });
        },
        onError: ({ type }) => {
          // Unknown fields are to be ignored, says the standard.
          if (type === 'max-buffer-size-exceeded') subscriber.error(new MessageTooLargeError(maxEventBytes, 'event'));
        },
      });
      const feed = (text: string) => {
        if (text === '' || subscriber.closed) return;
        lastCharacter = text.slice(-1);
        parser.feed(text);
      };
      return bytes$.subscribe({
        next: (chunk) => {
          feed(decoder.decode(chunk, { stream: true }));
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          feed(decoder.decode());
          if (lastCharacter === '\r') feed('\n'); // the parser waits to see whether LF follows
          subscriber.complete();
        },
      });
    });
}
