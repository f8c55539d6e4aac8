import { asyncScheduler, type Observable, timer } from 'rxjs';
import { isRequest, type JsonRpcMessage } from '../wire/message.js';
import type { HttpResponse } from './http-handler.js';
import { contextOf } from './send-context.js';

const MAX_RESENDS = 3;
/** Longest single wait. */
const MAX_WAIT_MS = 60_000;
/** Before the first resend when the server names no time; doubles with each one. */
const FIRST_WAIT_MS = 1_000;
/** Methods that may run twice: they only read. */
const READS = /^(ping|initialize|server\/discover)$|\/(list|read|get)$/;

/**
 * When a message is posted again that the server refused as too much for now:
 * 429 means that it did not run; so does 503 with `Retry-After`, but that may
 * come from something in between, so only what reads is posted again. A wait that
 * is too long, or does not fit into the call's deadline, is none.
 *
 * @see RFC 9110 §10.2.3; RFC 6585 §4
 */
export class Resends {
  readonly #message: JsonRpcMessage;
  readonly #end: number;
  #count = 0;

  /** @param message - Posted now for the first time. */
  constructor(message: JsonRpcMessage) {
    this.#message = message;
    this.#end = asyncScheduler.now() + (contextOf(message).timeoutMs ?? Infinity);
  }

  /** The wait before it is posted again. @returns undefined when this refusal is final. */
  after(refusal: HttpResponse): Observable<unknown> | undefined {
    const waitMs = ++this.#count > MAX_RESENDS ? Infinity : waitBefore(this.#message, this.#count, refusal);
    return waitMs <= MAX_WAIT_MS && asyncScheduler.now() + waitMs < this.#end ? timer(waitMs) : undefined;
  }
}

function waitBefore(message: JsonRpcMessage, count: number, { status, headers }: HttpResponse): number {
  const retryAfter = headers.get('retry-after')?.trim();
  if (status === 503 ? !retryAfter || !isRequest(message) || !READS.test(message.method) : status !== 429) return Infinity;
  // Not all at once: many clients may have been refused together.
  if (!retryAfter) return FIRST_WAIT_MS * 2 ** (count - 1) * (1 + Math.random());
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Math.max(Date.parse(retryAfter) - asyncScheduler.now(), 0);
}
