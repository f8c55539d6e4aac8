import { expect } from 'chai';
import { NetworkError, NoResponseError, ParseError, RpcError } from '../../lib/errors.ts';
import { FakeHttp } from '../support/http-by-hand.ts';
import { rawHttp } from '../support/fixtures.ts';
import { answer, call, call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

const event = (data: string, fields = ''): string => `${fields}data: ${data}\n\n`;
const note = (n: number): string => `{"jsonrpc":"2.0","method":"note","params":{"n":${n}}}`;

describe('HTTP: answers', () => {
  afterEach(closeHttp);

  describe('as JSON [R12]', () => {
    for (const type of ['application/json', 'application/json;charset=UTF-8', 'Application/JSON; charset=utf-8', 'text/plain', '']) {
      it(`with the content type "${type}"`, async () => {
        const connection = await openHttp(await scripted({ on: 'tools/call', body: answer(), headers: { 'content-type': type } }));
        expect(await call(connection)).to.equal('ok');
        expect(connection.pendingRequests).to.equal(0);
      });
    }

    it('may be a batch, with notifications in it', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', body: `[${note(1)},${answer()},${note(2)}]` }));
      const notes = record(connection.notifications$);
      expect(await call(connection)).to.equal('ok');
      expect(notes.values.map(({ params }) => params?.n)).to.deep.equal([1, 2]);
    });

    it('may start with a byte order mark', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', body: `\uFEFF${answer('é漢🦀')}` }));
      expect(await call(connection)).to.equal('é漢🦀');
    });

    it('that is an error fails the call [R34]', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', body: '{"jsonrpc":"2.0","id":"$id","error":{"code":-32602,"message":"bad","data":[1]}}' }));
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(RpcError);
      expect(error.message).to.equal('MCP error -32602: bad');
      expect(error).to.deep.include({ code: -32602, data: [1], status: undefined });
    });

    it('an error without an id is this call\'s [R34]', async () => {
      for (const id of ['"id":null,', '']) {
        const connection = await openHttp(await scripted({ on: 'tools/call', body: `{"jsonrpc":"2.0",${id}"error":{"code":-32700,"message":"Parse error"}}` }));
        expect((await errorOf(call$(connection))).message).to.equal('MCP error -32700: Parse error');
      }
    });
  });

  describe('that are no JSON [R35 B41]', () => {
    for (const [title, body, type] of [
      ['HTML', '<html><body>Sign in</body></html>', 'text/html'],
      ['broken JSON', '{"jsonrpc":"2.0","id":1,"result":{', 'application/json'],
      ['nothing', '', 'application/json'],
      ['an event stream under another type', 'data: {}\n\n', 'application/json'],
    ] as const) {
      it(`${title}: the call fails with the parse error, which says what it was`, async () => {
        const connection = await openHttp(await scripted({ on: 'tools/call', body, headers: { 'content-type': type } }));
        const error = await errorOf(call$(connection));
        expect(error).to.be.instanceOf(ParseError);
        expect(error).to.include({ status: 200, contentType: type, excerpt: body });
        expect(error.cause).to.be.instanceOf(SyntaxError);
        expect(error.message).to.equal(error.cause.message);
        expect(connection.connected).to.equal(true);
      });
    }

    it('a long one is shown by its start', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', body: 'x'.repeat(5_000) }));
      expect((await errorOf(call$(connection))).excerpt).to.have.length(301);
    });
  });

  describe('as an event stream [R13]', () => {
    for (const type of ['text/event-stream', 'Text/Event-Stream; charset=utf-8', 'text/event-stream;charset=UTF-8']) {
      it(`with the content type "${type}"`, async () => {
        const connection = await openHttp(await scripted({ on: 'tools/call', sse: [event(answer())], headers: { 'content-type': type } }));
        expect(await call(connection)).to.equal('ok');
      });
    }

    for (const chunk of [1, 2, 7]) {
      it(`in chunks of ${chunk} bytes`, async () => {
        const connection = await openHttp(await rawHttp('sse', { chunk }));
        const notes = record(connection.notifications$);
        expect(await call(connection)).to.equal('é漢🦀');
        expect(notes.values.map(({ method }) => method)).to.deep.equal(['notifications/message', 'notifications/progress']);
        expect((notes.values[0] as any).params.data).to.equal('é漢🦀');
      });
    }

    for (const end of ['\n', '\r\n', '\r']) {
      it(`cut at every byte, lines ending with ${JSON.stringify(end)}`, () => {
        const text = `: hi\n\nevent: message\nid: 1\ndata: ${note(1)}\n\ndata: {"jsonrpc":"2.0","id":1,\ndata: "result":{"text":"é漢🦀"}}\n\n`;
        const bytes = new TextEncoder().encode(text.replaceAll('\n', end));
        for (let cut = 0; cut <= bytes.length; cut++) {
          const http = new FakeHttp((exchange) => {
            exchange.stream().write(bytes.subarray(0, cut), bytes.subarray(cut)).end();
          });
          const connection = http.connect();
          const notes = record(connection.notifications$);
          expect(record(connection.request('x/y')).values, `cut at ${cut}`).to.deep.equal([{ text: 'é漢🦀' }]);
          expect(notes.values, `cut at ${cut}`).to.have.length(1);
          void connection.close();
        }
      });
    }

    it('settles with the answer, before the stream ends', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', sse: [event(note(1)), event(note(2)), event(answer())], hang: true }));
      const notes = record(connection.notifications$);
      expect(await call(connection)).to.equal('ok');
      expect(notes.values.map(({ params }) => params?.n)).to.deep.equal([1, 2]);
    });

    it('skips what carries no message, with a diagnostic [R36]', async () => {
      const sse = [
        'id: 1\ndata:\n\n', // a priming event: only its id counts
        event('{"not":', 'event: other\n'),
        ': comment\n\n',
        event('{"hello":"world"}'),
        event('7'),
        event('{"jsonrpc":"2.0","id":"nobody","result":{}}'),
        'unknown: field\n\n',
        event(answer()),
      ];
      const connection = await openHttp(await scripted({ on: 'tools/call', sse }));
      const diagnostics = record(connection.diagnostics$);
      const errors = record(connection.errors$);
      expect(await call(connection)).to.equal('ok');
      expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['skipped-event', 'not-json-rpc', 'not-json-rpc', 'unmatched-answer']);
      expect(errors.values).to.deep.equal([]);
    });

    it('data that is no JSON fails this request alone [R36]', async () => {
      const connection = await openHttp(await rawHttp('sse-faults', { how: 'garbage' }));
      const other = outcome(connection.request('ping'));
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(ParseError);
      expect(error.excerpt).to.equal('{"jsonrpc":');
      expect((await other).error).to.equal(undefined);
      expect(await errorOf(call$(connection))).to.be.instanceOf(ParseError);
      expect(connection.connected).to.equal(true);
    });

    it('an error without an id is this call\'s [R34]', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', sse: [event('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"gone"}}')] }));
      expect((await errorOf(call$(connection))).message).to.equal('MCP error -32000: gone');
    });

    it('our number may come back as text [B27]', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', sse: [event(answer('ok', '"1"'))] }));
      expect(await call(connection)).to.equal('ok');
    });

    it('an answer that comes twice settles once [B30]', async () => {
      const connection = await openHttp(await scripted({ on: 'tools/call', sse: [event(answer()) + event(answer('again'))] }));
      const diagnostics = record(connection.diagnostics$);
      expect((await outcome(call$(connection))).values).to.have.length(1);
      expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['unmatched-answer']);
    });
  });

  describe('that never come [R14 B41]', () => {
    for (const [title, rule] of [
      ['202', { status: 202 }],
      ['204', { status: 204 }],
      ['202 with a body', { status: 202, body: 'Accepted' }],
      ['an object that is no message', { body: '{}' }],
      ['the answer to another id', { body: answer('ok', '99') }],
      ['an error for another id', { body: '{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}' }],
      ['an empty batch', { body: '[]' }],
      ['null', { body: 'null' }],
      ['an event stream that is empty', { sse: [] }],
      ['an event stream of comments', { sse: [': hello\n\n'] }],
      ['an event stream with another id', { sse: [event(answer('ok', '99'))] }],
      ['an event stream that ends inside the answer', { sse: [`data: ${answer()}\n`] }],
      ['an event stream of notifications', { sse: [event(note(1))] }],
    ] as const) {
      it(`${title}: fails at once`, async () => {
        const connection = await openHttp(await scripted({ on: 'tools/call', ...rule }));
        const error = await errorOf(call$(connection, {}, { timeoutMs: Infinity }));
        expect(error).to.be.instanceOf(NoResponseError);
        expect(error.message).to.equal('No response received for request ID 1');
        expect(error).to.include({ requestId: 1, status: (rule as { status?: number }).status ?? 200 });
        expect(connection.pendingRequests).to.equal(0);
        expect(connection.connected).to.equal(true);
      });
    }

    for (const [title, rule] of [
      ['before the head', { reset: true }],
      ['inside the event stream', { sse: [event(note(1))], reset: true }],
      ['inside the body', { body: '{"jsonrpc":', reset: true }],
    ] as const) {
      it(`cut off ${title}: a NetworkError, at once`, async () => {
        const connection = await openHttp(await scripted({ on: 'tools/call', ...rule }));
        const error = await errorOf(call$(connection, {}, { timeoutMs: Infinity }));
        expect(error).to.be.instanceOf(NetworkError);
        expect(error.message).to.include('Cannot reach ').and.not.include('rules=');
        expect(connection.connected).to.equal(true);
      });
    }
  });

  it('the id in the text is that of the request', async () => {
    let id = 0;
    const connection = await openHttp(await scripted({ on: '*', status: 202 }), {}, { nextId: () => `req-${++id}` });
    expect((await errorOf(call$(connection))).message).to.equal('No response received for request ID req-1');
  });
});
