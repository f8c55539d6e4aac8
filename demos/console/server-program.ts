import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { concatMap, filter, fromEvent, map, merge, take, throwError, timeout, using, type Observable, type Unsubscribable } from 'rxjs';

/** A program for Node that serves over HTTP. */
export interface ServerProgram {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What it prints once it accepts connections. */
  readonly ready: RegExp;
}

/** A program that accepts connections. */
export interface RunningProgram {
  /** The line that said so. */
  readonly readyLine: string;
  /** What it prints from then on, to stdout or stderr. */
  readonly output$: Observable<string>;
}

/** How long a program may take to start, in milliseconds. */
const READY_MS = 20_000;

/** Runs the program for as long as `use` lasts, and ends it then. */
export function whileRunning<T>(program: ServerProgram, use: (running: RunningProgram) => Observable<T>): Observable<T> {
  return using(
    () => new Program(program),
    (resource) => {
      const { output$, exited$ } = resource as Program;
      const readyLine$ = output$.pipe(filter((line) => program.ready.test(line)));
      return merge(readyLine$, exited$).pipe(
        take(1),
        timeout({ first: READY_MS, with: () => throwError(() => new Error(`The server did not start in time: ${program.args.join(' ')}`)) }),
        concatMap((readyLine) => use({ readyLine, output$ })),
      );
    },
  );
}

/** A port of the loopback interface that nobody uses, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

class Program implements Unsubscribable {
  readonly output$: Observable<string>;
  /** Errors, as no server should end by itself. */
  readonly exited$: Observable<never>;
  readonly #kill: () => void;

  constructor({ args, env }: ServerProgram) {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32', // out of the terminal's reach: Ctrl-C is for the client, which says goodbye first
    });
    this.output$ = merge(
      ...[child.stdout, child.stderr].map((pipe) => fromEvent(createInterface(pipe), 'line') as Observable<string>),
    );
    this.exited$ = fromEvent(child, 'exit').pipe(
      map(() => {
        throw new Error(`The server ended too early: ${args.join(' ')}`);
      }),
    );
    this.#kill = () => child.kill();
    process.once('exit', this.#kill);
  }

  unsubscribe(): void {
    process.off('exit', this.#kill);
    this.#kill();
  }
}
