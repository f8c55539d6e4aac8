import { expect } from 'chai';
import type { McpClient } from '../../lib/client/client.ts';
import { HttpError, RpcError, UnsupportedProtocolVersionError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import { inBrowser, rawHttp, type RawFixture } from '../support/fixtures.ts';
import { scripted } from '../support/http.ts';
import { errorOf, outcome } from '../support/outcome.ts';

const LEGACY = ['server/discover', 'initialize', 'notifications/initialized'];
const json = (id: string, code: number, message = 'x') => `{"jsonrpc":"2.0",${id}"error":{"code":${code},"message":"${message}"}}`;

describe('odd handshakes over HTTP', () => {
  const clients: McpClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
  });

  function clientOf({ url }: RawFixture): McpClient {
    const client = createClient({ type: 'http', url }, { listen: false });
    clients.push(client);
    return client;
  }
  const methods = async (fixture: RawFixture) => (await fixture.requests()).map(({ body }) => body?.method);

  for (const [title, rule] of [
    ['200 with -32700 and a null id', { body: json('"id":null,', -32700) }],
    ['400 with -32700 and a null id', { status: 400, body: json('"id":null,', -32700) }],
    ['400 with -32600 and a null id', { status: 400, body: json('"id":null,', -32600) }],
    ['400 with -32000 and a null id', { status: 400, body: json('"id":null,', -32000, 'Bad Request: Server not initialized') }],
    ['400 with -32602', { status: 400, body: json('"id":"$id",', -32602) }],
    ['400 with -32601', { status: 400, body: json('"id":"$id",', -32601) }],
    ['404 with -32601', { status: 404, body: json('"id":"$id",', -32601) }],
    ['200 with -32601', { body: json('"id":"$id",', -32601) }],
    ['400 without a body', { status: 400 }],
    ['400 with HTML', { status: 400, body: '<html>Bad Request</html>' }],
    ['406', { status: 406, body: 'Not Acceptable' }],
    ['500', { status: 500, body: 'Internal Server Error' }],
    ['202', { status: 202 }],
    ['HTML', { body: '<html>Hello</html>' }],
    ['an event stream that ends', { sse: [] }],
    ['an event stream with -32601', { sse: [`data: ${json('"id":"$id",', -32601)}\n\n`] }],
    ['older revisions only', { body: '{"jsonrpc":"2.0","id":"$id","result":{"supportedVersions":["2025-11-25"],"capabilities":{}}}' }],
  ] as const) {
    it(`the probe answered with ${title} means initialize [B20]`, async () => {
      const fixture = await scripted({ on: 'server/discover', ...rule });
      const client = clientOf(fixture);
      expect((await outcome(client.connect())).error).to.equal(undefined);
      expect(client.protocolVersion).to.equal('2025-11-25');
      expect(await methods(fixture)).to.deep.equal(LEGACY);
      expect((await outcome(client.callTool('echo'))).error).to.equal(undefined);
    });
  }

  for (const status of [401, 403, 429, 503]) {
    it(`${status} says nothing about the era: it is the error of connect() [B20]`, async () => {
      const fixture = await scripted({ on: '*', status, body: 'no', headers: { 'retry-after': '70' } });
      expect(await errorOf(clientOf(fixture).connect())).to.be.instanceOf(HttpError).with.property('status', status);
      expect(await methods(fixture)).to.deep.equal(['server/discover']);
    });
  }

  it('a modern error that names no revision of ours is the end, with the list [B21]', async () => {
    const body = '{"jsonrpc":"2.0","id":"$id","error":{"code":-32022,"message":"x","data":{"supported":["2026-09-01"],"requested":"2026-07-28"}}}';
    const fixture = await scripted({ on: 'server/discover', status: 400, body });
    const error = await errorOf(clientOf(fixture).connect());
    expect(error).to.be.instanceOf(UnsupportedProtocolVersionError);
    expect(error.serverVersions).to.deep.equal(['2026-09-01']);
    expect(await methods(fixture)).to.deep.equal(['server/discover']);
  });

  for (const code of [-32020, -32021]) {
    it(`${code} never leads to initialize either [B21]`, async () => {
      const fixture = await scripted({ on: 'server/discover', status: 400, body: json('"id":"$id",', code) });
      expect(await errorOf(clientOf(fixture).connect())).to.be.instanceOf(RpcError).with.property('code', code);
      expect(await methods(fixture)).to.deep.equal(['server/discover']);
    });
  }

  it('initialize carries no version header, everything later does [B23]', async () => {
    const fixture = await rawHttp('plain');
    const client = clientOf(fixture);
    await outcome(client.connect());
    await outcome(client.listTools());
    const versions = (await fixture.requests()).map(({ body, headers }) => [body.method, headers['mcp-protocol-version']]);
    expect(versions).to.deep.equal([
      ['server/discover', '2026-07-28'],
      ['initialize', undefined],
      ['notifications/initialized', '2025-11-25'],
      ['tools/list', '2025-11-25'],
    ]);
  });

  if (inBrowser) {
    it('a failed preflight is tried once without the modern headers', async () => {
      const fixture = await rawHttp('no-modern-headers');
      const client = clientOf(fixture);
      await outcome(client.connect()); // the version header later may fail its preflight, too
      expect((await methods(fixture))[0]).to.equal('initialize');
    });
  }
});
