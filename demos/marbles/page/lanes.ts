import { ENDINGS, KINDS, type Happening, type Kind, type LaneId } from './happening.ts';
import { ROWS } from './requests.ts';

export interface LaneInfo {
  readonly id: LaneId;
  readonly title: string;
}

export const LANES: readonly LaneInfo[] = [
  { id: 'outbound', title: 'outbound$' },
  { id: 'inbound', title: 'inbound$' },
  { id: 'notifications', title: 'notifications$' },
  { id: 'state', title: 'state$' },
  ...Array.from({ length: ROWS }, (_, row): LaneInfo => ({ id: `request-${row}`, title: row === 0 ? 'requests' : '' })),
];

/** Marks that are drawn as one: those of a lane that fall into one column. */
export interface Bucket {
  readonly lane: LaneId;
  readonly column: number;
  /** The place of the one that gives it its kind, and when that was. */
  top: number;
  ms: number;
  /** The places of the first and of the last one in the history. */
  readonly first: number;
  last: number;
  count: number;
  kind: Kind;
}

/** Whether marks are drawn as a number: not where a request ended, as how it did matters more. */
export const isNumber = ({ count, kind, lane }: Bucket): boolean => count > 1 && !(lane.startsWith('request') && ENDINGS.has(kind));

/** The buckets of a lane, from left to right. */
export class Lane {
  readonly id: LaneId;
  /** How many marks it ever got. */
  count = 0;
  #buckets: Bucket[] = [];
  /** Where the buckets begin that are still kept. */
  #head = 0;

  constructor(id: LaneId) {
    this.id = id;
  }

  get length(): number {
    return this.#buckets.length - this.#head;
  }

  at(index: number): Bucket | undefined {
    return this.#buckets[this.#head + index];
  }

  /** @returns the bucket it went into. */
  add({ ms, place }: Happening, kind: Kind, columnMs: number): Bucket {
    const column = Math.floor(ms / columnMs);
    const latest = this.at(this.length - 1);
    if (latest?.column !== column) {
      const bucket: Bucket = { lane: this.id, column, ms, top: place, first: place, last: place, count: 1, kind };
      this.#buckets.push(bucket);
      return bucket;
    }
    latest.last = place;
    latest.count++;
    if (KINDS.indexOf(kind) >= KINDS.indexOf(latest.kind)) Object.assign(latest, { kind, top: place, ms });
    return latest;
  }

  /** Forgets buckets whose happenings are all gone. */
  forgetBefore(place: number): void {
    while (this.length > 0 && (this.at(0)?.last ?? 0) < place) this.#head++;
    if (this.#head < 256 || this.#head < this.length) return;
    this.#buckets = this.#buckets.slice(this.#head);
    this.#head = 0;
  }

  clear(): void {
    this.#buckets = [];
    this.#head = 0;
  }

  /** The buckets from one column to another, both included. */
  between(from: number, to: number): Bucket[] {
    return this.#buckets.slice(this.#indexOf(from), this.#indexOf(to + 1));
  }

  /** The bucket that holds the happening at this place. */
  holding(place: number): Bucket | undefined {
    const bucket = this.#buckets[this.#search(({ last }) => last < place)];
    return bucket !== undefined && bucket.first <= place ? bucket : undefined;
  }

  /** The next bucket to the left or right of one. */
  neighbour(bucket: Bucket, step: -1 | 1): Bucket | undefined {
    const index = this.#indexOf(bucket.column) + step;
    return index < this.#head ? undefined : this.#buckets[index];
  }

  /** The first bucket at or after a column. */
  #indexOf(column: number): number {
    return this.#search((bucket) => bucket.column < column);
  }

  /** The first bucket that is not before what is looked for. */
  #search(isBefore: (bucket: Bucket) => boolean): number {
    let [low, high] = [this.#head, this.#buckets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const bucket = this.#buckets[middle];
      if (bucket !== undefined && isBefore(bucket)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
