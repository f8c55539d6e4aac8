import { assertInInjectionContext, inject, Injector, runInInjectionContext, signal, type Resource, type Signal } from '@angular/core';
import { concatMap, EMPTY, of, tap } from 'rxjs';
import type { CallToolOptions, CallToolResult, JsonObject, LoggingMessageParams, ProgressParams, ToolAddress } from '../index.js';
import { appended } from './collect.js';
import { injectMcp } from './provide-mcp.js';
import { streamResource } from './stream-resource.js';

/** @public */
export interface McpToolOptions extends Omit<CallToolOptions, 'observe' | 'signal' | 'abort$'> {
  /**
   * Which tool; where there is one server, by the tool's own name. By server and name
   * it may be called before the server is ready, by its name in the list once it is listed.
   */
  readonly tool: ToolAddress | (() => ToolAddress);
  /** What it is called with, again whenever that changes; undefined calls nothing. */
  readonly args: () => JsonObject | undefined;
  /** @defaultValue the one of the context */
  readonly injector?: Injector | undefined;
}

/** A call as Angular's `Resource`: its value is the result. @public */
export interface McpToolRef extends Resource<CallToolResult | undefined> {
  /** How far the latest call has come; undefined before there is news. */
  readonly progress: Signal<ProgressParams | undefined>;
  /** What the server logged about it, where the wire tells: over HTTP; at most 200. */
  readonly logs: Signal<readonly LoggingMessageParams[]>;
  /** Calls again with the same arguments. False when there is nothing to call, or a call is under way. */
  reload(): boolean;
  /** Ends the call under way, and makes no other. */
  destroy(): void;
}

/**
 * Calls a tool whenever its arguments change. A call that is no longer needed,
 * because they changed, or the view has gone, is cancelled at the server.
 * Counts as a pending task until there is a result, and so also when the page
 * is rendered on the server.
 *
 * @public
 */
export function mcpTool({ tool, args, injector, ...options }: McpToolOptions): McpToolRef {
  if (injector === undefined) assertInInjectionContext(mcpTool);
  return runInInjectionContext(injector ?? inject(Injector), () => {
    const mcp = injectMcp();
    const progress = signal<ProgressParams | undefined>(undefined);
    const logs = signal<readonly LoggingMessageParams[]>([]);
    const wanted = () => {
      const given = args();
      return given && { tool: typeof tool === 'function' ? tool() : tool, given };
    };
    const resource = streamResource(wanted, (call) => {
      progress.set(undefined);
      logs.set([]);
      return mcp.callTool(call.tool, call.given, { ...options, observe: 'events' }).pipe(
        tap((event) => {
          if (event.type === 'progress') progress.set(event.progress);
          if (event.type === 'log') logs.update((before) => appended(before, event.log));
        }),
        concatMap((event) => (event.type === 'result' ? of(event.result) : EMPTY)),
      );
    });
    return Object.assign(resource, { progress: progress.asReadonly(), logs: logs.asReadonly() });
  });
}
