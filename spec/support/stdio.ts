// Node only: stdio connections for specs, closed after each of them.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { lastValueFrom } from 'rxjs';
import { Connection, type ConnectionOptions } from '../../lib/session/connection.ts';
import { StdioTransport, type StdioConfig } from '../../lib/transport/stdio.ts';
import { rawStdio } from './node-fixtures.ts';
import { outcome, until } from './outcome.ts';

export interface OpenStdio {
  readonly connection: Connection;
  readonly transport: StdioTransport;
  /** Everything on stderr so far. */
  stderr(): string;
  /** What `onClose` was called with. */
  readonly closes: unknown[];
}

const opened: Connection[] = [];

/** A connection that is not open yet. */
export function makeStdio(config: StdioConfig, options: ConnectionOptions = {}): OpenStdio {
  const transport = new StdioTransport(config);
  const closes: unknown[] = [];
  const connection = new Connection(transport, { name: config.name, onClose: (cause) => closes.push(cause), ...options });
  opened.push(connection);
  let stderr = '';
  transport.stderr$.subscribe((text) => (stderr += text));
  return { connection, transport, stderr: () => stderr, closes };
}

/** A connection to a scenario of `servers/raw-stdio/`. */
export async function openStdio(scenario: string, options: object = {}, config: Partial<StdioConfig> = {}): Promise<OpenStdio & { readonly pid: number }> {
  const stdio = makeStdio({ ...rawStdio(scenario, options), ...config });
  await lastValueFrom(stdio.connection.connect());
  return { ...stdio, pid: stdio.transport.pid! };
}

/** For `afterEach`. */
export async function closeStdio(): Promise<void> {
  await Promise.all(opened.splice(0).map((connection) => outcome(connection.close())));
}

export { call, call$ } from './http.ts';

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The pid that the scenario printed for its grandchild. */
export async function grandchildOf({ stderr }: OpenStdio): Promise<number> {
  const found = await until(() => /grandchild (\d+)/.exec(stderr()) ?? undefined);
  return Number(found[1]);
}

/** Call it inside a `describe`: gives every process that was started during a spec, whoever started it. */
export function watchChildren(): () => ChildProcess[] {
  const children: ChildProcess[] = [];
  const add = (message: unknown): void => void children.push((message as { process: ChildProcess }).process);
  beforeEach(() => {
    children.length = 0;
    subscribe('child_process', add);
  });
  afterEach(() => {
    unsubscribe('child_process', add);
  });
  return () => [...children];
}

/** Their pids; one that could not be started has none. */
export const pidsOf = (children: readonly ChildProcess[]): number[] => children.flatMap(({ pid }) => pid ?? []);
