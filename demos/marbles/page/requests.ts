import type { RequestId } from '../../../lib/index.ts';
import type { Kind, LaneId } from './happening.ts';

/** Rows for requests. */
export const ROWS = 5;
/** Most requests that are remembered. */
const MAX_REQUESTS = 400;

/** How a request ended. */
export type Ending = Extract<Kind, 'result' | 'error' | 'cancelled' | 'timeout'>;

/** A request of the client, from when it was sent. */
export interface TrackedRequest {
  readonly id: RequestId;
  readonly title: string;
  readonly lane: LaneId;
  readonly connection: number;
  readonly startMs: number;
  endMs: number | undefined;
  ending: Ending | undefined;
}

/** Which row each request is drawn in, and how far it is. */
export class Requests {
  /** In the order in which they were sent. */
  readonly all: TrackedRequest[] = [];
  readonly #open = new Map<RequestId, TrackedRequest>();
  /** The latest request of each row. */
  readonly #rows: (TrackedRequest | undefined)[] = Array.from({ length: ROWS });

  get openCount(): number {
    return this.#open.size;
  }

  open(id: RequestId, title: string, connection: number, startMs: number): TrackedRequest {
    const row = this.#rowFor();
    const request: TrackedRequest = { id, title, lane: `request-${row}`, connection, startMs, endMs: undefined, ending: undefined };
    this.#rows[row] = request;
    this.#open.set(id, request);
    this.all.push(request);
    if (this.all.length > MAX_REQUESTS) this.all.shift();
    return request;
  }

  get(id: unknown): TrackedRequest | undefined {
    return this.#open.get(id as RequestId);
  }

  /** @returns the request, unless it had ended before. */
  end(id: unknown, ending: Ending, endMs: number): TrackedRequest | undefined {
    const request = this.get(id);
    if (request === undefined) return undefined;
    this.#open.delete(request.id);
    return Object.assign(request, { ending, endMs });
  }

  /** What nobody will hear of again. */
  unanswered(connection: number): TrackedRequest[] {
    return [...this.#open.values()].filter((request) => request.connection === connection);
  }

  /** The row that has been free longest, so that neighbours keep apart; else that of the oldest request. */
  #rowFor(): number {
    const unused = this.#rows.indexOf(undefined);
    if (unused >= 0) return unused;
    const ends = this.#rows.map((request) => request?.endMs ?? Infinity);
    if (Math.min(...ends) < Infinity) return ends.indexOf(Math.min(...ends));
    const starts = this.#rows.map((request) => request?.startMs ?? 0);
    return starts.indexOf(Math.min(...starts));
  }
}
