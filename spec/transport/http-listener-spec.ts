import { expect } from 'chai';
import { NetworkError, ParseError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import { rawHttp } from '../support/fixtures.ts';
import { endHttpByHand, FakeHttp } from '../support/http-by-hand.ts';
import { call, closeHttp, openHttp, scripted } from '../support/http.ts';
import { outcome, until } from '../support/outcome.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';

const note = (n: number) => ({ jsonrpc: '2.0', method: 'note', params: { n } });
const numbers = (notes: readonly { params?: any }[]) => notes.map(({ params }) => params.n);

describe('HTTP: the listener stream [R32]', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  it('is not started by the transport itself', async () => {
    const fixture = await rawHttp('listener');
    const connection = await openHttp(fixture);
    await call(connection);
    expect((await fixture.requests()).map(({ method }) => method)).to.deep.equal(['POST']);
  });

  it('delivers what the server starts, in order, and ends with close()', async () => {
    const fixture = await rawHttp('listener', { events: 3 });
    const connection = await openHttp(fixture);
    const notes = record(connection.notifications$);
    connection.startSSEListener();
    await until(() => notes.values.length === 3);
    expect(notes.values.map(({ params }) => params?.data)).to.deep.equal([1, 2, 3]);
    const [request] = await fixture.requests();
    expect(request).to.deep.include({ method: 'GET', aborted: false });
    expect(request?.headers.accept).to.equal('text/event-stream');
    await outcome(connection.close());
    await until(async () => (await fixture.requests())[0]?.aborted);
  });

  it('ends when it is unsubscribed, and may be started again', async () => {
    const fixture = await rawHttp('listener', { events: 1 });
    const connection = await openHttp(fixture);
    const notes = record(connection.notifications$);
    const errors = record(connection.errors$);
    const listener = connection.startSSEListener();
    expect(connection.startSSEListener()).to.equal(listener);
    await until(() => notes.values.length === 1);
    listener.unsubscribe();
    await until(async () => (await fixture.requests())[0]?.aborted);
    connection.startSSEListener();
    await until(() => notes.values.length === 2);
    expect(errors.values).to.deep.equal([]);
    expect(await fixture.requests()).to.have.length(2);
  });

  for (const [title, rule] of [
    ['405', { status: 405 }],
    ['400', { status: 400, body: 'no' }],
    ['404', { status: 404 }],
    ['501', { status: 501 }],
    ['204', { status: 204 }],
    ['200 with JSON', { status: 200, body: '{}' }],
    ['200 with HTML', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }],
  ] as const) {
    it(`is off, silently, after ${title}`, async () => {
      const fixture = await scripted({ on: 'GET', ...rule });
      const connection = await openHttp(fixture);
      const errors = record(connection.errors$);
      const diagnostics = record(connection.diagnostics$);
      connection.startSSEListener();
      await until(() => diagnostics.values.length > 0);
      expect(await call(connection)).to.equal('{}');
      expect(errors.values).to.deep.equal([]);
      expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['listener']);
      expect((await fixture.requests()).map(({ method }) => method)).to.deep.equal(['GET', 'POST']);
      expect(connection.connected).to.equal(true);
    });
  }

  it('an event that is no JSON reaches onError, and the next one is delivered', async () => {
    const errors: unknown[] = [];
    const connection = await openHttp(await rawHttp('listener', { events: 3, broken: 1 }), {}, { onError: (error) => errors.push(error) });
    const notes = record(connection.notifications$);
    const reported = record(connection.errors$);
    connection.startSSEListener();
    await until(() => notes.values.length === 2);
    expect(notes.values.map(({ params }) => params?.data)).to.deep.equal([1, 3]);
    expect(reported.values).to.have.length(1);
    expect(reported.values[0]).to.be.instanceOf(ParseError);
    expect(errors).to.deep.equal(reported.values);
  });

  it('goes on after the last event, when the server ends it', async () => {
    const fixture = await rawHttp('listener', { events: 2, end: 1 });
    const connection = await openHttp(fixture);
    const notes = record(connection.notifications$);
    const errors = record(connection.errors$);
    connection.startSSEListener();
    await until(() => notes.values.length >= 6);
    expect(notes.values.slice(0, 6).map(({ params }) => params?.data)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect((await fixture.requests()).slice(0, 3).map(({ headers }) => headers['last-event-id'])).to.deep.equal([undefined, '2', '4']);
    expect(errors.values).to.deep.equal([]);
  });

  it('the client starts it after initialized, unless told not to', async () => {
    for (const listen of [true, false]) {
      const fixture = await rawHttp('listener', { events: 1 });
      const client = createClient({ type: 'http', url: fixture.url }, { listen });
      const notes = record(client.notifications$);
      await outcome(client.connect());
      if (listen) await until(() => notes.values.length === 1);
      await outcome(client.ping());
      const methods = (await fixture.requests()).map(({ method, body }) => body?.method ?? method);
      expect(methods.filter((method) => method === 'GET')).to.have.length(listen ? 1 : 0);
      if (listen) expect(methods.indexOf('GET')).to.be.above(methods.indexOf('notifications/initialized'));
      await outcome(client.close());
    }
  });

  it('a server may ask on it, and is answered by a POST', async () => {
    const sse = ['data: {"jsonrpc":"2.0","id":"s-1","method":"ping"}\n\n', 'data: {"jsonrpc":"2.0","id":"s-2","method":"roots/list"}\n\n'];
    const fixture = await scripted({ on: 'GET', sse, hang: true });
    const connection = await openHttp(fixture);
    connection.startSSEListener();
    const answers = await until(async () => {
      const posts = (await fixture.requests()).filter(({ method }) => method === 'POST');
      return posts.length === 2 && posts.map(({ body }) => body);
    });
    expect(answers.find(({ id }) => id === 's-1')).to.deep.equal({ jsonrpc: '2.0', id: 's-1', result: {} });
    expect(answers.find(({ id }) => id === 's-2').error.code).to.equal(-32601);
  });

  describe('reconnecting, in virtual time', () => {
    it('waits as the server asked, then longer and longer, and gives up', () => {
      inVirtualTime(({ flush, now }) => {
        const times: number[] = [];
        const http = new FakeHttp((exchange, n) => {
          times.push(now());
          exchange.stream();
          if (n === 0) exchange.write('retry: 700\nid: 5\ndata:\n\n');
          exchange.end();
        });
        const connection = http.connect();
        const diagnostics = record(connection.diagnostics$);
        const errors = record(connection.errors$);
        connection.startSSEListener();
        flush();
        const waits = times.slice(1).map((time, i) => time - times[i]!);
        expect(waits[0]).to.equal(700);
        expect(waits.length).to.be.within(3, 20);
        for (let i = 2; i < waits.length; i++) expect(waits[i]).to.be.at.least(waits[i - 1]!);
        expect(Math.max(...waits)).to.be.at.most(60_000);
        expect(http.exchanges.slice(1).map(({ request }) => request.headers['last-event-id'])).to.deep.equal(Array(waits.length).fill('5'));
        expect(diagnostics.values.at(-1)?.message).to.match(/given up/);
        expect(errors.values).to.deep.equal([]);
        expect(connection.connected).to.equal(true);
        void connection.close();
        flush();
      });
    });

    it('a message resets the budget: a server that sends one each time is kept', () => {
      inVirtualTime(({ at, flush }) => {
        const http = new FakeHttp((exchange, n) => {
          exchange.stream().event(note(n), 'retry: 200\n').end();
        });
        const connection = http.connect();
        const notes = record(connection.notifications$);
        connection.startSSEListener();
        at(20_100, () => {
          void connection.close();
        });
        flush();
        expect(numbers(notes.values)).to.deep.equal(Array.from({ length: 101 }, (_, n) => n));
      });
    });

    it('tries again after a lost connection and a busy server, not after a refusal', () => {
      inVirtualTime(({ flush }) => {
        const http = new FakeHttp((exchange, n) => {
          if (n === 0) exchange.fail(new NetworkError('http://x', 'ECONNRESET', undefined, new Error('reset')));
          else if (n === 1) exchange.respond(503, 'busy');
          else if (n === 2) exchange.respond(429, 'slow down');
          else if (n === 3) exchange.stream().event(note(1)).break(new NetworkError('http://x', 'ECONNRESET', undefined, new Error('reset')));
          else exchange.respond(405);
        });
        const connection = http.connect();
        const notes = record(connection.notifications$);
        const errors = record(connection.errors$);
        connection.startSSEListener();
        flush();
        expect(http.methods).to.deep.equal(Array(5).fill('GET'));
        expect(numbers(notes.values)).to.deep.equal([1]);
        expect(errors.values).to.deep.equal([]);
        void connection.close();
        flush();
      });
    });

    it('close() ends the wait, too', () => {
      inVirtualTime(({ at, flush }) => {
        const http = new FakeHttp((exchange) => {
          exchange.stream().end();
        });
        const connection = http.connect();
        connection.startSSEListener();
        at(500, () => {
          void connection.close();
        });
        flush();
        expect(http.exchanges).to.have.length(1);
      });
    });

    it('an event over the limit ends that stream; the calls go on', () => {
      inVirtualTime(({ flush }) => {
        const http = new FakeHttp((exchange) => {
          if (exchange.request.method === 'POST') exchange.result({ ok: true });
          else if (http.exchanges.length > 1) exchange.respond(405);
          else exchange.stream().event(note(1)).write(`data: ${'x'.repeat(5_000)}\n\n`);
        });
        const connection = http.connect({ maxMessageBytes: 1_000 });
        const notes = record(connection.notifications$);
        const diagnostics = record(connection.diagnostics$);
        connection.startSSEListener();
        expect(record(connection.request('a')).values).to.deep.equal([{ ok: true }]);
        expect(numbers(notes.values)).to.deep.equal([1]);
        expect(diagnostics.values[0]?.message).to.include('1000 bytes');
        void connection.close();
        flush();
      });
    });
  });
});
