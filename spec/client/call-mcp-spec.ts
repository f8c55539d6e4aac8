import { expect } from 'chai';
import { concat, NEVER, of, throwError } from 'rxjs';
import { callMCP, parseSSE } from '../../lib/client/call-mcp.ts';
import { ConfigError, HttpError, NoResponseError, ParseError, RequestTimeoutError } from '../../lib/errors.ts';
import { answer, events, fakeHandler, json, utf8, type FakeHandler } from '../support/observable-http.ts';
import { inVirtualTime, record, testScheduler } from '../support/test-scheduler.ts';

const URL_ = 'https://a.example/mcp';
const envelope = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
const body = (...texts: string[]) => of(...texts.map(utf8));
const call = ({ handler }: FakeHandler, timeoutMs?: number) => record(callMCP(URL_, 'tools/list', { a: 1 }, { handler, timeoutMs }));

describe('callMCP [R05]', () => {
  it('posts one request and gives the envelope of a JSON answer', () => {
    inVirtualTime(({ flush }) => {
      const fake = fakeHandler(() => json(envelope));
      const seen = record(callMCP(URL_, 'tools/list', { a: 1 }, { handler: fake.handler, headers: { 'X-Key': 'k' } }));
      flush();
      expect(seen).to.deep.include({ values: [envelope], completed: 1, errors: [] });
      expect(fake.live).to.equal(0);
      const [request] = fake.requests;
      expect(request).to.deep.include({ method: 'POST', url: URL_ });
      expect(request!.headers).to.deep.equal({ 'x-key': 'k', accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
      expect(JSON.parse(request!.body!)).to.deep.equal({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { a: 1 } });
    });
  });

  it('sends no params where there are none', () => {
    const fake = fakeHandler(() => json(envelope));
    record(callMCP(URL_, 'ping', undefined, { handler: fake.handler }));
    expect(JSON.parse(fake.requests[0]!.body!)).to.deep.equal({ jsonrpc: '2.0', id: 1, method: 'ping' });
  });

  it('is cold, and each subscription posts', () => {
    const fake = fakeHandler(() => json(envelope));
    const call$ = callMCP(URL_, 'ping', undefined, { handler: fake.handler });
    expect(fake.requests).to.have.length(0);
    record(call$);
    record(call$);
    expect(fake.requests).to.have.length(2);
  });

  it('gives the envelope of an event stream, also in pieces', () => {
    const fake = fakeHandler(() => events(body('event: message\nda', `ta: ${JSON.stringify(envelope)}\n`, '\n')));
    expect(call(fake).values).to.deep.equal([envelope]);
  });

  it('gives an error envelope as it is: it throws nothing', () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no' } };
    expect(call(fakeHandler(() => json(error))).values).to.deep.equal([error]);
  });

  it('fails with the status of an answer that is not 2xx, and its hints [R33]', () => {
    const fake = fakeHandler(() => answer(401, { 'WWW-Authenticate': 'Bearer realm="x"', 'Mcp-Auth-Server': 'https://as' }, 'Unauthorized'));
    const [error] = call(fake).errors;
    expect(error).to.be.instanceOf(HttpError);
    expect(error.message).to.equal('HTTP 401: Unauthorized [WWW-Authenticate: Bearer realm="x"; Mcp-Auth-Server: https://as]');
    expect(fake.live).to.equal(0);
  });

  it('fails with the parse error of what is no JSON [R35]', () => {
    for (const text of ['<html>', '{"a":', 'data: {"a":\n\n']) {
      const [error] = call(fakeHandler(() => answer(200, {}, text))).errors;
      expect(error).to.be.instanceOf(ParseError);
      expect(error.cause).to.be.instanceOf(SyntaxError);
      expect(error.message).to.equal(error.cause.message);
    }
  });

  it('fails when there is no answer in the body, or no body', () => {
    for (const response of [answer(202), answer(200, {}, NEVER.pipe()), answer(200, {}, of())].filter((_, i) => i !== 1)) {
      const [error] = call(fakeHandler(() => response)).errors;
      expect(error).to.be.instanceOf(NoResponseError);
      expect(error.message).to.equal('No response received for request ID 1');
    }
  });

  it('passes a network error on', () => {
    const error = new Error('ECONNREFUSED');
    expect(call(fakeHandler(() => throwError(() => error))).errors).to.deep.equal([error]);
  });

  it('reads an error body that does not end for a second, and reports what came [R33 R40]', () => {
    inVirtualTime(({ flush }) => {
      const fake = fakeHandler(() => answer(500, {}, concat(of(utf8('oops')), NEVER)));
      const seen = call(fake);
      flush();
      expect(seen.endedAt).to.equal(1_000);
      expect(seen.errors[0].message).to.equal('HTTP 500: oops');
      expect(fake.live).to.equal(0);
    });
  });

  for (const [title, react] of [
    ['no answer', () => NEVER],
    ['a body that does not end', () => answer(200, {}, concat(of(utf8('{"a"')), NEVER))],
  ] as const) {
    it(`gives ${title} up at the deadline, and ends the exchange [R40]`, () => {
      inVirtualTime(({ flush }) => {
        const fake = fakeHandler(react);
        const own = call(fake, 50);
        const standard = call(fake);
        flush();
        expect([own.endedAt, standard.endedAt]).to.deep.equal([50, 30_000]);
        expect(own.errors[0]).to.be.instanceOf(RequestTimeoutError);
        expect(own.errors[0].message).to.equal('Request timeout after 50ms');
        expect(fake.live).to.equal(0);
      });
    });
  }

  it('ends the exchange when unsubscribed', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const body$ = cold('     -----|');
      const response$ = cold(' --r---', { r: answer(200, {}, body$ as never) });
      const responseSubs = '   ^---! ';
      const bodySubs = '       --^-! ';
      const unsub = '          ----! ';
      expectObservable(callMCP(URL_, 'x', undefined, { handler: () => response$ }), unsub).toBe('------');
      expectSubscriptions(response$.subscriptions).toBe(responseSubs);
      expectSubscriptions(body$.subscriptions).toBe(bodySubs);
    });
  });

  it('refuses a deadline that makes no sense, and headers that are none', () => {
    const { handler } = fakeHandler(() => json(envelope));
    const outcome = (options: object): unknown => {
      try {
        return record(callMCP(URL_, 'x', undefined, { handler, ...options })).errors[0];
      } catch (error) {
        return error;
      }
    };
    expect(outcome({ timeoutMs: 0 })).to.be.instanceOf(ConfigError);
    expect(outcome({ headers: { x: 'a\r\nb: c' } })).to.be.instanceOf(ConfigError);
  });
});

describe('parseSSE [R05]', () => {
  const data = JSON.stringify(envelope);
  const texts: [title: string, text: string][] = [
    ['plain JSON', data],
    ['JSON with white space', `\n  ${JSON.stringify(envelope, null, 2)}\n`],
    ['a data line', `data: ${data}\n\n`],
    ['a data line without a space', `data:${data}\n\n`],
    ['a data line after others', `: hi\nevent: message\nid: 7\ndata: ${data}\n\n`],
    ['CRLF', `event: message\r\ndata: ${data}\r\n\r\n`],
    ['CR', `event: message\rdata: ${data}\r\r`],
    ['a data line without an end', `data: ${data}`],
    ['the first of several events', `data: ${data}\n\ndata: {"id":2}\n\n`],
    ['the first with data, after a priming event', `id: 1\nretry: 500\ndata:\n\nid: 2\ndata: ${data}\n\n`],
    ['a priming event whose data is a space', `id: 1\ndata: \n\ndata: ${data}\n\n`],
    ['a byte order mark', `\ufeffdata: ${data}\n\n`],
  ];
  for (const [title, text] of texts) {
    it(`reads ${title}`, () => {
      expect(parseSSE(text)).to.deep.equal(envelope);
    });
  }

  it('finds no data line inside a JSON string', () => {
    for (const text of ['a\u2028data: b', 'a\u2029data:{}', '\\ndata: x']) {
      const value = { jsonrpc: '2.0', id: 1, result: { text } };
      expect(parseSSE(JSON.stringify(value))).to.deep.equal(value);
    }
  });

  for (const text of ['', '<html>', 'data: nope\n\n', 'event: message\n\n']) {
    it(`throws the parse error on ${JSON.stringify(text)}`, () => {
      expect(() => parseSSE(text)).to.throw(ParseError);
    });
  }
});
