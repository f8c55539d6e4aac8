/** The timers that the schedulers of RxJS wait with, and where each was started. */
interface Intervals {
  setInterval: (handler: () => void, ms?: number, ...args: unknown[]) => unknown;
  clearInterval: (id: unknown) => void;
}

/** Follows the intervals that are started from now on. */
export class IntervalWatch {
  readonly #platform = globalThis as unknown as Intervals; // looked at, not used to wait
  readonly #original: Intervals = { setInterval: this.#platform.setInterval, clearInterval: this.#platform.clearInterval };
  readonly #live = new Map<unknown, string>();

  constructor() {
    const { setInterval, clearInterval } = this.#original;
    this.#platform.setInterval = (...args) => {
      const id = setInterval.apply(globalThis, args);
      this.#live.set(id, callers());
      return id;
    };
    this.#platform.clearInterval = (id) => {
      this.#live.delete(id);
      clearInterval.call(globalThis, id);
    };
  }

  /** Stops following. @returns where those were started that still run; they are ended. */
  end(): string[] {
    Object.assign(this.#platform, this.#original);
    for (const id of this.#live.keys()) this.#original.clearInterval.call(globalThis, id);
    return [...this.#live.values()];
  }
}

/** Who called, without the frames of RxJS and of this door. */
export function callers(): string {
  const frames = (new Error().stack ?? '').split('\n').filter((line) => /^\s+at |@/.test(line));
  const own = frames.filter((line) => !/node_modules|node:internal|[/\\]testing[/\\](leaks|interval-watch)\./.test(line));
  return (own.length > 0 ? own : frames).slice(0, 6).join('\n');
}
