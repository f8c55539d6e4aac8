import { expect } from 'chai';
import { MessageTooLargeError } from '../../lib/errors.ts';
import { FakeHttp } from '../support/http-by-hand.ts';
import { rawHttp } from '../support/fixtures.ts';
import { call, closeHttp, openHttp } from '../support/http.ts';
import { errorOf, outcome } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

const MAX = 1_000;
/** An answer of exactly so many bytes. */
const sized = (bytes: number, id = 1): string => {
  const text = (pad: string) => JSON.stringify({ jsonrpc: '2.0', id, result: { pad } });
  return text('x'.repeat(bytes - text('').length));
};

describe('HTTP: large messages [B06]', function () {
  this.timeout(30_000);
  afterEach(closeHttp);

  it('one event of 32 MB arrives whole', async () => {
    const connection = await openHttp(await rawHttp('large'));
    const text = await call(connection, { bytes: 32_000_000 });
    expect(text).to.have.length(32_000_000);
    expect(/^A*$/.test(text)).to.equal(true);
  });

  for (const [title, answer] of [
    ['a body', (http: FakeHttp, text: string) => http.last.respond(200, text, { 'content-type': 'application/json' })],
    ['an event', (http: FakeHttp, text: string) => http.last.stream().event({ jsonrpc: '2.0', method: 'note' }).write(`data: ${text}\n\n`)],
    ['an event without an end', (http: FakeHttp, text: string) => http.last.stream().event({ jsonrpc: '2.0', method: 'note' }).write(`data: ${text}`, text)],
  ] as const) {
    it(`${title} over the limit is an error that names it, of this call alone; what came before is delivered`, async () => {
      const http = new FakeHttp();
      const connection = http.connect({ maxMessageBytes: MAX });
      const notes = record(connection.notifications$);
      const other = record(connection.request('other'));
      const failing = errorOf(connection.request('a'));
      answer(http, sized(MAX * 2, 2));
      const error = await failing;
      expect(error).to.be.instanceOf(MessageTooLargeError).with.property('limitBytes', MAX);
      expect(error.message).to.include('1000 bytes').and.include('maxMessageBytes');
      expect(http.last.open).to.equal(false);
      expect(notes.values).to.have.length(title === 'a body' ? 0 : 1);
      http.exchanges[0]!.result({ ok: true });
      expect(other.values).to.deep.equal([{ ok: true }]);
      await outcome(connection.close());
    });
  }

  it('a body of exactly the limit passes, one byte more does not', async () => {
    for (const bytes of [MAX, MAX + 1]) {
      const http = new FakeHttp((exchange) => {
        exchange.respond(200, sized(bytes), { 'content-type': 'application/json' });
      });
      const connection = http.connect({ maxMessageBytes: MAX });
      const { values, error } = await outcome(connection.request('a'));
      if (bytes === MAX) expect(values).to.have.length(1);
      else expect(error).to.be.instanceOf(MessageTooLargeError);
      await outcome(connection.close());
    }
  });

  it('a stream of many messages may be longer than the limit', async () => {
    const http = new FakeHttp((exchange) => {
      exchange.stream();
      for (let n = 0; n < 200; n++) exchange.event({ jsonrpc: '2.0', method: 'note', params: { n } });
      exchange.event({ jsonrpc: '2.0', id: exchange.message.id, result: {} }).end();
    });
    const connection = http.connect({ maxMessageBytes: MAX });
    const notes = record(connection.notifications$);
    expect((await outcome(connection.request('a'))).error).to.equal(undefined);
    expect(notes.values).to.have.length(200);
    await outcome(connection.close());
  });
});
