import { Component, computed, linkedSignal, signal } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import type { JsonObject, ManagedTool, ServerStatus } from 'rxjs-mcp';
import { injectMcp } from 'rxjs-mcp/angular';
import { CallCard } from './call-card';
import { ElicitationDialog } from './elicitation-dialog';
import { Run } from './run';
import { SchemaForm } from './schema-form';

interface Line {
  readonly id: number;
  readonly server: string;
  readonly label: string;
  readonly text: string;
}

const MAX_LINES = 100;

/** An agent's workbench, without the agent: servers, their tools, calls, questions and what happens. */
@Component({
  selector: 'app-root',
  imports: [CallCard, ElicitationDialog, SchemaForm],
  templateUrl: './app.html',
})
export class App {
  readonly mcp = injectMcp();
  readonly query = signal('');
  readonly found = computed(() => {
    const query = this.query().trim().toLowerCase();
    return this.mcp.tools().filter(({ name, tool }) => `${name} ${tool.title ?? ''} ${tool.description ?? ''}`.toLowerCase().includes(query));
  });
  readonly groups = computed(() => {
    const names = [...new Set(this.found().map(({ server }) => server))];
    return names.map((server) => ({ server, tools: this.found().filter((tool) => tool.server === server) }));
  });
  readonly chosenName = signal<string | undefined>(undefined);
  /** Stays as it is while its server is away, and when its list says the same again. */
  readonly chosen = linkedSignal<ManagedTool | undefined, ManagedTool | undefined>({
    source: () => this.mcp.tools().find(({ name }) => name === this.chosenName()),
    computation: (now, before) => {
      const kept = before?.value;
      if (now === undefined) return kept?.name === this.chosenName() ? kept : undefined;
      return kept?.name === now.name && JSON.stringify(kept.tool) === JSON.stringify(now.tool) ? kept : now;
    },
  });
  readonly runs = signal<readonly Run[]>([]);
  readonly lines = signal<readonly Line[]>([]);
  readonly question = computed(() => this.mcp.elicitations()[0]);
  #runs = 0;
  #lines = 0;

  constructor() {
    this.mcp.manager.notifications$.pipe(takeUntilDestroyed()).subscribe(({ server, notification: { method, params } }) => {
      if (method === 'notifications/progress') return; // shown with the call
      const { level, data } = (params ?? {}) as { level?: string; data?: unknown };
      const isLog = method === 'notifications/message';
      this.#note(server, isLog ? (level ?? 'log') : 'notification', isLog ? (typeof data === 'string' ? data : JSON.stringify(data)) : method.replace('notifications/', ''));
    });
  }

  choose({ name }: ManagedTool): void {
    this.chosenName.set(name);
  }

  call(tool: ManagedTool, args: JsonObject): void {
    const run = new Run(this.mcp, tool, ++this.#runs, args);
    this.runs.update((runs) => [run, ...runs]);
  }

  dismiss(run: Run): void {
    this.runs.update((runs) => runs.filter((one) => one !== run));
  }

  tone({ state }: ServerStatus): string {
    if (state.phase === 'ready') return 'good';
    return ['connecting', 'waiting', 'asking'].includes(state.phase) ? 'busy' : state.phase === 'disabled' ? 'idle' : 'bad';
  }

  cause({ state: { phase, cause } }: ServerStatus): string | undefined {
    return phase !== 'ready' && cause instanceof Error ? cause.message : undefined;
  }

  toggle({ name, state }: ServerStatus): void {
    if (state.phase === 'disabled') this.mcp.manager.enable(name);
    else this.mcp.manager.disable(name);
  }

  search(event: Event): void {
    this.query.set((event.target as HTMLInputElement).value);
  }

  schemaOf({ tool }: ManagedTool): JsonObject {
    return tool.inputSchema as JsonObject;
  }

  #note(server: string, label: string, text: string): void {
    const line = { id: ++this.#lines, server, label, text };
    this.lines.update((lines) => [line, ...lines].slice(0, MAX_LINES));
  }
}
