// What the demo does with a server, act by act. Every act is a cold stream of what happened.
import { concat, concatMap, defer, EMPTY, ignoreElements, map, of, takeWhile, timer, type Observable } from 'rxjs';
import type { CallEvent, CallToolResult, McpClient, ProgressParams } from '../../lib/node.ts';
import type { Job } from './arguments.ts';
import type { LegEvent } from './events.ts';

/** The first revision without a handshake: there each request says what is to be logged. */
const FIRST_MODERN = '2026-07-28';
const LOG_LEVEL = 'debug';
/** Older servers take no notice of it. */
const CALL_OPTIONS = { observe: 'events', meta: { 'io.modelcontextprotocol/logLevel': LOG_LEVEL } } as const;

/** Who the server is and what it offers. */
export function introduce(client: McpClient): Observable<LegEvent> {
  const { serverInfo, protocolVersion } = client;
  return concat(
    of<LegEvent>({ event: 'connected', server: serverInfo?.name ?? 'unnamed', version: serverInfo?.version ?? '', revision: protocolVersion }),
    client.listTools().pipe(
      map((tools): LegEvent => ({ event: 'tools', tools: tools.map(({ name, title, description }) => ({ name, description: description ?? title ?? '' })) })),
    ),
  );
}

/** Asks for log messages, where that takes a request of its own. */
export function askForLogs(client: McpClient): Observable<never> {
  return defer(() => {
    const { capabilities, protocolVersion = '' } = client;
    if (capabilities?.logging === undefined || protocolVersion >= FIRST_MODERN) return EMPTY;
    return client.request('logging/setLevel', { level: LOG_LEVEL }).pipe(ignoreElements());
  });
}

/** Calls a tool and follows it to its result. */
export function call(client: McpClient, { tool, args }: Job): Observable<LegEvent> {
  return concat(
    of<LegEvent>({ event: 'calling', tool, args }),
    client.callTool(tool, args, CALL_OPTIONS).pipe(concatMap(toLegEvents)),
  );
}

/** Calls a tool and turns away once half of it is done: `takeWhile` unsubscribes, and that cancels the call. */
export function cancelHalfWay(client: McpClient, { tool, args }: Job): Observable<LegEvent> {
  return concat(
    of<LegEvent>({ event: 'calling', tool, args }),
    client.callTool(tool, args, CALL_OPTIONS).pipe(
      concatMap((event) => (isHalfWay(event) ? [...toLegEvents(event), cancelled(event.progress)] : toLegEvents(event))),
      takeWhile(({ event }) => event !== 'cancelled', true),
    ),
  );
}

/** Does nothing for a while; what the server has to say comes by itself. */
export function linger(ms: number): Observable<never> {
  return timer(ms).pipe(ignoreElements());
}

function toLegEvents(event: CallEvent<CallToolResult>): LegEvent[] {
  switch (event.type) {
    case 'progress': {
      const { progress, total, message } = event.progress;
      return [{ event: 'progress', progress, total, message }];
    }
    case 'log':
      return []; // `client.logs$` has those of all calls
    case 'task':
      return []; // only with a feature that the demo does not use
    case 'result':
      return [{ event: 'result', text: textOf(event.result), isError: event.result.isError === true }];
  }
}

function isHalfWay(event: CallEvent<unknown>): event is CallEvent<unknown> & { type: 'progress' } {
  return event.type === 'progress' && event.progress.progress >= (event.progress.total ?? Infinity) / 2;
}

function cancelled({ progress, total }: ProgressParams): LegEvent {
  return { event: 'cancelled', progress, total };
}

function textOf({ content }: CallToolResult): string {
  if (!Array.isArray(content)) return ''; // a server may send anything
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
