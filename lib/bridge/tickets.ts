import type { Unsubscribable } from 'rxjs';
import { builtin } from '../transport/builtin.js';
import { after } from '../transport/deadline-clock.js';

/** Tells a ticket from other subprotocols. */
const PREFIX = 'ticket.';
/** Most that can be used at a time; one more takes the place of the oldest. */
const MAX_TICKETS = 1_000;

interface Issued {
  readonly digest: Uint8Array;
  readonly expiry: Unsubscribable;
}

/** Admits whoever holds one, once, for a while. A ticket is a valid name of a subprotocol. */
export class Tickets implements Unsubscribable {
  readonly #ttlMs: number;
  readonly #issued = new Set<Issued>();
  #ended = false;

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** One that is good for nothing once this is unsubscribed. */
  issue(): string {
    const ticket = `${PREFIX}${builtin('node:crypto').randomBytes(32).toString('base64url')}`;
    if (this.#ended) return ticket;
    const issued: Issued = {
      digest: digestOf(ticket),
      expiry: after(this.#ttlMs, () => {
        this.#drop(issued);
      }),
    };
    this.#issued.add(issued);
    const [oldest] = this.#issued;
    if (oldest !== undefined && this.#issued.size > MAX_TICKETS) this.#drop(oldest);
    return ticket;
  }

  /** Whether the first ticket among these subprotocols was good; it is no more. */
  redeem(protocols: readonly string[]): boolean {
    const offered = protocols.find((protocol) => protocol.startsWith(PREFIX));
    if (offered === undefined) return false;
    const digest = digestOf(offered);
    // Digests have one length, and all are compared, in the same time each.
    const [match] = [...this.#issued].filter((issued) => builtin('node:crypto').timingSafeEqual(issued.digest, digest));
    if (match !== undefined) this.#drop(match);
    return match !== undefined;
  }

  unsubscribe(): void {
    this.#ended = true;
    for (const issued of this.#issued) this.#drop(issued);
  }

  #drop(issued: Issued): void {
    issued.expiry.unsubscribe();
    this.#issued.delete(issued);
  }
}

function digestOf(ticket: string): Uint8Array {
  return builtin('node:crypto').createHash('sha256').update(ticket).digest();
}
