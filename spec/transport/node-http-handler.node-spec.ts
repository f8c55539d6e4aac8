import { Agent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectSocket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { concatMap, firstValueFrom, reduce, take, toArray } from 'rxjs';
import { NetworkError } from '../../lib/errors.ts';
import { Connection } from '../../lib/session/connection.ts';
import { HttpTransport } from '../../lib/transport/http.ts';
import { nodeHttpHandler } from '../../lib/transport/node-http-handler.ts';
import { keepsTheContract } from '../support/contract.ts';
import { rawHttp } from '../support/fixtures.ts';
import { call, call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { startRawHttp, type LocalHttp } from '../support/node-fixtures.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import type { Scenario } from '../support/servers/raw-http.mjs';

for (const answers of ['json', 'sse']) {
  describe(`contract: HTTP over node:http, answers as ${answers} [R03 R12 R13]`, () => {
    keepsTheContract(async (options) => {
      const { url } = await rawHttp('contract', { answers });
      return new Connection(new HttpTransport({ type: 'http', url, handler: nodeHttpHandler() }), options);
    });
  });
}

describe('nodeHttpHandler', () => {
  afterEach(closeHttp);

  let servers: LocalHttp[] = [];
  const serve = async (scenario: Scenario): Promise<LocalHttp> => {
    const server = await startRawHttp(scenario);
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
  });
  const over = (server: { url: string }) => openHttp({ ...server, requests: async () => [] }, { handler: nodeHttpHandler() });
  const get = (url: string) => nodeHttpHandler()({ method: 'GET', url, headers: {} });
  const textOf = (chunks: Uint8Array[]): string => Buffer.concat(chunks).toString();

  for (const [encoding, compress] of [['gzip', gzipSync], ['x-gzip', gzipSync], ['GZip', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const) {
    it(`decodes ${encoding}`, async () => {
      const server = await serve((_request, response, _body, context) => {
        const body = Buffer.from(JSON.stringify(context.answer({ text: 'é'.repeat(100_000) })));
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(compress(body));
      });
      const connection = await over(server);
      expect(await firstValueFrom(connection.request('a'))).to.deep.equal({ text: 'é'.repeat(100_000) });
    });
  }

  it('says which encodings it takes, unless it is told', async () => {
    const server = await serve((_request, _response, _body, context) => {
      context.text('x');
    });
    await outcome(get(server.url).pipe(concatMap(({ body$ }) => body$)));
    await outcome(nodeHttpHandler()({ method: 'GET', url: server.url, headers: { 'accept-encoding': 'identity' } }).pipe(concatMap(({ body$ }) => body$)));
    expect(server.requests.map(({ headers }) => headers['accept-encoding'])).to.deep.equal(['gzip, deflate, br', 'identity']);
  });

  it('a body that is not encoded as it says is a NetworkError', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('{"jsonrpc":"2.0"}');
    });
    const error = await errorOf((await over(server)).request('a', undefined, { timeoutMs: Infinity }));
    expect(error).to.be.instanceOf(NetworkError).with.property('code', 'Z_DATA_ERROR');
  });

  it('keeps its socket for the next request, after refusals too', async () => {
    const httpAgent = new Agent({ keepAlive: true });
    let sockets = 0;
    const { createConnection } = httpAgent as unknown as { createConnection: (...args: unknown[]) => unknown };
    Object.assign(httpAgent, {
      createConnection: (...args: unknown[]) => {
        sockets++;
        return createConnection.apply(httpAgent, args);
      },
    });
    const connection = await openHttp(await scripted({ on: 'tools/call', times: 5, status: 400, body: 'no' }), { handler: nodeHttpHandler({ httpAgent }) });
    const errors = [];
    for (let n = 0; n < 10; n++) errors.push((await outcome(call$(connection))).error);
    expect(errors.filter(Boolean)).to.have.length(5);
    expect(sockets).to.equal(1);
  });

  it('ends the exchange when unsubscribed: before the head, and while the body comes', async () => {
    let gone = 0;
    const server = await serve(async (request, response, _body, context) => {
      if (request.url?.includes('body')) response.writeHead(200).write('first');
      await context.gone();
      gone++;
    });
    const silent = get(server.url).subscribe();
    await until(() => server.requests.length === 1);
    silent.unsubscribe();
    await until(() => gone === 1);
    const first = await firstValueFrom(get(`${server.url}?body`).pipe(concatMap(({ body$ }) => body$), take(1)));
    expect(textOf([first])).to.equal('first');
    await until(() => gone === 2);
    expect(await until(async () => (await server.connections()) === 0)).to.equal(true);
  });

  it('gives the body as it comes, and completes when it ends', async () => {
    const server = await serve(async (_request, response, _body, context) => {
      response.writeHead(200);
      for (const part of ['a', 'b', 'c']) {
        response.write(part);
        await context.sleep(5);
      }
      response.end();
    });
    const response$ = get(server.url);
    const { values, error } = await outcome(response$.pipe(concatMap(({ status, statusText, headers, body$ }) => body$.pipe(reduce((text, chunk) => text + textOf([chunk]), `${status} ${statusText} ${headers.get('Transfer-Encoding')} ${headers.get('x-none')} `)))));
    expect([values, error]).to.deep.equal([['200 OK chunked null abc'], undefined]);
  });

  it('nobody there, or cut off: a NetworkError with the system’s code', async () => {
    const server = await serve((_request, _response, _body, context) => {
      context.reset();
    });
    const connection = await over(server);
    expect(await errorOf(connection.request('a'))).to.be.instanceOf(NetworkError).with.property('code', 'ECONNRESET');
    await server.close();
    expect(await errorOf(connection.request('a'))).to.be.instanceOf(NetworkError).with.property('code', 'ECONNREFUSED');
  });

  it('cut off inside the body: a NetworkError, and the connection may be used again', async () => {
    const connection = await openHttp(await scripted({ on: 'tools/call', times: 1, body: '{"jsonrpc":', reset: true }), { handler: nodeHttpHandler() });
    expect(await errorOf(call$(connection))).to.be.instanceOf(NetworkError).with.property('code', 'ECONNRESET');
    expect(await call(connection, { n: 1 })).to.equal('{"n":1}');
  });

  it('takes agents of the caller’s, for each of the two protocols', async () => {
    const server = await serve((_request, _response, _body, context) => {
      context.text('here');
    });
    const seen: string[] = [];
    /** A proxy of sorts: leads everything to the server. */
    const leading = (name: string) => ({
      createConnection: () => {
        seen.push(name);
        return connectSocket(server.port, '127.0.0.1');
      },
    });
    const httpAgent = new Agent();
    const httpsAgent = new HttpsAgent();
    Object.assign(httpAgent, leading('http'));
    Object.assign(httpsAgent, leading('https'));
    const handler = nodeHttpHandler({ httpAgent, httpsAgent });
    for (const protocol of ['http', 'https']) {
      const { values } = await outcome(handler({ method: 'GET', url: `${protocol}://far.example/raw/local`, headers: {} }).pipe(concatMap(({ body$ }) => body$), toArray()));
      expect(values.map(textOf)).to.deep.equal(['here']);
    }
    expect(seen).to.deep.equal(['http', 'https']);
  });
});
