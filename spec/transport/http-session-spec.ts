import { expect } from 'chai';
import { createClient } from '../../lib/index.ts';
import { HttpError } from '../../lib/errors.ts';
import type { McpClient } from '../../lib/client/client.ts';
import { rawHttp, type RawFixture } from '../support/fixtures.ts';
import { call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';

const clients: McpClient[] = [];

async function clientOf(fixture: RawFixture, options: object = {}): Promise<McpClient> {
  const client = createClient({ type: 'http', url: fixture.url }, options);
  clients.push(client);
  const { error } = await outcome(client.connect());
  if (error !== undefined) throw error as Error;
  return client;
}

const methodOf = ({ method, body }: { method: string; body: any }): string => body?.method ?? method;
const initialized = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}';
const initialize = (headers: Record<string, string>, extra: object = {}) => ({ on: 'initialize', body: `{"jsonrpc":"2.0","id":"$id","result":${initialized}}`, headers: { 'content-type': 'application/json', ...headers }, ...extra });

describe('HTTP: sessions [R31]', () => {
  afterEach(closeHttp);
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
  });

  it('the id goes on everything after initialize, the version too; close() ends the session', async () => {
    const fixture = await rawHttp('session');
    const client = await clientOf(fixture);
    await outcome(client.listTools());
    await outcome(client.notify('notifications/roots/list_changed'));
    await until(async () => (await fixture.requests()).some(({ method }) => method === 'GET'));
    await outcome(client.close());
    const requests = await fixture.requests();
    const sent = requests.map((request) => [methodOf(request), request.headers['mcp-session-id'], request.headers['mcp-protocol-version']]);
    expect(sent[0]).to.deep.equal(['server/discover', undefined, '2026-07-28']);
    expect(sent[1]).to.deep.equal(['initialize', undefined, undefined]);
    expect(sent[2]).to.deep.equal(['notifications/initialized', 'session-1', '2025-11-25']);
    expect(sent.slice(2).map(([method]) => method)).to.have.members(['notifications/initialized', 'GET', 'tools/list', 'notifications/roots/list_changed', 'DELETE']);
    expect(sent.at(-1)?.[0]).to.equal('DELETE');
    for (const [method, session, version] of sent.slice(2)) expect([session, version], method).to.deep.equal(['session-1', '2025-11-25']);
  });

  for (const status of [200, 204, 404, 405, 500]) {
    it(`a DELETE answered with ${status} ends it as well`, async () => {
      const fixture = await rawHttp('session', { delete: status });
      const client = await clientOf(fixture);
      expect((await outcome(client.close())).error).to.equal(undefined);
      expect((await fixture.requests()).filter(({ method }) => method === 'DELETE')).to.have.length(1);
    });
  }

  it('a DELETE that is cut off ends it as well', async () => {
    const fixture = await scripted(initialize({ 'mcp-session-id': 's' }), { on: 'DELETE', reset: true });
    const client = await clientOf(fixture);
    expect((await outcome(client.close())).error).to.equal(undefined);
  });

  it('without a session there is no DELETE, and no header', async () => {
    const fixture = await rawHttp('plain');
    const client = await clientOf(fixture, { listen: false });
    await outcome(client.close());
    const requests = await fixture.requests();
    expect(requests.map(methodOf)).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized']);
    expect(requests.some(({ headers }) => 'mcp-session-id' in headers)).to.equal(false);
  });

  it('a later POST answer may give another id, which counts from then on', async () => {
    const fixture = await scripted(
      initialize({ 'mcp-session-id': 'one' }),
      { on: 'a', body: '{"jsonrpc":"2.0","id":"$id","result":{}}', headers: { 'content-type': 'application/json', 'mcp-session-id': 'two' } },
      { on: 'b', body: '{"jsonrpc":"2.0","id":"$id","result":{}}' },
    );
    const client = await clientOf(fixture, { listen: false });
    for (const method of ['a', 'b']) expect((await outcome(client.request(method))).error).to.equal(undefined);
    await outcome(client.close());
    const ids = (await fixture.requests()).slice(2).map((request) => [methodOf(request), request.headers['mcp-session-id']]);
    expect(ids).to.deep.equal([['notifications/initialized', 'one'], ['a', 'one'], ['b', 'two'], ['DELETE', 'two']]);
  });

  it('a refusal gives no id', async () => {
    const fixture = await scripted(
      { on: 'server/discover', status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}', headers: { 'mcp-session-id': 'refused' } },
      initialize({}),
    );
    const client = await clientOf(fixture, { listen: false });
    await outcome(client.close());
    expect((await fixture.requests()).some(({ headers }) => 'mcp-session-id' in headers)).to.equal(false);
  });

  it('a server of 2026-07-28 has none, whatever it sends', async () => {
    const discover = '{"jsonrpc":"2.0","id":"$id","result":{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete"}}';
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'unasked' };
    const fixture = await scripted({ on: 'server/discover', body: discover, headers }, { on: 'x/y', body: '{"jsonrpc":"2.0","id":"$id","result":{}}', headers });
    const client = await clientOf(fixture);
    expect(client.protocolVersion).to.equal('2026-07-28');
    for (let i = 0; i < 2; i++) expect((await outcome(client.request('x/y'))).error).to.equal(undefined);
    await outcome(client.close());
    const requests = await fixture.requests();
    expect(requests.map(methodOf)).to.deep.equal(['server/discover', 'x/y', 'x/y']);
    expect(requests.some(({ headers }) => 'mcp-session-id' in headers)).to.equal(false);
  });

  describe('the order of the handshake [R02]', () => {
    it('calls wait until initialized was accepted, and then go', async () => {
      const fixture = await scripted(initialize({}), { on: 'notifications/initialized', status: 202, delay: 150 });
      const client = createClient({ type: 'http', url: fixture.url }, { listen: false });
      clients.push(client);
      const connecting = outcome(client.connect());
      const connection = await until(() => {
        let current;
        client.connection$.subscribe((value) => (current = value)).unsubscribe();
        return current;
      });
      await until(async () => (await fixture.requests()).some((request) => methodOf(request) === 'notifications/initialized'));
      const early = outcome(call$(connection)); // past the client, straight on the connection
      await connecting;
      expect((await early).error).to.equal(undefined);
      const requests = await fixture.requests();
      expect(requests.map(methodOf)).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized', 'tools/call']);
      expect(requests[3]!.at - requests[2]!.at).to.be.above(100); // the server's own clock: it had not answered before
    });

    it('a refused initialized fails the connection', async () => {
      const fixture = await scripted(initialize({}), { on: 'notifications/initialized', status: 500, body: 'no' });
      const client = createClient({ type: 'http', url: fixture.url });
      clients.push(client);
      const error = await errorOf(client.connect());
      expect(error).to.be.instanceOf(HttpError).with.property('status', 500);
    });
  });

  describe('notifications [R15 B40]', () => {
    for (const [status, body] of [[200, ''], [200, '{}'], [200, '{"jsonrpc":"2.0","id":null,"result":null}'], [200, 'OK'], [200, '<html>'], [201, ''], [202, ''], [202, 'Accepted'], [204, '']] as const) {
      it(`are accepted with ${status} and ${JSON.stringify(body)}`, async () => {
        const fixture = await scripted({ on: 'note', status, ...(body && { body }) });
        const connection = await openHttp(fixture);
        expect(await outcome(connection.notify('note', { n: 1 }))).to.deep.equal({ values: [], error: undefined });
        expect((await fixture.requests())[0]?.body).to.deep.equal({ jsonrpc: '2.0', method: 'note', params: { n: 1 } });
      });
    }

    it('may be accepted with an event stream that stays open', async () => {
      const connection = await openHttp(await scripted({ on: 'note', sse: [': hi\n\n'], hang: true }));
      expect((await outcome(connection.notify('note'))).error).to.equal(undefined);
    });

    it('are refused with the status', async () => {
      const connection = await openHttp(await scripted({ on: 'note', status: 403, body: 'no' }));
      expect((await errorOf(connection.notify('note'))).message).to.equal('HTTP 403: no');
    });
  });
});
