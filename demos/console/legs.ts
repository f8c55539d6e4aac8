import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { concat, concatMap, defer, first, ignoreElements, merge, NEVER, throwError, timeout, type Observable } from 'rxjs';
import type { McpClient, TransportConfig } from '../../lib/node.ts';
import { askForLogs, call, cancelHalfWay, introduce, linger } from './acts.ts';
import type { Job } from './arguments.ts';
import type { LegEvent } from './events.ts';
import { freePort, whileRunning } from './server-program.ts';

/** A server that is there. */
export interface Host {
  readonly config: TransportConfig;
  /** What its program prints. */
  readonly output$: Observable<string>;
}

/** One server and what to do with it. */
export interface Leg {
  readonly name: string;
  readonly title: string;
  /** Runs `use` while the server is there. */
  readonly serve: <T>(use: (host: Host) => Observable<T>) => Observable<T>;
  readonly tour: (client: McpClient, host: Host) => Observable<LegEvent>;
}

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const MODERN_SERVER = fileURLToPath(new URL('modern-server.ts', import.meta.url));

/** How long it may take until a server notices that a call was cancelled, in milliseconds. */
const NOTICE_MS = 10_000;

/** The reference server as a child process, the same over HTTP, and one that speaks only the newest revision. */
export const SHOWCASE: readonly Leg[] = [
  {
    name: 'stdio',
    title: 'The reference server, over stdio',
    serve: (use) => use({ config: { command: process.execPath, args: [EVERYTHING, 'stdio'] }, output$: NEVER }),
    tour: everythingTour,
  },
  {
    name: 'http',
    title: 'The same, over Streamable HTTP',
    serve: (use) =>
      defer(freePort).pipe(
        concatMap((port) =>
          whileRunning({ args: [EVERYTHING, 'streamableHttp'], env: { PORT: String(port) }, ready: /listening on port/ }, () =>
            use({ config: { type: 'http', url: `http://127.0.0.1:${port}/mcp` }, output$: NEVER }), // it prints every request
          ),
        ),
      ),
    tour: everythingTour,
  },
  {
    name: 'modern',
    title: 'A server of the 2026-07-28 revision, over HTTP',
    serve: (use) =>
      // With our own flags: they let Node read TypeScript.
      whileRunning({ args: [...process.execArgv, MODERN_SERVER], ready: /^http:/ }, ({ readyLine, output$ }) =>
        use({ config: { type: 'http', url: readyLine }, output$ }),
      ),
    tour: modernTour,
  },
];

/** Whatever the user wants to see. */
export function legTo(config: TransportConfig, job: Job | undefined): Leg {
  return {
    name: 'custom',
    title: titleOf(config),
    serve: (use) => use({ config, output$: NEVER }),
    tour: (client) => concat(introduce(client), askForLogs(client), job === undefined ? linger(1_500) : call(client, job)),
  };
}

function everythingTour(client: McpClient): Observable<LegEvent> {
  const job = { tool: 'trigger-long-running-operation', args: { duration: 2, steps: 10 } };
  const toggleLogs$ = client.callTool('toggle-simulated-logging').pipe(ignoreElements());
  return concat(
    introduce(client),
    askForLogs(client),
    toggleLogs$,
    call(client, job),
    cancelHalfWay(client, job),
    toggleLogs$, // calls are cold: this is another one
  );
}

function modernTour(client: McpClient, { output$ }: Host): Observable<LegEvent> {
  const job = { tool: 'index-chapters', args: { chapters: 10, msEach: 200 } };
  const noticed$ = output$.pipe(
    first((line) => line.includes('was cancelled')),
    timeout({ first: NOTICE_MS, with: () => throwError(() => new Error('The server did not notice that its call was cancelled')) }),
    ignoreElements(),
  );
  return concat(introduce(client), call(client, job), merge(noticed$, cancelHalfWay(client, job)));
}

function titleOf(config: TransportConfig): string {
  if ('url' in config) return config.url;
  return 'command' in config ? [config.command, ...(config.args ?? [])].join(' ') : config.type;
}
