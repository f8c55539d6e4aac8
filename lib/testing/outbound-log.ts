import type { Moment } from './marble-compare.js';
import { nameOf, viewOf, type OutboundOptions } from './outbound-view.js';
import type { ScriptedServer } from './scripted-server.js';
import type { JsonRpcMessage } from '../wire/message.js';

/** What a server got, and when; the end is that the client closed its connection. */
export class OutboundLog {
  readonly #moments: { readonly frame: number; readonly message: JsonRpcMessage | undefined }[] = [];

  constructor(server: ScriptedServer, now: () => number) {
    server.received$.subscribe(({ message }) => {
      this.#moments.push({ frame: now(), message });
    });
  }

  /** What came until now does not count. */
  forget(): void {
    this.#moments.length = 0;
  }

  /** How much came until now. */
  get length(): number {
    return this.#moments.length;
  }

  /** What came after the first few, and what should have, both in the form in which they are compared. */
  against(expected: readonly Moment[], options: OutboundOptions, first: number): { actual: readonly Moment[]; wanted: readonly Moment[] } {
    const actual = this.#moments.slice(first).map(({ frame, message }, n): Moment => {
      if (message === undefined) return moment(frame, 'C');
      const isByName = typeof expected[n]?.notification.value === 'string';
      return moment(frame, 'N', isByName ? nameOf(message) : viewOf(message, options));
    });
    const wanted = expected.map(({ frame, notification: { kind, value } }) => moment(frame, kind, typeof value === 'object' && value !== null ? viewOf(value, options) : value));
    return { actual, wanted };
  }
}

const moment = (frame: number, kind: Moment['notification']['kind'], value?: unknown): Moment => ({ frame, notification: { kind, value, error: undefined } });
