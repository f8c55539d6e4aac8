/** Most frame times that are kept; the later ones take the place of the earlier. */
const MAX_FRAMES = 20_000;

export interface FrameFigures {
  readonly count: number;
  /** In milliseconds, as are the others. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** How long the frames of the page take, from one to the next. */
export class FrameTimes {
  readonly #times: number[] = [];
  #count = 0;
  #last: number | undefined;

  tick(timestamp: number): void {
    if (this.#last !== undefined) this.#times[this.#count++ % MAX_FRAMES] = timestamp - this.#last;
    this.#last = timestamp;
  }

  /** Begins anew. */
  reset(): void {
    this.#times.length = 0;
    this.#count = 0;
    this.#last = undefined;
  }

  figures(): FrameFigures {
    const sorted = [...this.#times].sort((a, b) => a - b);
    const at = (share: number): number => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
    return { count: this.#count, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
  }
}
