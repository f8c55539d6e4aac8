import { signal } from '@angular/core';
import type { CallToolResult, JsonObject, ManagedTool, ProgressParams } from 'rxjs-mcp';
import type { McpRef } from 'rxjs-mcp/angular';

/** A call under way, and afterwards. */
export class Run {
  readonly tool: string;
  readonly server: string;
  readonly phase = signal<'running' | 'done' | 'failed' | 'cancelled'>('running');
  readonly progress = signal<ProgressParams | undefined>(undefined);
  readonly result = signal<CallToolResult | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  readonly #calling;

  constructor(
    mcp: McpRef,
    { server, tool }: ManagedTool,
    readonly id: number,
    readonly args: JsonObject,
  ) {
    this.server = server;
    this.tool = tool.name;
    const address = { server, tool: tool.name };
    this.#calling = mcp.callTool(address, args, { observe: 'events', timeoutMs: 300_000, resetTimeoutOnProgress: true }).subscribe({
      next: (event) => {
        if (event.type === 'progress') this.progress.set(event.progress);
        if (event.type !== 'result') return;
        this.result.set(event.result);
        this.phase.set(event.result.isError ? 'failed' : 'done');
      },
      error: (error: Error) => {
        this.error.set(error.message);
        this.phase.set('failed');
      },
    });
  }

  /** The server is told. */
  cancel(): void {
    if (this.phase() !== 'running') return;
    this.#calling.unsubscribe();
    this.phase.set('cancelled');
  }
}
