// Smoke specs of the HTTP fixtures, in Node and in Chromium (there with CORS).
import { expect } from 'chai';
import { fixtureUrls, rawHttp } from './fixtures.ts';

interface Answer {
  readonly status: number;
  readonly session: string | null;
  readonly messages: any[];
}

async function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const messages = isStream ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '')) : text ? [JSON.parse(text)] : [];
  return { status: response.status, session: response.headers.get('mcp-session-id'), messages };
}

const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } },
};

const modern = (id: number, method: string, params: object = {}, meta: object = {}) => ({
  id,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'smoke', version: '1' },
      ...meta,
    },
  },
});

const modernHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

describe('HTTP fixtures', () => {
  for (const name of ['everything', 'legacy'] as const) {
    it(`${name}: opens a session and lists tools in it`, async () => {
      const { [name]: url } = await fixtureUrls();
      const opened = await post(url, initialize);
      expect(opened.messages[0].result.protocolVersion).to.equal('2025-11-25');
      const headers = { 'mcp-session-id': opened.session ?? '', 'mcp-protocol-version': '2025-11-25' };
      await post(url, { method: 'notifications/initialized' }, headers);
      const listed = await post(url, { id: 2, method: 'tools/list' }, headers);
      expect(listed.messages[0].result.tools).to.have.length.above(1);
      await fetch(url, { method: 'DELETE', headers });
    });
  }

  for (const name of ['modern', 'dual'] as const) {
    it(`${name}: answers without a handshake`, async () => {
      const { [name]: url } = await fixtureUrls();
      const discovered = await post(url, modern(1, 'server/discover'), modernHeaders('server/discover'));
      expect(discovered.messages[0].result.supportedVersions).to.include('2026-07-28');

      const meta = { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'info' };
      const call = modern(2, 'tools/call', { name: 'slow', arguments: { steps: 2, interval: 1 } }, meta);
      const { messages } = await post(url, call, modernHeaders('tools/call', 'slow'));
      expect(messages.map(({ method }) => method)).to.deep.equal([
        'notifications/progress',
        'notifications/message',
        'notifications/progress',
        'notifications/message',
        undefined,
      ]);
    });
  }

  it('modern refuses initialize, dual takes it', async () => {
    const { modern, dual } = await fixtureUrls();
    expect((await post(modern, initialize)).messages[0].error.code).to.equal(-32022);
    expect((await post(dual, initialize)).messages[0].result.protocolVersion).to.equal('2025-11-25');
  });

  it('raw: a run sees its own requests only', async () => {
    const one = await rawHttp('plain');
    const other = await rawHttp('plain');
    await post(one.url, initialize, { 'x-run': 'one' });
    expect(await one.requests()).to.have.length(1);
    expect((await one.requests())[0]).to.deep.include({ method: 'POST', body: { jsonrpc: '2.0', ...initialize } });
    expect((await one.requests())[0]?.headers).to.include({ 'x-run': 'one' });
    expect(await other.requests()).to.deep.equal([]);
  });

  it('raw: sees that the client has gone', async () => {
    const fixture = await rawHttp('sse-faults', { how: 'hang' });
    const abort = new AbortController();
    await fetch(fixture.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, method: 'tools/call', params: {} }),
      signal: abort.signal,
    });
    expect((await fixture.requests())[0]?.aborted).to.equal(false);
    abort.abort();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await fixture.requests())[0]?.aborted).to.equal(true);
  });

  it('raw: an event stream in single bytes', async () => {
    const { url } = await rawHttp('sse', { chunk: 1 });
    const { messages } = await post(url, { id: 5, method: 'tools/call', params: {} });
    expect(messages).to.have.length(3);
    expect(messages[2]).to.deep.include({ id: 5, result: { content: [{ type: 'text', text: 'é漢🦀' }] } });
  });
});
