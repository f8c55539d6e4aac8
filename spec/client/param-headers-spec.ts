import { expect } from 'chai';
import { createClient, type Diagnostic, type JsonRpcRequest, type McpClient, type Tool } from '../../lib/index.ts';
import { ParamHeaders } from '../../lib/client/param-headers.ts';
import { fakeHandler, json, type FakeHandler } from '../support/observable-http.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';

const tool = (name: string, properties: object, more: object = {}): Tool => ({ name, inputSchema: { type: 'object', properties, ...more } as Tool['inputSchema'] });
const region = { type: 'string', 'x-mcp-header': 'Region' };

describe('ParamHeaders', () => {
  const valid: [string, object][] = [
    ['no annotation', { a: { type: 'number' } }],
    ['a string, an integer and a boolean', { a: region, b: { type: 'integer', 'x-mcp-header': 'B' }, c: { type: 'boolean', 'x-mcp-header': 'c' } }],
    ['a nested property', { a: { type: 'object', properties: { b: region } } }],
    ['a parameter of that name', { 'x-mcp-header': { type: 'number' } }],
    ['an annotation in data', { a: { type: 'object', default: { 'x-mcp-header': '' } } }],
  ];
  for (const [title, properties] of valid) {
    it(`takes ${title}`, () => {
      expect(new ParamHeaders().learn(tool('x', properties))).to.equal(undefined);
    });
  }

  const invalid: [string, object, object?][] = [
    ['an empty name', { a: { type: 'string', 'x-mcp-header': '' } }],
    ['a name with a space', { a: { type: 'string', 'x-mcp-header': 'a b' } }],
    ['a name with a colon', { a: { type: 'string', 'x-mcp-header': 'a:' } }],
    ['a name with a line end', { a: { type: 'string', 'x-mcp-header': 'a\r\nb' } }],
    ['a name that is not ASCII', { a: { type: 'string', 'x-mcp-header': 'é' } }],
    ['a name that is no text', { a: { type: 'string', 'x-mcp-header': 7 } }],
    ...['number', 'object', 'array', 'null', ['string', 'null'], undefined].map((type): [string, object] => [`the type ${JSON.stringify(type)}`, { a: { type, 'x-mcp-header': 'A' } }]),
    ['a name given twice, in whatever case', { a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }],
    ['an annotation in items', { a: { type: 'array', items: region } }],
    ['an annotation behind anyOf', { a: { anyOf: [{ type: 'string' }, region] } }],
    ['an annotation in $defs', {}, { $defs: { a: region } }],
    ['an annotation at the root', {}, { 'x-mcp-header': 'A' }],
  ];
  for (const [title, properties, more] of invalid) {
    it(`refuses ${title}`, () => {
      const headers = new ParamHeaders();
      expect(headers.learn(tool('x', properties, more))).to.be.a('string').that.includes('x-mcp-header');
      expect(headers.of({ name: 'x', arguments: { a: 'v' } })).to.deep.equal({});
    });
  }

  it('reads values at their exact path, and leaves out what is not there or is no plain value', () => {
    const headers = new ParamHeaders();
    headers.learn(tool('x', { a: region, n: { type: 'integer', 'x-mcp-header': 'N' }, o: { type: 'object', properties: { b: { type: 'boolean', 'x-mcp-header': 'B' } } } }));
    const of = (args: object) => headers.of({ name: 'x', arguments: args });
    expect(of({ a: ' é ', n: 42.0, o: { b: false }, other: 'x' })).to.deep.equal({ 'mcp-param-region': ' é ', 'mcp-param-n': '42', 'mcp-param-b': 'false' });
    expect(of({ a: '', n: null, o: { b: {} } })).to.deep.equal({ 'mcp-param-region': '' });
    expect(of({ o: 'text' })).to.deep.equal({});
    expect(headers.of({ name: 'toString', arguments: {} })).to.deep.equal({});
    expect(headers.of(undefined)).to.deep.equal({});
  });

  it('does not lose itself in a schema without end', () => {
    const endless: Record<string, unknown> = { type: 'object' };
    endless.properties = { again: endless };
    expect(new ParamHeaders().learn({ name: 'x', inputSchema: endless as Tool['inputSchema'] })).to.equal(undefined);
  });
});

describe('calls of tools with mirrored parameters', () => {
  const tools = [tool('query', { region }), tool('bad', { a: { type: 'number', 'x-mcp-header': 'A' } })];

  /** A modern server over fake HTTP; `call` answers the calls. */
  function modern(call: (n: number) => object): { fake: FakeHandler; client: McpClient; calls: () => (string | undefined)[] } {
    let calls = 0;
    const fake = fakeHandler(({ body = '' }) => {
      const { id, method } = JSON.parse(body) as JsonRpcRequest;
      const result: Record<string, () => object> = {
        'server/discover': () => ({ result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } }),
        'tools/list': () => ({ result: { tools } }),
        'tools/call': () => call(calls++),
      };
      return json({ jsonrpc: '2.0', id, ...result[method]?.() });
    });
    const client = createClient({ type: 'http', url: 'http://server/mcp', handler: fake.handler });
    record(client.connect());
    return { fake, client, calls: () => fake.requests.filter(({ body }) => body?.includes('tools/call')).map(({ headers }) => headers['mcp-param-region']) };
  }

  it('carry the headers once the tool was listed, encoded where needed, and bad tools are left out with a diagnostic [B55]', () => {
    inVirtualTime(({ flush }) => {
      const { client, calls } = modern(() => ({ result: { content: [] } }));
      const diagnostics: Diagnostic[] = [];
      client.diagnostics$.subscribe((diagnostic) => diagnostics.push(diagnostic));
      const listed = record(client.listTools());
      for (const value of ['eu', '東']) record(client.callTool('query', { region: value }));
      record(client.callTool('query', {}));
      flush();
      expect(listed.values[0]?.map(({ name }) => name)).to.deep.equal(['query']);
      expect(diagnostics.map(({ kind }) => kind)).to.deep.equal(['unusable-tool']);
      expect(diagnostics[0]?.message).to.include('"bad"');
      expect(calls()).to.deep.equal(['eu', '=?base64?5p2x?=', undefined]);
      void client.close();
      flush();
    });
  });

  const mismatch = { error: { code: -32020, message: 'Header mismatch' } };

  it('list the tools afresh and are sent again, once, when the server finds a mismatch', () => {
    inVirtualTime(({ flush }) => {
      const { client, calls } = modern((n) => (n === 0 ? mismatch : { result: { content: [] } }));
      const called = record(client.callTool('query', { region: 'eu' }));
      flush();
      expect(called.values).to.deep.equal([{ content: [] }]);
      expect(calls()).to.deep.equal([undefined, 'eu']);
      void client.close();
      flush();
    });
  });

  it('fail with the mismatch when listing afresh does not help', () => {
    inVirtualTime(({ flush }) => {
      const { client, calls } = modern(() => mismatch);
      const called = record(client.callTool('query', { region: 'eu' }, { observe: 'events' }));
      flush();
      expect(called.errors.map(({ message }) => message)).to.deep.equal(['MCP error -32020: Header mismatch']);
      expect(calls()).to.have.length(2);
      void client.close();
      flush();
    });
  });
});
