import type { ChildProcess } from 'node:child_process';
import { Buffer } from 'node:buffer';
import process from 'node:process';
import {
  asapScheduler,
  concat,
  defer,
  EMPTY,
  fromEvent,
  merge,
  noop,
  type Observable,
  ReplaySubject,
  Subject,
  Subscription,
  take,
  takeUntil,
  timer,
} from 'rxjs';
import { ConfigError, ConnectionClosedError, MessageTooLargeError, SpawnError, type McpError } from '../errors.js';
import { encodeMessage } from '../framing/encode.js';
import { jsonLines, type JsonLine } from '../framing/json-lines.js';
import type { JsonRpcMessage, RequestId } from '../wire/message.js';
import { excerptOf } from './diagnostic.js';
import { DEFAULT_MAX_MESSAGE_BYTES, type CommonConfig } from './config.js';
import { ProcessGroup } from './process-group.js';
import { SendQueue } from './send-queue.js';
import { spawnProcess } from './spawn.js';
import { TransportCore } from './transport-core.js';

/** A server that runs as a child process. @public */
export interface StdioConfig extends CommonConfig {
  readonly type?: 'stdio' | undefined;
  /** The program; looked up in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the few variables a child inherits, see {@link INHERITED_VARIABLES}. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** @defaultValue the directory of this process */
  readonly cwd?: string | undefined;
  /** Most that waits to be written, in bytes. @defaultValue 67_108_864 (64 MiB) */
  readonly maxQueuedBytes?: number | undefined;
  /** How long each step of the shutdown (EOF, SIGTERM, SIGKILL) waits, in milliseconds. @defaultValue 2_000 */
  readonly shutdownStepMs?: number | undefined;
  /**
   * What a line over `maxMessageBytes` does: end the connection with an error,
   * or be skipped with a diagnostic. @defaultValue 'fail'
   */
  readonly oversized?: 'fail' | 'skip' | undefined;
}

/**
 * What a child inherits without being asked: enough to find programs and
 * homes, nothing that is likely to be a secret.
 *
 * @public
 */
export const INHERITED_VARIABLES: readonly string[] =
  process.platform === 'win32'
    ? ['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE',
       'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR']
    : ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];

/** How much of stderr is kept for errors, in characters. */
const STDERR_TAIL = 8_192;
/** How long output is still read after the process has ended, or an exit code awaited after output has ended. */
const DRAIN_MS = 500;
/** Most bytes handed to the pipe at once; what waits behind can still be taken back. */
const BATCH_BYTES = 262_144;
/** So many bytes do not wait for the end of the tick: the server can read them while more is being made. */
const EARLY_BYTES = 65_536;

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Talks to a child process: one JSON message per line on stdin and stdout. @see MCP 2025-11-25 Transports, stdio */
export class StdioTransport extends TransportCore {
  readonly hasRequestStreams = false;
  readonly #config: StdioConfig;
  readonly #stderr = new Subject<string>();
  readonly #exit$ = new ReplaySubject<void>(1);
  readonly #outputClosed$ = new ReplaySubject<void>(1);
  readonly #reading = new Subscription();
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #stderrTail = '';
  #exit: Exit | undefined;
  #failure: Error | undefined;
  #ending = false;

  readonly #queue: SendQueue;
  #flushScheduled = false;

  readonly stderr$: Observable<string> = this.#stderr.asObservable();

  /** @throws {@link ConfigError} there is no command. */
  constructor(config: StdioConfig) {
    super();
    if (typeof (config.command as unknown) !== 'string' || config.command === '') throw new ConfigError('A stdio server needs a "command" that starts it');
    this.#config = config;
    this.#queue = new SendQueue(config.maxQueuedBytes);
  }

  /** The process id of the server while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  release(sent: RequestId | JsonRpcMessage): boolean {
    return this.#queue.release(sent);
  }

  protected open(): void {
    const { command, args = [], cwd } = this.#config;
    let child: ChildProcess;
    try {
      child = spawnProcess(command, args, {
        cwd,
        env: childEnvironment(this.#config.env),
        stdio: 'pipe',
        windowsHide: true,
        detached: process.platform !== 'win32', // a group of its own, so that wrappers' children can be ended too
      });
    } catch (error) {
      this.closed(spawnError(command, cwd, error));
      return;
    }
    this.#child = child;
    child.once('spawn', () => {
      if (child.pid !== undefined) this.#group = new ProcessGroup(child.pid);
      this.opened();
    });
    child.on('error', (error) => {
      if (child.pid === undefined) this.#finish(spawnError(command, cwd, error));
    });
    child.once('exit', (exitCode, signal) => {
      this.#exit = { exitCode, signal };
      this.#exit$.next();
      this.#endByItself();
    });
    child.once('close', () => {
      this.#outputClosed$.next();
    });
    this.#readOutput(child);
    this.#drainStderr(child);
    child.stdin?.on('error', (error) => {
      this.#failure ??= error;
      this.#endByItself();
    });
  }

  protected shutDown(): void {
    if (this.#child?.pid === undefined) this.#finish(undefined);
    else if (!this.#ending) this.#end(this.#config.shutdownStepMs ?? 2_000);
  }

  protected send(message: JsonRpcMessage): void {
    let text: string;
    try {
      text = `${encodeMessage(message)}\n`; // JSON text has no line end of its own
    } catch (error) {
      this.deliver({ type: 'failed', message, error: error as ConfigError, mayHaveRun: false });
      return;
    }
    if (this.#queue.bytes >= EARLY_BYTES && !this.#isWriting) this.#writeBatch(BATCH_BYTES);
    const error = this.#queue.add({ message, text, bytes: Buffer.byteLength(text) });
    if (error !== undefined) {
      this.deliver({ type: 'failed', message, error, mayHaveRun: false });
      return;
    }
    if (this.#isWriting || this.#flushScheduled) return;
    this.#flushScheduled = true;
    asapScheduler.schedule(() => {
      this.#flushScheduled = false;
      if (!this.#isWriting) this.#writeBatch(BATCH_BYTES);
    });
  }

  /** Nothing is written while the pipe has something left: its callback is the backpressure. */
  #writeBatch(maxBytes: number): void {
    const stdin = this.#child?.stdin;
    const { waiting } = this.#queue;
    if (waiting.length === 0 || !stdin?.writable) return;
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && (count === 0 || bytes < maxBytes)) bytes += waiting[count++]?.bytes ?? 0;
    const batch = this.#queue.take(count);
    stdin.write(batch.map(({ text }) => text).join(''), (error) => {
      if (error) return; // the pipe's error event ends the connection, which settles everything
      for (const { message } of batch) this.deliver({ type: 'written', message });
      if (!this.#isWriting) this.#writeBatch(maxBytes);
    });
  }

  /** Whether the pipe has something left of what it was given; most often it takes all at once. */
  get #isWriting(): boolean {
    return (this.#child?.stdin?.writableLength ?? 0) > 0;
  }

  #readOutput(child: ChildProcess): void {
    const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, oversized } = this.#config;
    const onOversized = ({ message }: MessageTooLargeError) => {
      this.diagnose({ kind: 'malformed', message: `Skipped a line: ${message}` });
    };
    const lines$ = readAll(child.stdout).pipe(jsonLines({ maxLineBytes: maxMessageBytes, oversized, onOversized }));
    const reading = lines$.subscribe({
      next: (line) => {
        this.#take(line);
      },
      error: (error: unknown) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        this.#failure ??= failure;
        this.diagnose({ kind: 'failure', message: `Reading the server's output failed: ${failure.message}`, error: failure });
        child.stdout?.resume(); // nobody reads any more, but the child must not block
        this.#endByItself();
      },
      complete: () => {
        this.#endByItself();
      },
    });
    this.#reading.add(reading);
  }

  #take(line: JsonLine): void {
    if (line.type === 'value') this.receive(line.value);
    else this.diagnose({ kind: 'malformed', message: 'Skipped a line that is not JSON', excerpt: excerptOf(line.text) });
  }

  /** stderr is read whether anybody listens or not: a full pipe would block the child. */
  #drainStderr(child: ChildProcess): void {
    const decoder = new TextDecoder();
    const reading = readAll(child.stderr).subscribe({
      next: (chunk) => {
        const text = decoder.decode(chunk, { stream: true });
        this.#stderrTail = (this.#stderrTail + text).slice(-STDERR_TAIL);
        this.#stderr.next(text);
      },
      complete: () => {
        this.#stderr.complete();
      },
    });
    this.#reading.add(reading);
  }

  /** The process, its output or its input ended without being asked to. */
  #endByItself(): void {
    if (this.#ending || this.status === 'closed') return;
    this.#end(DRAIN_MS);
  }

  #end(stepMs: number): void {
    this.#ending = true;
    const asked = this.status === 'closing';
    const exited$ = this.#exit$.pipe(take(1));
    const within = (ms: number) => merge(exited$, timer(ms)).pipe(take(1));
    const step = (act: () => void) =>
      defer(() => {
        act();
        return within(stepMs);
      });
    const ladder$ = concat(
      step(() => {
        this.#writeBatch(Infinity);
        this.#child?.stdin?.end();
      }),
      step(() => this.#group?.kill('SIGTERM')),
      step(() => this.#group?.kill('SIGKILL')),
    ).pipe(takeUntil(exited$));
    const drained$ = merge(this.#outputClosed$, timer(DRAIN_MS)).pipe(take(1));
    concat(ladder$, drained$, defer(() => this.#group?.endRest(stepMs) ?? EMPTY)).subscribe({
      complete: () => {
        this.#finish(asked ? undefined : this.#closedError());
      },
    });
  }

  #closedError(): McpError {
    if (this.#failure instanceof MessageTooLargeError) return this.#failure;
    return new ConnectionClosedError({
      server: this.#config.name,
      ...this.#exit,
      stderrTail: this.#stderrTail,
      cause: this.#failure,
    });
  }

  #finish(cause: McpError | undefined): void {
    this.#ending = true;
    this.#reading.unsubscribe();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.stdin?.destroy();
    this.#group?.forget();
    this.#stderr.complete();
    this.#queue.clear();
    this.closed(cause);
  }
}

/** Every chunk of a pipe, up to its end. A pipe that breaks has ended. */
function readAll(pipe: NodeJS.ReadableStream | null | undefined): Observable<Uint8Array> {
  if (!pipe) return EMPTY; // Node leaves it out when it runs out of file descriptors
  pipe.on('error', noop); // for good: an error after the end must not reach the process
  const ended$ = merge(fromEvent(pipe, 'end'), fromEvent(pipe, 'close'), fromEvent(pipe, 'error'));
  return (fromEvent(pipe, 'data') as Observable<Uint8Array>).pipe(takeUntil(ended$));
}

function childEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const]; // "()": a shell function
  });
  return { ...Object.fromEntries(inherited), ...env };
}

function spawnError(command: string, cwd: string | undefined, error: unknown): SpawnError {
  const code = (error as { code?: string }).code;
  const reasons: Record<string, string> = {
    ENOENT: `not found (ENOENT); is it installed and in PATH${cwd === undefined ? '' : `, and does the directory ${cwd} exist`}?`,
    EACCES: 'permission denied (EACCES); is it an executable file?',
  };
  const reason = code === undefined ? undefined : reasons[code];
  return new SpawnError(command, code, reason ?? (error instanceof Error ? error.message : String(error)), error);
}
