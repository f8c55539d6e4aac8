import { map, switchMap, type Observable, type ObservableInput } from 'rxjs';
import { ConfigError } from '../errors.js';
import { firstOf } from './first-of.js';

/** Header fields by name. @public */
export type HeaderFields = Readonly<Record<string, string>>;

/**
 * Headers for each request: a value, or something that gives the value when a
 * request is sent: a function, an Observable (its first value), or a Promise.
 *
 * @public
 */
export type HeadersSource =
  | HeaderFields
  | ObservableInput<HeaderFields>
  | (() => HeaderFields | ObservableInput<HeaderFields>);

/**
 * Sends a request with the headers of its source: at once, unless they are still to come.
 *
 * @throws {@link ConfigError} a name or value that cannot be a header; the source gave nothing. Thrown, or on the Observable.
 */
export function withHeaders<T>(source: HeadersSource = {}, send: (fields: HeaderFields) => Observable<T>): Observable<T> {
  const value = typeof source === 'function' ? source() : source;
  if (!isSource(value)) return send(checkHeaders(value));
  const fields$ = firstOf(() => value, () => new ConfigError('The headers source completed without a value'));
  return fields$.pipe(map(checkHeaders), switchMap(send));
}

/** Whether the value is still to come, from an Observable, a Promise or an iterable. */
function isSource(value: HeaderFields | ObservableInput<HeaderFields>): value is ObservableInput<HeaderFields> {
  const { subscribe, then } = value as unknown as Record<string, unknown>;
  return typeof subscribe === 'function' || typeof then === 'function' || Symbol.iterator in value || Symbol.asyncIterator in value;
}

/**
 * The fields with their names in lower case.
 *
 * @throws {@link ConfigError} a name or value that cannot be a header. Without
 * this check a value with a line end could add headers of its own.
 */
export function checkHeaders(fields: HeaderFields): HeaderFields {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    // A token, RFC 9110 §5.1; tab, visible ASCII, space and the bytes above, §5.5.
    if (typeof (value as unknown) !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new ConfigError(`HTTP header ${JSON.stringify(name)} has characters that are not allowed in its name or value`);
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

/**
 * A body value as a header value: as it is where that is safe, otherwise in Base64.
 *
 * @see MCP 2026-07-28 Streamable HTTP, "Value Encoding"
 */
export function encodeMirrored(value: string): string {
  const safe = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/.test(value);
  if (safe && !/^=\?base64\?.*\?=$/.test(value)) return value;
  return `=?base64?${btoa(utf8Bytes(value))}?=`;
}

/** A text whose characters are the bytes of `text` in UTF-8, as a header carries them. */
export function utf8Bytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
