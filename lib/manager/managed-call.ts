import { asyncScheduler, catchError, concat, concatMap, defer, filter, ignoreElements, map, merge, NEVER, switchMap, take, takeUntil, throwError, timer, type Observable } from 'rxjs';
import type { CallToolOptions } from '../client/client.js';
import { ConnectionClosedError, NetworkError, NotConnectedError, RequestTimeoutError, type McpError } from '../errors.js';
import { abortionOf } from '../session/abort.js';
import { DEFAULT_TIMEOUT_MS, type CallEvent } from '../session/request-options.js';
import { wasNeverSent } from '../transport/never-sent.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { CallToolResult } from '../wire/mcp/tools.js';
import type { JsonObject } from '../wire/message.js';
import { canonical } from './entry-hash.js';
import type { ManagedClient, ManagedServer } from './managed-server.js';
import { OutcomeUnknownError, ServerUnavailableError, ToolUnavailableError } from './manager-errors.js';

export interface ManagedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly options: CallToolOptions;
  /** Whether the call may be made again when its tool says that this does no harm. */
  readonly replayIdempotent: boolean;
}

type Answer = CallToolResult | CallEvent<CallToolResult>;

/** Before a call is made again that did not run, in milliseconds. */
const AGAIN_MS = 100;

/**
 * Calls a tool as soon as its server is ready, within one deadline. A call that
 * surely did not run, because the connection was gone before, is made again, once.
 */
export function callManaged(server: ManagedServer, call: ManagedCall): Observable<Answer> {
  return defer(() => {
    const { options, tool } = call;
    const { timeoutMs = server.entry.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS } = options;
    const endsAt = asyncScheduler.now() + timeoutMs;
    const listed = listedIn(server, tool);
    server.use();
    const once$ = ready(server, endsAt).pipe(
      concatMap((client) => merge(confirmed(server, tool, listed), late(endsAt, () => new RequestTimeoutError('tools/list', timeoutMs))).pipe(take(1), map(() => client))),
      concatMap((client) => client.callTool(tool, call.args, { ...options, timeoutMs: Math.max(1, endsAt - asyncScheduler.now()) })),
    );
    const mayReplay = call.replayIdempotent && (listed?.annotations?.idempotentHint ?? listed?.annotations?.readOnlyHint ?? false);
    const answer$ = once$.pipe(
      catchError((error: unknown) => {
        if (error instanceof NetworkError) server.suspect();
        if (!didNotRun(error) && !(mayReplay && isLoss(error))) throw error;
        return concat(timer(AGAIN_MS).pipe(ignoreElements()), once$); // by then it is known whether there is a connection
      }),
      catchError((error: unknown) => {
        throw isLoss(error) && !didNotRun(error) ? new OutcomeUnknownError(server.entry.name, 'tools/call', error) : error;
      }),
    );
    const abortion$ = abortionOf(options);
    return abortion$ === undefined ? answer$ : answer$.pipe(takeUntil(abortion$));
  });
}

/** The client of a server that is ready, or soon will be. @throws {@link ServerUnavailableError} there will be none, or not in time. */
export function ready(server: ManagedServer, endsAt: number): Observable<ManagedClient> {
  const { name } = server.entry;
  const ready$ = server.state$.pipe(
    map((state): ManagedClient | undefined => {
      const why = WHY_NOT[state.phase];
      if (why !== undefined) throw new ServerUnavailableError(name, why, state.cause);
      return state.phase === 'ready' ? server.client : undefined;
    }),
    concatMap((client) => (client?.connected ? [client] : [])),
    take(1),
  );
  return merge(ready$, late(endsAt, () => new ServerUnavailableError(name, 'is not ready in time', server.state.cause))).pipe(take(1));
}

/** Phases out of which nothing leads by itself. */
const WHY_NOT: Readonly<Record<string, string | undefined>> = {
  disabled: 'is disabled',
  refused: 'was refused',
  broken: 'has an entry that cannot be used',
  stopped: 'has stopped',
  closed: 'was removed',
};

/** Emits once the tool is known to be the one that was listed; one that was listed by the server is. */
function confirmed(server: ManagedServer, tool: string, listed: Tool | undefined): Observable<unknown> {
  const { name } = server.entry;
  const removed$ = throwError(() => new ServerUnavailableError(name, 'was removed'));
  return concat(server.tools$, removed$).pipe(
    filter(({ isLive }) => isLive),
    take(1),
    map(() => {
      const now = listedIn(server, tool);
      if (listed === undefined) return;
      if (now === undefined) throw new ToolUnavailableError(tool, name, 'gone');
      if (canonical(now.inputSchema) !== canonical(listed.inputSchema)) throw new ToolUnavailableError(tool, name, 'changed');
    }),
  );
}

function listedIn(server: ManagedServer, tool: string): Tool | undefined {
  return server.tools.tools.find(({ name }) => name === tool);
}

function late(endsAt: number, makeError: () => Error): Observable<never> {
  if (endsAt === Infinity) return NEVER;
  return timer(Math.max(0, endsAt - asyncScheduler.now())).pipe(switchMap(() => throwError(makeError)));
}

/** Whether nothing can have reached the server. */
function didNotRun(error: unknown): boolean {
  return error instanceof NotConnectedError || wasNeverSent(error);
}

/** Whether the way to the server broke, so that nobody knows what it did. */
function isLoss(error: unknown): error is McpError {
  return error instanceof ConnectionClosedError || error instanceof NetworkError;
}
