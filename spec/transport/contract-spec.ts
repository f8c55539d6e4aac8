import { HttpTransport } from '../../lib/transport/http.ts';
import { HttpSseTransport } from '../../lib/transport/http-sse.ts';
import { createMemoryPair } from '../../lib/transport/memory.ts';
import { Connection } from '../../lib/session/connection.ts';
import { keepsTheContract } from '../support/contract.ts';
import { createContractServer } from '../support/contract-server.mjs';
import { inBrowser, rawHttp } from '../support/fixtures.ts';

for (const synchronous of [true, false]) {
  describe(`contract: memory, ${synchronous ? 'synchronous' : 'asynchronous'} [R03]`, () => {
    keepsTheContract((options) => {
      const [client, server] = createMemoryPair({ synchronous });
      const react = createContractServer();
      server.inbound$.subscribe((message) => {
        react(message, (...messages) => {
          for (const answer of messages) server.outbound$.next(answer as never);
        });
      });
      void server.connect();
      return new Connection(client, options);
    });
  });
}

for (const answers of ['json', 'sse']) {
  describe(`contract: HTTP, answers as ${answers} [R03 R12 R13]`, () => {
    keepsTheContract(
      async (options) => {
        const { url } = await rawHttp('contract', { answers });
        return new Connection(new HttpTransport({ type: 'http', url }), options);
      },
      { inFlight: inBrowser ? 4 : 50 }, // a page has six connections to a host
    );
  });
}

describe('contract: the HTTP+SSE pair of 2024-11-05 [R03 R04]', () => {
  keepsTheContract(
    async (options) => {
      const { url } = await rawHttp('contract-pair');
      return new Connection(new HttpSseTransport({ type: 'sse', url }), options);
    },
    { inFlight: inBrowser ? 4 : 50 }, // a page has six connections to a host
  );
});
