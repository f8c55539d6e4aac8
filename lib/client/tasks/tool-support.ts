import { catchError, concat, defer, EMPTY, ignoreElements, of, share, tap, type MonoTypeOperatorFunction, type Observable } from 'rxjs';
import type { CallEvent } from '../../session/request-options.js';
import type { ToolExecution } from '../../wire/mcp/tool-types.js';
import { isObject, type JsonObject } from '../../wire/message.js';
import type { McpClient } from '../client.js';

type TaskSupport = NonNullable<ToolExecution['taskSupport']>;

/**
 * Which tools may, must or must not run as tasks, as their list says. It is
 * fetched for the first tool that is not known, and forgotten with each new
 * connection and when the server announces a change.
 *
 * @see MCP 2025-11-25 Tasks, "Tool-Level Negotiation"
 */
export class ToolSupport {
  readonly #known = new Map<string, TaskSupport>();
  /** Whether what is not known is not in the list either. */
  #isComplete = false;
  readonly #listed$: Observable<never>;

  constructor(client: McpClient) {
    this.#listed$ = defer(() => client.listTools()).pipe(
      tap((tools) => {
        this.#learn(tools);
        this.#isComplete = true;
      }),
      ignoreElements(),
      catchError(() => EMPTY), // the call itself will show what is wrong
      share(),
    );
    const forget = () => {
      this.#known.clear();
      this.#isComplete = false;
    };
    client.connection$.subscribe(forget);
    client.onNotification('notifications/tools/list_changed', forget);
  }

  /** Emits once. */
  of(name: string): Observable<TaskSupport> {
    const known$ = defer(() => of(this.#known.get(name) ?? 'forbidden'));
    return defer(() => (this.#known.has(name) || this.#isComplete ? known$ : concat(this.#listed$, known$)));
  }

  /** Learns from every list that passes. */
  readonly learning: MonoTypeOperatorFunction<CallEvent<JsonObject>> = tap((event) => {
    if (event.type === 'result' && isObject(event.result)) this.#learn(event.result.tools);
  });

  #learn(tools: unknown): void {
    for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) {
      const { taskSupport } = isObject(tool.execution) ? tool.execution : {};
      this.#known.set(String(tool.name), taskSupport === 'optional' || taskSupport === 'required' ? taskSupport : 'forbidden');
    }
  }
}
