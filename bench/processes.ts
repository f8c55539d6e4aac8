import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClientName, Measurement, Order, Reply, Target, Workload } from './types.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Without settings for Node: some clients pass them on to their servers and others do not, and more certificates alone double a start. */
export const cleanEnv: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')));

export interface StartOptions {
  /** Where rxjs-mcp is imported from. @defaultValue the built package */
  readonly library?: string;
  /** For Node. @defaultValue none */
  readonly execArgv?: readonly string[];
}

/** A client in a process of its own, which does one thing at a time. */
export class ClientProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(client: ClientName, { library = 'rxjs-mcp/node', execArgv = [] }: StartOptions = {}): Promise<ClientProcess> {
    const child = fork(path('client-process.mjs'), [client, library], { execArgv: [...execArgv, '--expose-gc', '--no-warnings'], env: cleanEnv });
    const started = new ClientProcess(child);
    await started.#reply();
    return started;
  }

  async connect(target: Target): Promise<void> {
    await this.#ask({ order: 'connect', target });
  }

  async run(workload: Workload): Promise<Measurement> {
    const { measurement } = await this.#ask({ order: 'run', workload });
    if (measurement === undefined) throw new Error(`No measurement of ${workload.kind}`);
    return measurement;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    await this.#ask({ order: 'close' });
    this.#child.disconnect();
    await exited;
  }

  async #ask(order: Order): Promise<Reply> {
    const reply = this.#reply();
    this.#child.send(order);
    return reply;
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const onMessage = (reply: Reply): void => {
        this.#child.off('exit', onExit);
        if (reply.error === undefined) resolve(reply);
        else reject(new Error(reply.error));
      };
      const onExit = (code: number | null): void => {
        this.#child.off('message', onMessage);
        reject(new Error(`The process of the client exited with ${String(code)}`));
      };
      this.#child.once('message', onMessage).once('exit', onExit);
    });
  }
}

/** How the stdio server is started; with `starts`, it adds a dot to that file each time. */
export function stdioServer(starts?: string): Target {
  return { command: process.execPath, args: [path('servers/stdio.mjs'), ...(starts === undefined ? [] : ['--starts', starts])] };
}

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the HTTP server in a process of its own. */
export async function startHttpServer(): Promise<HttpServer> {
  const child = spawn(process.execPath, [path('servers/http.mjs')], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: cleanEnv });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [url] = (await once(lines, 'line')) as [string];
  return {
    url,
    close: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
