// Node only: stdio connections for specs, closed after each of them.
import { firstValueFrom, lastValueFrom } from 'rxjs';
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

export const call$ = (connection: Connection, args: object = {}, options?: object) =>
  connection.request('tools/call', { name: 'echo', arguments: args as never }, options);

/** The text of a tool's result. */
export async function call(connection: Connection, args?: object, options?: object): Promise<string> {
  const { content } = await firstValueFrom(call$(connection, args, options));
  return (content[0] as { text: string }).text;
}

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
