import { defer } from 'rxjs';
import type { ClientFeature } from './feature.js';

/** W3C Trace Context and Baggage, as they travel. @public */
export interface TraceContext {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/**
 * Puts a trace context into `_meta` of every call, so that the server's spans
 * join the caller's.
 *
 * @param current - Asked at each call; undefined where there is no trace.
 * @see MCP 2026-07-28 Base Protocol, "OpenTelemetry trace context"
 * @public
 */
export function withTraceContext(current: () => TraceContext | undefined): ClientFeature {
  return {
    name: 'trace context',
    intercept: (call, next) => defer(() => next({ ...call, options: { ...call.options, meta: { ...current(), ...call.options.meta } } })),
  };
}
