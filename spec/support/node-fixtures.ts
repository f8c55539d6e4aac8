// Node only: the stdio fixture servers, and HTTP scenarios written inside a spec.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { everythingStdio } from './servers/everything.mjs';
import { createRawHttp, type RecordedRequest, type Scenario } from './servers/raw-http.mjs';

export { startFixtures } from './servers/start.mjs';

export interface Command {
  readonly command: string;
  readonly args: string[];
}

const script = (name: string): string => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));

/** How to start a well-behaved server over stdio. */
export const stdioServer = (name: 'everything' | 'legacy' | 'modern' | 'dual' | 'inquiring' | 'skills'): Command =>
  name === 'everything' ? everythingStdio() : { command: process.execPath, args: [script(name)] };

/** How to start a scenario of `servers/raw-stdio/`. */
export const rawStdio = (scenario: string, options: object = {}): Command => ({
  command: process.execPath,
  args: [script('raw-stdio'), scenario, JSON.stringify(options)],
});

export interface LocalHttp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** How many TCP connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** Serves one scenario inside the spec's own process, until it is closed. */
export async function startRawHttp(scenario: Scenario): Promise<LocalHttp> {
  const server = createRawHttp(() => scenario);
  server.keepAliveTimeout = 1; // An idle connection is no leak of the code under test.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${port}/raw/local`,
    port,
    requests: server.requestsOf('local'),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => {
          if (error) reject(error);
          else resolve(count);
        });
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
