import { expect } from 'chai';
import { concat, NEVER, Subject } from 'rxjs';
import { createClient, FallbackError, ProtocolError, withHttpSse, type JsonRpcRequest } from '../../lib/index.ts';
import { Connection } from '../../lib/session/connection.ts';
import { HttpSseTransport } from '../../lib/transport/http-sse.ts';
import { fixtureUrls } from '../support/fixtures.ts';
import { answer, events, fakeHandler, json, utf8, type FakeHandler } from '../support/observable-http.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';
import { firstValueFrom, lastValueFrom } from 'rxjs';

const URL_OF_SERVER = 'http://server:81/base/sse?token=1';

/** The pair over a fake stream that the spec writes. */
function pair(post: (request: JsonRpcRequest) => ReturnType<typeof answer> = () => answer(202)) {
  const stream$ = new Subject<Uint8Array>();
  const fake: FakeHandler = fakeHandler(({ method, body = '' }) => (method === 'GET' ? events(concat(stream$, NEVER)) : post(JSON.parse(body) as JsonRpcRequest)));
  const connection = new Connection(new HttpSseTransport({ type: 'sse', url: URL_OF_SERVER, handler: fake.handler, headers: { authorization: 'Bearer x' } }));
  const say = (text: string): void => {
    stream$.next(utf8(text));
  };
  return { connection, fake, say, stream$, ready: record(connection.connect()), endpoint: (data: string) => { say(`event: endpoint\ndata: ${data}\n\n`); } };
}

describe('the HTTP+SSE pair of 2024-11-05', () => {
  const endpoints: [string, string][] = [
    ['/messages?s=1', 'http://server:81/messages?s=1'],
    ['messages?s=1', 'http://server:81/base/messages?s=1'],
    ['?s=1', 'http://server:81/base/sse?s=1'],
    ['http://server:81/m', 'http://server:81/m'],
  ];
  for (const [data, url] of endpoints) {
    it(`posts to ${url} when the endpoint is ${data} [B67]`, () => {
      inVirtualTime(({ flush }) => {
        const { connection, fake, endpoint, ready, say } = pair();
        expect(connection.connected).to.equal(false);
        endpoint(data);
        expect(ready.completed).to.equal(1);
        const called = record(connection.request('ping'));
        expect(fake.requests.at(-1)).to.deep.include({ method: 'POST', url });
        expect(fake.requests.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer x', 'Bearer x']);
        say('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
        expect(called.values).to.deep.equal([{}]);
        void connection.close();
        flush();
        expect(fake.live).to.equal(0);
      });
    });
  }

  for (const data of ['https://evil.example/m', 'http://server:82/m', 'https://server:81/m', '', 'http://:bad']) {
    it(`refuses the endpoint ${JSON.stringify(data)} at once [B67]`, () => {
      inVirtualTime(({ flush }) => {
        const { fake, endpoint, ready } = pair();
        endpoint(data);
        flush();
        expect(ready.errors[0]).to.be.instanceOf(ProtocolError);
        expect([fake.requests.length, fake.live]).to.deep.equal([1, 0]);
      });
    });
  }

  it('gives up after 30 seconds without an endpoint [B67]', () => {
    inVirtualTime(({ flush }) => {
      const { fake, ready } = pair();
      flush();
      expect(ready.errors.map(({ message }) => message)).to.deep.equal(['Request timeout after 30000ms']);
      expect([ready.endedAt, fake.live]).to.deep.equal([30_000, 0]);
    });
  });

  it('keeps a second endpoint out, and takes what comes before the first', () => {
    inVirtualTime(({ flush }) => {
      const { connection, fake, endpoint, say } = pair();
      const notified = record(connection.notifications$);
      const diagnosed = record(connection.diagnostics$);
      say('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\nevent: endpoint\ndata: /a\n\n');
      endpoint('/b');
      record(connection.request('ping'));
      expect(notified.values).to.have.length(1);
      expect(diagnosed.values.map(({ kind }) => kind)).to.deep.equal(['skipped-event']);
      expect(fake.requests.at(-1)?.url).to.equal('http://server:81/a');
      void connection.close();
      flush();
    });
  });

  it('fails a call whose POST is refused, and goes on', () => {
    inVirtualTime(({ flush }) => {
      const { connection, endpoint, say } = pair(({ id }) => (id === 1 ? answer(500, {}, 'oops') : answer(202)));
      endpoint('/m');
      const [first, second] = [record(connection.request('ping')), record(connection.request('ping'))];
      say('data: not JSON\n\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n');
      flush();
      expect(first.errors.map(({ message }) => message)).to.deep.equal(['HTTP 500: oops']);
      expect(second.values).to.deep.equal([{}]);
      void connection.close();
      flush();
    });
  });

  it('rejects what waits when the stream ends, once', () => {
    inVirtualTime(({ flush }) => {
      const { connection, endpoint, stream$ } = pair();
      endpoint('/m');
      const called = record(connection.request('ping'));
      stream$.error(new Error('reset'));
      flush();
      expect(called.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
      expect(connection.connected).to.equal(false);
    });
  });
});

describe('the way to a server', () => {
  const both = (react: Parameters<typeof fakeHandler>[0], type: 'http' | 'sse' = 'http') => {
    const fake = fakeHandler(react);
    const client = createClient({ type, url: URL_OF_SERVER, handler: fake.handler }, { features: [withHttpSse()] });
    return { fake, client, ready: record(client.connect()), ways: () => fake.requests.map(({ method }) => method) };
  };

  for (const status of [400, 404, 405]) {
    it(`leads to the pair after ${status}, and tells both reasons when that fails too [B51]`, () => {
      inVirtualTime(({ flush }) => {
        const { client, ready, ways } = both(({ method }) => answer(method === 'GET' ? 406 : status, {}, method));
        flush();
        expect(ready.errors[0]).to.be.instanceOf(FallbackError);
        expect(ready.errors[0].message).to.equal(`HTTP ${status}: POST; then: HTTP 406: GET`);
        expect(ways()).to.deep.equal(['POST', 'POST', 'GET']);
        void client.close();
        flush();
      });
    });
  }

  for (const status of [401, 403, 406, 429, 500]) {
    it(`ends at ${status}: that is no sign of an older server [B51]`, () => {
      inVirtualTime(({ flush }) => {
        const { client, ready, ways } = both(() => answer(status, {}, 'no'));
        flush();
        expect(ready.errors.map(({ message }) => message)).to.deep.equal([`HTTP ${status}: no`]);
        expect(ways()).to.not.include('GET');
        void client.close();
        flush();
      });
    });
  }

  it('ends at a modern refusal [B51]', () => {
    inVirtualTime(({ flush }) => {
      const { client, ready, ways } = both(({ body = '' }) => json({ jsonrpc: '2.0', id: (JSON.parse(body) as JsonRpcRequest).id, error: { code: -32021, message: 'x' } }, 400));
      flush();
      expect(ready.errors.map(({ message }) => message)).to.deep.equal(['MCP error -32021: x']);
      expect(ways()).to.deep.equal(['POST']);
      void client.close();
      flush();
    });
  });
});

describe('a real server of the pair [R04]', () => {
  for (const type of ['http', 'sse'] as const) {
    it(`is reached with the type "${type}"`, async () => {
      const { everythingSse } = await fixtureUrls();
      const client = createClient({ type, url: everythingSse }, { features: [withHttpSse()] });
      await firstValueFrom(client.connect());
      const result = await lastValueFrom(client.callTool('echo', { message: 'hi' }));
      expect(result.content).to.deep.equal([{ type: 'text', text: 'Echo: hi' }]);
      await lastValueFrom(client.close(), { defaultValue: undefined });
    });
  }
});
