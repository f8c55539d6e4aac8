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
      const decode = utf8Decoder();
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
        const text = decode(chunk);
        if (text !== '' && !subscriber.closed) parser.feed(withLineFeeds(text));
      };
      bytes$.pipe(consume(read)).subscribe(subscriber); // what has no blank line after it at the end is no event
    });
}

/**
 * Decodes chunk by chunk: a character may be cut anywhere. Drops a byte order
 * mark at the very start. A chunk that ends with a whole character, as nearly all
 * do, is decoded by itself: decoders that remember take five times as long in Node.
 */
function utf8Decoder(): (chunk: Uint8Array) => string {
  let isFirst = true;
  let cut: TextDecoder | undefined; // holds the start of a character
  return (chunk) => {
    const last = chunk.at(-1);
    if (last === undefined) return '';
    const isWhole = last < 0x80;
    const decoder = cut ?? (isWhole ? (isFirst ? WITHOUT_MARK : AS_IT_IS) : new TextDecoder('utf-8', { ignoreBOM: !isFirst }));
    isFirst = false;
    cut = isWhole ? undefined : decoder;
    return decoder.decode(chunk, { stream: !isWhole });
  };
}

const WITHOUT_MARK = new TextDecoder();
const AS_IT_IS = new TextDecoder('utf-8', { ignoreBOM: true });

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
