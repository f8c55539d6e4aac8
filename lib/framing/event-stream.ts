import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Observable } from 'rxjs';
import { MessageTooLargeError } from '../errors.js';
import { consume } from './consume.js';

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
      const tooLarge = () => {
        subscriber.error(new MessageTooLargeError(maxEventBytes, 'event'));
      };
      const withLineFeeds = lineFeedsOnly();
      const parser = createParser({
        maxBufferSize: maxEventBytes,
        onEvent: (event) => {
          if (event.data.length > maxEventBytes) tooLarge();
          else subscriber.next({ type: 'event', event });
        },
        onRetry: (delayMs) => {
          subscriber.next({ type: 'retry', delayMs });
        },
        onError: ({ type }) => {
          // Unknown fields are to be ignored, says the standard.
          if (type === 'max-buffer-size-exceeded') tooLarge();
        },
      });
      const read = (chunk: Uint8Array) => {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== '' && !subscriber.closed) parser.feed(withLineFeeds(text));
      };
      bytes$.pipe(consume(read)).subscribe(subscriber); // what has no blank line after it at the end is no event
    });
}

/**
 * Turns every line end into LF, whichever way the text is cut. A CR ends its
 * line at once; an LF right after it, maybe in the next piece, is part of it.
 */
function lineFeedsOnly(): (text: string) => string {
  let endedWithReturn = false;
  return (text) => {
    const rest = endedWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    endedWithReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  };
}
