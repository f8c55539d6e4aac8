/** The latest items, each under its place in the order of all that ever came. */
export class Ring<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The place of the oldest item that is still there. */
  get first(): number {
    return Math.max(0, this.#next - this.#capacity);
  }

  /** The place that the next item gets: how many ever came. */
  get next(): number {
    return this.#next;
  }

  push(item: T): void {
    this.#items[this.#next % this.#capacity] = item;
    this.#next++;
  }

  at(place: number): T | undefined {
    return place < this.first || place >= this.#next ? undefined : this.#items[place % this.#capacity];
  }

  /** Those from one place up to another, which is left out. */
  *between(from: number, to: number): Generator<T> {
    for (let place = Math.max(from, this.first); place < Math.min(to, this.#next); place++) yield this.#items[place % this.#capacity] as T;
  }
}
