/** How many entries may have gone before the table is made anew, beside as many as there are. */
const MAX_GONE = 32;

/**
 * A `Map` whose entries come and go all the time: one for each message.
 *
 * When a `Map` makes room in V8, its old table refers to the new one. Once old
 * tables are in the old generation, where nothing is freed soon, they keep alive
 * all tables that follow, and with them every request that has ended. That was
 * two thirds of what a request cost. A table made anew refers to nothing before it.
 */
export class FreshMap<K, V> {
  #entries = new Map<K, V>();
  #gone = 0;

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  /** @returns whether there was such an entry. */
  delete(key: K): boolean {
    const wasThere = this.#entries.delete(key);
    if (wasThere && ++this.#gone > this.#entries.size + MAX_GONE) {
      this.#entries = new Map(this.#entries);
      this.#gone = 0;
    }
    return wasThere;
  }

  /** The entries as they are now, in the order in which they came. */
  entries(): [K, V][] {
    return [...this.#entries];
  }
}
