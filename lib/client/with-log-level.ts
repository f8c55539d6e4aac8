import { catchError, defer, EMPTY, isObservable, noop, of, switchMap, type Observable } from 'rxjs';
import type { ServerSession } from '../session/negotiate.js';
import type { LoggingLevel } from '../wire/mcp/base.js';
import { META_KEYS } from '../wire/mcp/meta.js';
import type { McpClient } from './client.js';
import type { ClientFeature } from './feature.js';

/**
 * Says from which level on the server is to log: legacy servers once for each
 * connection and after each change, modern ones with every call. The logs come
 * on `logs$`; calls with `observe: 'events'` have their own where the wire tells.
 *
 * @param level - A level, or an Observable of the level that holds from now on.
 * @see MCP 2025-11-25 Logging; MCP 2026-07-28 Logging
 * @public
 */
export function withLogLevel(level: LoggingLevel | Observable<LoggingLevel>): ClientFeature {
  return { name: 'log level', create: () => logLevel(level) };
}

function logLevel(level: LoggingLevel | Observable<LoggingLevel>): ClientFeature {
  const level$ = isObservable(level) ? level : of(level);
  /** What modern calls carry. */
  let carried: LoggingLevel | undefined;
  return {
    name: 'log level',
    intercept: (call, next) =>
      defer(() => next(carried === undefined ? call : { ...call, options: { ...call.options, meta: { [META_KEYS.logLevel]: carried, ...call.options.meta } } })),
    extend: (client: McpClient) => {
      const tell = (value: LoggingLevel, { verdict, capabilities }: ServerSession): Observable<unknown> => {
        carried = verdict.era === 'modern' ? value : undefined;
        return carried === undefined && capabilities.logging ? client.request('logging/setLevel', { level: value }).pipe(catchError(() => EMPTY)) : EMPTY;
      };
      client.state$
        .pipe(switchMap((state) => (state.status === 'ready' ? level$.pipe(switchMap((value) => tell(value, state.session))) : EMPTY)))
        .subscribe({ error: noop }); // a level that fails leaves the last one in force
      return {};
    },
  };
}
