import type { JsonRpcMessage, RequestId } from '../../../lib/index.ts';

/** Where a mark is drawn: one of the client's streams, or one of the rows for requests. */
export type LaneId = 'outbound' | 'inbound' | 'notifications' | 'state' | `request-${number}`;

/** What a mark looks like. The later ones are shown where several fall together. */
export const KINDS = ['notification', 'progress', 'sent', 'asked', 'state', 'result', 'cancelled', 'timeout', 'error'] as const;
export type Kind = (typeof KINDS)[number];

/** How requests end. */
export const ENDINGS: ReadonlySet<Kind> = new Set<Kind>(['result', 'cancelled', 'timeout', 'error']);

export interface Mark {
  readonly lane: LaneId;
  readonly kind: Kind;
}

/** Something that happened to the connection, and where it is drawn. */
export interface Happening {
  /** Its place in the order of all. */
  readonly place: number;
  /** Milliseconds since the page was opened; never less than those of the one before. */
  readonly ms: number;
  /** Which connection of this page, from 1; 0: before the first. */
  readonly connection: number;
  /** `local`: nothing travelled. `end`: the server ended the connection. */
  readonly direction: 'in' | 'out' | 'local' | 'end';
  /** A message; or, where nothing travelled, what is known. */
  readonly content: JsonRpcMessage | Readonly<Record<string, unknown>>;
  /** One line. */
  readonly title: string;
  readonly marks: readonly Mark[];
  /** The request that it belongs to. */
  readonly request?: RequestId | undefined;
}
