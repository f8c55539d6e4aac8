import { asyncScheduler, catchError, defer, type MonoTypeOperatorFunction, type Observable, switchMap, timer } from 'rxjs';
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
 * Posts a message again that the server refused as too much for now: 429 means
 * that it did not run; so does 503 with `Retry-After`, but that may come from
 * something in between, so only what reads is posted again. A wait that is too
 * long, or does not fit into the call's deadline, is none: the refusal is the error.
 *
 * @param refusal - The answer that the source's error tells of, if there was one.
 * @see RFC 9110 §10.2.3; RFC 6585 §4
 */
export function resendWhenBusy<T>(message: JsonRpcMessage, refusal: () => HttpResponse | undefined): MonoTypeOperatorFunction<T> {
  return (source$) =>
    defer(() => {
      const end = asyncScheduler.now() + (contextOf(message).timeoutMs ?? Infinity);
      let count = 0;
      return source$.pipe(
        catchError((error: unknown, again$: Observable<T>) => {
          const waitMs = ++count > MAX_RESENDS ? Infinity : waitBefore(message, count, refusal());
          if (waitMs <= MAX_WAIT_MS && asyncScheduler.now() + waitMs < end) return timer(waitMs).pipe(switchMap(() => again$));
          throw error;
        }),
      );
    });
}

function waitBefore(message: JsonRpcMessage, count: number, refusal: HttpResponse | undefined): number {
  const { status, headers } = refusal ?? {};
  const retryAfter = headers?.get('retry-after')?.trim();
  if (status === 503 ? !retryAfter || !isRequest(message) || !READS.test(message.method) : status !== 429) return Infinity;
  // Not all at once: many clients may have been refused together.
  if (!retryAfter) return FIRST_WAIT_MS * 2 ** (count - 1) * (1 + Math.random());
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Math.max(Date.parse(retryAfter) - asyncScheduler.now(), 0);
}
