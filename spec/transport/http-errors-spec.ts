import { expect } from 'chai';
import { concat, defer } from 'rxjs';
import { ConfigError, HttpError, NetworkError, RpcError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import { HttpTransport } from '../../lib/transport/http.ts';
import { FakeHttp } from '../support/http-by-hand.ts';
import { inBrowser, rawHttp } from '../support/fixtures.ts';
import { call, call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

describe('HTTP: statuses', () => {
  afterEach(closeHttp);

  for (const status of [400, 401, 403, 404, 406, 410, 500, 502, 503]) {
    it(`${status} fails the call with its text [R33]`, async () => {
      const connection = await openHttp(await rawHttp('status', { status }));
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(HttpError);
      expect(error.message).to.equal(`HTTP ${status}: no luck`);
      expect(error).to.include({ status, text: 'no luck' });
      expect(connection.connected).to.equal(true);
      expect((await outcome(connection.request('ping'))).error).to.equal(undefined);
    });
  }

  it('the hints are appended when present [R33]', async () => {
    const connection = await openHttp(await rawHttp('status', { status: 401, hint: 1 }));
    const error = await errorOf(call$(connection));
    expect(error.message).to.equal('HTTP 401: no luck [WWW-Authenticate: Bearer realm="raw"; Mcp-Auth-Server: https://as.example]');
    expect(error).to.include({ wwwAuthenticate: 'Bearer realm="raw"', mcpAuthServer: 'https://as.example' });
  });

  for (const [header, text] of [
    ['www-authenticate', 'WWW-Authenticate: Bearer'],
    ['mcp-auth-server', 'Mcp-Auth-Server: Bearer'],
  ] as const) {
    it(`one hint alone: ${text} [R33]`, async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', status: 403, body: 'no', headers: { [header]: 'Bearer' } }));
      expect((await errorOf(call$(connection))).message).to.equal(`HTTP 403: no [${text}]`);
    });
  }

  it('says when to come again, and never where tokens may be', async () => {
    const fixture = await scripted({ on: 'tools/call', status: 429, body: 'slow down', headers: { 'retry-after': '700' } });
    const error = await errorOf(call$(await openHttp(fixture)));
    expect(error.retryAfter).to.equal('700');
    expect(error.url).to.equal(fixture.url.replace(/\?.*/, ''));
  });

  it('a body that is empty, long, or breaks off is no reason to hang', async () => {
    const http = new FakeHttp((exchange, n) => {
      if (n === 0) exchange.respond(502);
      else if (n === 1) exchange.respond(500, 'x'.repeat(10_000));
      else if (n === 2) exchange.head(500).write('partly').break(new Error('cut'));
      else exchange.respond(500, ' \n ');
    });
    const connection = http.connect();
    const texts: string[] = [];
    for (let i = 0; i < 4; i++) texts.push((await errorOf(call$(connection))).message);
    expect(texts[0]).to.equal('HTTP 502: Status Text');
    expect(texts[1]).to.equal(`HTTP 500: ${'x'.repeat(300)}…`);
    expect(texts[2]).to.equal('HTTP 500: Status Text');
    expect(texts[3]).to.equal('HTTP 500: Status Text');
    await outcome(connection.close());
  });

  describe('with a JSON-RPC error as body [R33 R34 B43]', () => {
    const body = (id: string) => `{"jsonrpc":"2.0",${id}"error":{"code":-32001,"message":"Session not found","data":{"x":1}}}`;

    for (const [title, id] of [
      ['for the call', '"id":"$id",'],
      ['for the call, the number as text', '"id":"1",'],
      ['with a null id', '"id":null,'],
      ['without an id', ''],
    ] as const) {
      it(`${title}: it is that error, with the status as a field`, async () => {
        for (const status of [400, 404, 500]) {
          const connection = await openHttp(await scripted({ on: 'tools/call', status, body: body(id) }));
          const error = await errorOf(call$(connection));
          expect(error).to.be.instanceOf(RpcError);
          expect(error.message).to.equal('MCP error -32001: Session not found');
          expect(error).to.deep.include({ code: -32001, data: { x: 1 }, status });
        }
      });
    }

    it('for another id: it is the HTTP error', async () => {
      const text = body('"id":99,');
      const connection = await openHttp(await scripted({ on: 'tools/call', status: 400, body: text }));
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(HttpError);
      expect(error.message).to.equal(`HTTP 400: ${text}`);
    });

    for (const odd of ['{}', '[]', 'null', '"text"', '{"error":"invalid_token"}', '{"jsonrpc":"2.0","id":"$id","result":{}}']) {
      it(`${odd} is none`, async () => {
        const connection = await openHttp(await scripted({ on: 'tools/call', status: 400, body: odd }));
        expect(await errorOf(call$(connection))).to.be.instanceOf(HttpError).with.property('status', 400);
      });
    }
  });

  it('a failure is told with whether the call may have run', async () => {
    const statuses: [number, boolean][] = [[400, false], [404, false], [500, true], [503, true]];
    for (const [status, mayHaveRun] of statuses) {
      const connection = await openHttp(await rawHttp('status', { status }));
      const deliveries = record(connection.deliveries$);
      await errorOf(call$(connection));
      expect(deliveries.values.filter(({ type }) => type === 'failed'), String(status)).to.have.length(1);
      expect(deliveries.values.at(-1)).to.include({ mayHaveRun });
    }
  });

  describe('no HTTP answer', () => {
    it('nobody there: a NetworkError', async () => {
      const connection = await openHttp({ url: 'http://127.0.0.1:40404/mcp?token=secret', requests: async () => [] });
      const deliveries = record(connection.deliveries$);
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(NetworkError);
      expect(error.url).to.equal('http://127.0.0.1:40404/mcp');
      expect(error.message).not.to.include('secret');
      if (!inBrowser) expect(error.code).to.equal('ECONNREFUSED');
      expect(deliveries.values.at(-1)).to.include({ mayHaveRun: inBrowser });
    });

    it('a connection that is cut may be used again', async () => {
      const connection = await openHttp(await rawHttp('reset', { times: inBrowser ? 2 : 1 }));
      let error: unknown;
      while ((error = (await outcome(call$(connection))).error) === undefined) throw new Error('expected an error first');
      expect(error).to.be.instanceOf(NetworkError);
      if (inBrowser) await outcome(call$(connection));
      expect(await call(connection, { n: 1 })).to.equal('{"n":1}');
    });

    it('nothing is guessed of CORS where there is none [B53]', async () => {
      const refused = await openHttp(await rawHttp('hidden-session'));
      expect((await errorOf(call$(refused))).message).to.not.include('Access-Control');
    });

    if (inBrowser) {
      it('a session id that the page cannot see: the refusal says which header the server lacks [B53]', async () => {
        const client = createClient({ type: 'http', url: (await rawHttp('hidden-session')).url }, { listen: false });
        const error = await errorOf(concat(client.connect(), defer(() => client.callTool('echo'))));
        expect(error).to.be.instanceOf(HttpError).with.property('status', 400);
        expect(error.message).to.equal(
          'HTTP 400: Bad Request: Mcp-Session-Id header is required [the page sees no Mcp-Session-Id; if the server sends one, it must name it in Access-Control-Expose-Headers]',
        );
        await outcome(client.close());
      });

      it('a preflight that fails after a handshake that went well: the error says which header may be why [B53]', async () => {
        const client = createClient({ type: 'http', url: (await rawHttp('no-modern-headers')).url }, { listen: false });
        const error = await errorOf(client.connect());
        expect(error).to.be.instanceOf(NetworkError);
        expect(error.message).to.include('Access-Control-Allow-Headers must name all that is sent, as mcp-protocol-version');
        await outcome(client.close());
      });

      it('no CORS headers: a NetworkError without a code', async () => {
        const connection = await openHttp(await rawHttp('no-cors'));
        const error = await errorOf(call$(connection));
        expect(error).to.be.instanceOf(NetworkError);
        expect(error.code).to.equal(undefined);
      });
    }
  });

  for (const url of ['', 'mcp', '/mcp', 'ftp://x/y', 'javascript:alert(1)', 'http://', 'ws://x/y']) {
    it(`"${url}" is no URL to talk to`, () => {
      expect(() => new HttpTransport({ type: 'http', url })).to.throw(ConfigError, 'Not an http or https URL');
    });
  }

  it('the error for a bad URL keeps its secrets', () => {
    expect(() => new HttpTransport({ type: 'http', url: 'http:/user:hunter2@x:port/?token=hunter2' }))
      .to.throw(ConfigError)
      .with.property('message')
      .that.does.not.include('token');
  });
});
