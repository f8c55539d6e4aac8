import { asyncScheduler } from 'rxjs';
import { ConfigError, HttpError, SpawnError, UnsupportedProtocolVersionError } from '../errors.js';

/** How a manager brings back what is lost. Times in milliseconds. @public */
export interface HealingOptions {
  /** Before the first new attempt; doubles with each failure in a row. @defaultValue 500 */
  readonly firstDelayMs?: number | undefined;
  /** @defaultValue 30_000 */
  readonly maxDelayMs?: number | undefined;
  /** A connection that lived so long was good: what came before no longer counts. @defaultValue 30_000 */
  readonly minUptimeMs?: number | undefined;
  /** Most attempts in a row before the breaker opens. @defaultValue 5 */
  readonly maxAttempts?: number | undefined;
  /** With the breaker open, remote servers are tried at this pace, doubling … @defaultValue 15_000 */
  readonly probeDelayMs?: number | undefined;
  /** … up to this. @defaultValue 300_000 */
  readonly maxProbeDelayMs?: number | undefined;
  /** Spreads attempts by up to a fifth, so that clients do not come all at once; from 0 to 1. @defaultValue `Math.random` */
  readonly random?: (() => number) | undefined;
}

/** What to do about a server that is not there. */
export interface Remedy {
  /** `stopped`: not by itself, only for a hand or for a call. */
  readonly phase: 'reconnecting' | 'probing' | 'stopped';
  /** When it is tried again, or may be tried again for a call. */
  readonly delayMs: number;
}

const SPREAD = 0.2;

/**
 * Decides when a server is tried again: later with each failure in a row, a
 * bounded number of times, then slowly (remote servers) or no more (processes,
 * which cost more than a request, and what no time heals).
 */
export class Healing {
  readonly #options: Required<{ [K in keyof HealingOptions]: NonNullable<HealingOptions[K]> }>;
  readonly #isRemote: boolean;
  #failures = 0;
  #upSince: number | undefined;

  constructor(options: HealingOptions, isRemote: boolean) {
    this.#options = {
      firstDelayMs: options.firstDelayMs ?? 500,
      maxDelayMs: options.maxDelayMs ?? 30_000,
      minUptimeMs: options.minUptimeMs ?? 30_000,
      maxAttempts: options.maxAttempts ?? 5,
      probeDelayMs: options.probeDelayMs ?? 15_000,
      maxProbeDelayMs: options.maxProbeDelayMs ?? 300_000,
      random: options.random ?? Math.random,
    };
    this.#isRemote = isRemote;
  }

  /** The server is connected. That alone proves nothing: see `minUptimeMs`. */
  connected(): void {
    this.#upSince = asyncScheduler.now();
  }

  /** Somebody wants it back now. */
  reset(): void {
    this.#failures = 0;
  }

  /** The connection was lost, or did not come about. */
  failed(cause: unknown): Remedy {
    const { firstDelayMs, maxDelayMs, minUptimeMs, maxAttempts, probeDelayMs, maxProbeDelayMs } = this.#options;
    if (this.#upSince !== undefined && asyncScheduler.now() - this.#upSince >= minUptimeMs) this.#failures = 0;
    this.#upSince = undefined;
    const n = this.#failures++;
    if (n < maxAttempts && !isLasting(cause)) return { phase: 'reconnecting', delayMs: this.#spread(Math.min(firstDelayMs * 2 ** n, maxDelayMs)) };
    const delayMs = this.#spread(Math.min(probeDelayMs * 2 ** Math.max(0, n - maxAttempts), maxProbeDelayMs));
    return { phase: this.#isRemote && !isLasting(cause) ? 'probing' : 'stopped', delayMs };
  }

  #spread(ms: number): number {
    return ms * (1 + SPREAD * (2 * this.#options.random() - 1));
  }
}

/** Refusals that may pass by themselves. */
const PASSING = [404, 408, 409, 425, 429];

/** What no time heals: somebody has to change something first. */
function isLasting(cause: unknown): boolean {
  if (cause instanceof ConfigError || cause instanceof UnsupportedProtocolVersionError) return true;
  if (cause instanceof SpawnError) return cause.code === 'ENOENT' || cause.code === 'EACCES';
  return cause instanceof HttpError && cause.status >= 400 && cause.status < 500 && !PASSING.includes(cause.status);
}
