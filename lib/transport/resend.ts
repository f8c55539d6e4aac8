import { asyncScheduler } from 'rxjs';
import { isRequest, type JsonRpcMessage } from '../wire/message.js';
import type { HttpResponse } from './http-handler.js';

const MAX_RESENDS = 3;
/** Longest single wait. */
const MAX_WAIT_MS = 60_000;
/** Before the first resend when the server names no time; doubles with each one. */
const FIRST_WAIT_MS = 1_000;
/** Methods that may run twice: they only read. */
const READS = /^(ping|initialize|server\/discover)$|\/(list|read|get)$/;

/**
 * How long to wait before a message is posted again that the server refused as
 * too much for now: 429 means that it did not run; so does 503 with `Retry-After`,
 * but that may come from something in between, so only what reads is posted again.
 *
 * @param count - How often it was refused, this time included.
 * @returns milliseconds; `Infinity` when the refusal is final.
 * @see RFC 9110 §10.2.3; RFC 6585 §4
 */
export function resendDelay(message: JsonRpcMessage, count: number, refusal: HttpResponse): number {
  const ms = count > MAX_RESENDS ? Infinity : waitBefore(message, count, refusal);
  return ms <= MAX_WAIT_MS ? ms : Infinity;
}

function waitBefore(message: JsonRpcMessage, count: number, { status, headers }: HttpResponse): number {
  const retryAfter = headers.get('retry-after')?.trim();
  if (status === 503 ? !retryAfter || !isRequest(message) || !READS.test(message.method) : status !== 429) return Infinity;
  // Not all at once: many clients may have been refused together.
  if (!retryAfter) return FIRST_WAIT_MS * 2 ** (count - 1) * (1 + Math.random());
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Math.max(Date.parse(retryAfter) - asyncScheduler.now(), 0);
}
