// Many servers from configuration files: `npm start -- --config PATH`, `--discover`, and with them `watch` and `call`.
import { catchError, concat, defer, endWith, filter, finalize, ignoreElements, map, merge, NEVER, of, ReplaySubject, share, take, takeUntil, type Observable } from 'rxjs';
import { createManager, loadConfig, toEntries, watchConfig, type ConfigOptions, type McpManager, type ServerEntry, type ServerStatus } from '../../lib/node.ts';
import type { Job } from './arguments.ts';
import { toMessage } from './error-message.ts';
import { ProcessWatch } from './process-watch.ts';

/** What is to be done with many servers. */
export interface ManyJob {
  /** Files to read; none: what is found on this machine. */
  readonly files: readonly string[];
  /** Whether found servers may be started without looking at them first. */
  readonly isTrusted: boolean;
  /** Stays, and follows the files. */
  readonly watch: boolean;
  readonly call: (Job & { readonly server: string }) | undefined;
}

/** What happens, for people and programs. */
export type ManyEvent =
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'found'; readonly servers: readonly { readonly name: string; readonly from: string }[] }
  | { readonly event: 'servers'; readonly servers: readonly ServerRow[] }
  | { readonly event: 'ended'; readonly server: string; readonly status: 'ready' | 'failed' }
  | { readonly event: 'tools'; readonly tools: readonly string[] }
  | { readonly event: 'result'; readonly isError: boolean; readonly text: string }
  | { readonly event: 'error'; readonly message: string }
  | { readonly event: 'closed'; readonly processesLeft: number };

export interface ServerRow {
  readonly name: string;
  readonly phase: string;
  readonly tools: number;
  readonly why: string;
}

/** Runs the job to its end, or until `interrupted$`. */
export function runMany(job: ManyJob, interrupted$: Observable<unknown>): Observable<ManyEvent> {
  return defer(() => {
    const warnings: ManyEvent[] = [];
    const options: ConfigOptions = job.files.length > 0 ? { files: job.files } : { hosts: 'all' };
    const warn = ({ message }: { readonly message: string }) => warnings.push({ event: 'warning', message });
    const entries$ = (job.watch ? watchConfig(options) : loadConfig(options)).pipe(
      toEntries(warn),
      share({ connector: () => new ReplaySubject(1) }),
    );
    const warned$ = concat(entries$.pipe(take(1), ignoreElements()), defer(() => warnings));
    const isShownOnly = job.files.length === 0 && !job.isTrusted;
    return concat(warned$, isShownOnly ? found(entries$) : managed(entries$, job, interrupted$)).pipe(
      catchError((error: unknown) => of<ManyEvent>({ event: 'error', message: toMessage(error) })),
    );
  });
}

/** What is found starts programs, so it is shown first. */
function found(entries$: Observable<readonly ServerEntry[]>): Observable<ManyEvent> {
  return entries$.pipe(
    take(1),
    map((entries): ManyEvent => ({ event: 'found', servers: entries.map(({ name, origin }) => ({ name, from: origin?.file ?? '' })) })),
  );
}

function managed(entries$: Observable<readonly ServerEntry[]>, { call, watch }: ManyJob, interrupted$: Observable<unknown>): Observable<ManyEvent> {
  const processes = new ProcessWatch();
  const manager = createManager(call === undefined ? entries$ : entries$.pipe(map((entries) => entries.filter(({ name }) => name === call.server))));
  const ended$ = manager.discoverAndConnect().pipe(map(({ server, status }): ManyEvent => ({ event: 'ended', server, status })));
  const work$ = call !== undefined ? called(manager, call) : watch ? NEVER : listed(manager);
  const work = concat(ended$, work$).pipe(
    catchError((error: unknown) => of<ManyEvent>({ event: 'error', message: toMessage(error) })),
    share(),
  );
  const table$ = manager.servers$.pipe(map((servers): ManyEvent => ({ event: 'servers', servers: servers.map(rowOf) })));
  const over$ = merge(interrupted$, work.pipe(ignoreElements(), endWith(undefined)));
  const closed$ = defer(() => concat(manager.close(), processes.left())).pipe(
    filter((count) => count !== undefined),
    map(({ processesLeft }): ManyEvent => ({ event: 'closed', processesLeft })),
    finalize(() => {
      processes.unsubscribe();
    }),
  );
  return concat(merge(table$, work).pipe(takeUntil(over$)), table$.pipe(take(1)), closed$);
}

function listed(manager: McpManager): Observable<ManyEvent> {
  return manager.tools$.pipe(
    take(1),
    map((tools): ManyEvent => ({ event: 'tools', tools: tools.map(({ name }) => name) })),
  );
}

function called(manager: McpManager, { server, tool, args }: NonNullable<ManyJob['call']>): Observable<ManyEvent> {
  return manager.callTool({ server, tool }, args).pipe(
    map(({ content, isError = false }): ManyEvent => ({ event: 'result', isError, text: content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n') })),
  );
}

function rowOf({ name, state: { phase, cause }, tools }: ServerStatus): ServerRow {
  return { name, phase, tools, why: cause === undefined || phase === 'ready' ? '' : toMessage(cause) };
}
