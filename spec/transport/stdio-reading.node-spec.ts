import { expect } from 'chai';
import { MessageTooLargeError, RequestTimeoutError } from '../../lib/errors.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { call, call$, closeStdio, openStdio } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';

describe('stdio: reading', function () {
  this.timeout(20_000);
  afterEach(closeStdio);

  describe('lines that are no message', () => {
    it('are skipped with a diagnostic each, at the start and between messages [R23 B01]', async () => {
      const { connection } = await openStdio('banner');
      const diagnostics = record(connection.diagnostics$);
      expect(await call(connection, { n: 1 })).to.equal('{"n":1}');
      expect(await call(connection, { n: 2 })).to.equal('{"n":2}');
      expect(diagnostics.values.map(({ kind, excerpt }) => [kind, excerpt])).to.deep.equal([
        ['malformed', 'Server v1.0 starting'],
        ['malformed', '{'],
        ['malformed', '[MCP] tools/call requested'],
        ['malformed', '[MCP] tools/call requested'],
      ]);
      expect(connection.connected).to.equal(true);
    });

    it('are shown by their start only, and hurt no pending call [R23 B01]', async () => {
      const raw = `${'漢'.repeat(20_000)}\n\u001b[31mrot\u001b[0m\n   \n[1,\n{"jsonrpc":"2.0","id":"$id","result":{"content":[{"type":"text","text":"ok"}]}}\n`;
      const { connection } = await openStdio('scripted', { rules: [{ on: 'tools/call', raw }] });
      const diagnostics = record(connection.diagnostics$);
      const errors = record(connection.errors$);
      expect(await call(connection)).to.equal('ok');
      expect(diagnostics.values.map(({ excerpt }) => excerpt?.length)).to.deep.equal([301, 12, 3]);
      expect(errors.values).to.deep.equal([]);
    });

    it('answers without an id match nothing [R11]', async () => {
      const raw = '{"jsonrpc":"2.0","result":null}\n{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n';
      const { connection } = await openStdio('scripted', {
        rules: [{ on: 'tools/call', raw: `${raw}{"jsonrpc":"2.0","id":"$id","result":{"content":[{"type":"text","text":"ok"}]}}\n` }],
      });
      const diagnostics = record(connection.diagnostics$);
      expect(await call(connection)).to.equal('ok');
      expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(Array(3).fill('unmatched-answer'));
    });
  });

  describe('bytes', () => {
    for (const cut of [false, true]) {
      it(`a byte order mark before and CR after each line are not part of it${cut ? ', cut over two chunks' : ''} [B02]`, async () => {
        const { connection } = await openStdio('bom', { cut });
        const diagnostics = record(connection.diagnostics$);
        expect(await call(connection)).to.equal('a\uFEFFb');
        expect(await call(connection)).to.equal('a\uFEFFb');
        expect(diagnostics.values).to.deep.equal([]);
      });
    }

    it('characters may be cut anywhere [B03]', async () => {
      const { connection } = await openStdio('bytewise');
      expect(await call(connection)).to.equal('é漢🦀');
      expect(await call(connection)).to.equal('é漢🦀');
    });

    it('many messages in one chunk are dispatched in their order [R24 B33]', async () => {
      const { connection } = await openStdio('burst', { count: 500 });
      const inbound = record(connection.inbound$);
      const { values } = await outcome(connection.exchange('tools/call', { name: 'x' }, { progress: true }));
      expect(values.map((event: any) => event.progress?.progress ?? event.type)).to.deep.equal([...Array.from({ length: 500 }, (_, i) => i + 1), 'result']);
      expect(inbound.values).to.have.length(502);
    });

    it('a last line without LF counts [R22]', async () => {
      const { connection } = await openStdio('no-final-lf');
      expect(await call(connection)).to.equal('cut short');
    });
  });

  describe('ids', () => {
    it('as text find their number; nothing else does [B27]', async () => {
      const { connection } = await openStdio('odd-ids');
      const diagnostics = record(connection.diagnostics$);
      expect(await call(connection, { how: 'string' })).to.equal('ok');
      expect(await call(connection, { how: 'float' })).to.equal('ok'); // 3.0 is the number 3
      expect(diagnostics.values).to.deep.equal([]);
      expect(await errorOf(call$(connection, { how: 'padded' }, { timeoutMs: 100 }))).to.be.instanceOf(RequestTimeoutError);
      expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['unmatched-answer']);
    });

    for (const how of ['duplicate', 'unknown', 'null']) {
      it(`an answer that is ${how} changes nothing [B30]`, async () => {
        const { connection } = await openStdio('odd-ids');
        const diagnostics = record(connection.diagnostics$);
        expect(await call(connection, { how })).to.equal('ok');
        expect(await call(connection)).to.equal('ok');
        expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['unmatched-answer']);
      });
    }

    for (const end of ['timeout', 'abort']) {
      it(`a late answer after ${end} changes nothing [B30]`, async () => {
        const { connection } = await openStdio('odd-ids');
        const diagnostics = record(connection.diagnostics$);
        const abort = new AbortController();
        const given = outcome(call$(connection, { how: 'silent' }, end === 'timeout' ? { timeoutMs: 200 } : { signal: abort.signal }));
        await call(connection); // the silent one is at the server by now
        abort.abort();
        expect((await given).error).to.be.instanceOf(Error);
        expect(await call(connection, { how: 'late' })).to.equal('ok');
        expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['unmatched-answer']);
        expect(await call(connection)).to.equal('ok');
      });
    }

    it('of the server are its own: a ping with the id of our call does not settle it [B25]', async () => {
      const { connection } = await openStdio('asks');
      const answers = JSON.parse(await call(connection));
      expect(answers.ping).to.deep.equal({ jsonrpc: '2.0', id: 1, result: {} });
      expect(answers.unknown.error.code).to.equal(-32601);
      expect(answers.roots.error.code).to.equal(-32601);
    });
  });

  describe('long lines', () => {
    const limit = 100_000;

    it('of exactly the limit pass [B06]', async () => {
      const { connection } = await openStdio('long-line', { bytes: limit }, { maxMessageBytes: limit });
      expect((await call(connection)).length).to.be.within(limit - 200, limit);
      expect(connection.connected).to.equal(true);
    });

    for (const [title, options] of [
      ['one byte over it', { bytes: limit + 1 }],
      ['that never end', { bytes: 20 * limit, lf: false }],
    ] as const) {
      it(`${title} end the connection with an error that names the limit [R23 B06]`, async () => {
        const { connection, closes } = await openStdio('long-line', options, { maxMessageBytes: limit });
        const errors = record(connection.errors$);
        const error = await errorOf(call$(connection));
        expect(error).to.be.instanceOf(MessageTooLargeError);
        expect(error.limitBytes).to.equal(limit);
        expect(error.message).to.include(String(limit)).and.include('maxMessageBytes');
        await until(() => closes.length > 0);
        expect(closes).to.deep.equal([error]);
        expect(errors.values).to.deep.equal([error]);
      });
    }

    it('do not hide the message before them [B06]', async () => {
      const { connection } = await openStdio('long-line', { bytes: 20 * limit, first: true }, { maxMessageBytes: limit });
      const pending = outcome(call$(connection, {}, { timeoutMs: 20_000 }));
      expect((await pending).values.map(({ content }) => content[0])).to.deep.equal([{ type: 'text', text: 'before the flood' }]);
      expect((await outcome(connection.state$)).values.at(-1)).to.have.property('cause').that.is.instanceOf(MessageTooLargeError);
    });

    it('may be skipped instead, and reading goes on [B06]', async () => {
      const maxMessageBytes = 5_000;
      const raw = `${'A'.repeat(20 * maxMessageBytes)}\n{"jsonrpc":"2.0","id":"$id","result":{"content":[{"type":"text","text":"after"}]}}\n`;
      const { connection } = await openStdio('scripted', { rules: [{ on: 'tools/call', raw }] }, { maxMessageBytes, oversized: 'skip' });
      const diagnostics = record(connection.diagnostics$);
      const errors = record(connection.errors$);
      expect(await call(connection)).to.equal('after');
      expect(await call(connection)).to.equal('after');
      expect(diagnostics.values.map(({ kind, message }) => [kind, message.includes(String(maxMessageBytes))])).to.deep.equal(Array(2).fill(['malformed', true]));
      expect(errors.values).to.deep.equal([]);
    });

    it('of 32 MB arrive whole [B06]', async () => {
      const bytes = 32_000_000;
      const { connection } = await openStdio('long-line', { bytes });
      const text = await call(connection);
      expect(text.length).to.be.within(bytes - 200, bytes);
      expect(/^A*$/.test(text)).to.equal(true);
    });
  });
});
