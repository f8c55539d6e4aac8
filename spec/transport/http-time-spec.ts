import { expect } from 'chai';
import { retry, take } from 'rxjs';
import { RequestTimeoutError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import { legacyEra } from '../../lib/session/era-legacy.ts';
import { modernEra } from '../../lib/session/era-modern.ts';
import type { RawFixture } from '../support/fixtures.ts';
import { endHttpByHand, FakeHttp } from '../support/http-by-hand.ts';
import { answer, call, call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';
import { validParams } from '../support/valid-params.ts';

const event = (data: string): string => `data: ${data}\n\n`;
const hangs = { on: 'tools/call', hang: true };
const streams = { on: 'tools/call', sse: [': hello\n\n'], hang: true };
const methods = async (fixture: RawFixture) => (await fixture.requests()).map(({ body, method }) => body?.method ?? method);
const cancels = async (fixture: RawFixture) => (await fixture.requests()).filter(({ body }) => body?.method === 'notifications/cancelled').map(({ body }) => body.params);
/** The server notices that the client has gone. */
const untilAborted = (fixture: RawFixture) => until(async () => (await fixture.requests()).some(({ aborted }) => aborted));
const untilSeen = (fixture: RawFixture) => until(async () => (await fixture.requests()).length > 0);
const client = { name: 'spec', version: '1' };

describe('HTTP: deadlines [R40 R41]', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  it('before the head: "Request timeout", and the exchange ends', async () => {
    const fixture = await scripted(hangs);
    const connection = await openHttp(fixture);
    const error = await errorOf(call$(connection, {}, { timeoutMs: 150 }));
    expect(error).to.be.instanceOf(RequestTimeoutError).with.property('phase', 'request');
    expect(error.message).to.equal('Request timeout after 150ms');
    await untilAborted(fixture);
    expect(connection.pendingRequests).to.equal(0);
  });

  it('after the head of a stream: "SSE response timeout", and the exchange ends', async () => {
    const fixture = await scripted(streams);
    const connection = await openHttp(fixture);
    const error = await errorOf(call$(connection, {}, { timeoutMs: 500 }));
    expect(error.message).to.equal('SSE response timeout after 500ms');
    expect(error).to.include({ phase: 'streaming', timeoutMs: 500, method: 'tools/call' });
    await untilAborted(fixture);
  });

  it('after the head of a JSON answer it is still the request that took too long', async () => {
    const connection = await openHttp(await scripted({ on: 'tools/call', body: '{"jsonrpc":', hang: true }));
    expect((await errorOf(call$(connection, {}, { timeoutMs: 300 }))).message).to.equal('Request timeout after 300ms');
  });

  it('of notifications: "Notify timeout"', async () => {
    const connection = await openHttp(await scripted({ on: 'note', hang: true }), {}, { timeout: 150 });
    expect((await errorOf(connection.notify('note'))).message).to.equal('Notify timeout after 150ms');
  });

  it('cover the wait for headers and the wait for a place', () => {
    inVirtualTime(({ flush }) => {
      const http = new FakeHttp();
      const connection = http.connect({ headers: () => new Promise(() => {}) }, { timeout: 70 });
      const request = record(connection.request('a'));
      const note = record(connection.notify('n'));
      flush();
      expect(request.errors.map(String)).to.deep.equal(['RequestTimeoutError: Request timeout after 70ms']);
      expect(note.errors.map(String)).to.deep.equal(['RequestTimeoutError: Notify timeout after 70ms']);
      expect([request.endedAt, note.endedAt]).to.deep.equal([70, 70]);
      void connection.close();
      flush();
    });
  });

  it('the default is 30 seconds', () => {
    inVirtualTime(({ flush }) => {
      const http = new FakeHttp();
      const connection = http.connect();
      const request = record(connection.request('a'));
      flush();
      expect(request.endedAt).to.equal(30_000);
      expect(http.exchanges[0]?.open).to.equal(false);
      void connection.close();
      flush();
    });
  });

  it('progress on the stream extends them, up to the total [R44 B35]', () => {
    inVirtualTime(({ at, flush }) => {
      const http = new FakeHttp();
      const connection = http.connect();
      const request = record(connection.request('a', undefined, { timeoutMs: 100, maxTotalTimeoutMs: 250, progress: true }));
      const { last } = http;
      last.stream();
      for (let progress = 1; progress < 20; progress++) {
        at(progress * 50, () => last.event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress } }));
      }
      flush();
      expect(request.errors.map(String)).to.deep.equal(['RequestTimeoutError: SSE response timeout after 250ms']);
      expect(request.endedAt).to.equal(250);
      expect(http.methods).to.deep.equal(['a', 'notifications/cancelled']);
      void connection.close();
      flush();
    });
  });
});

describe('HTTP: giving up [R42 R43 B93]', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  for (const [title, rule] of [
    ['before the head', hangs],
    ['after the head', streams],
    ['inside a JSON body', { on: 'tools/call', body: '{', hang: true }],
  ] as const) {
    it(`unsubscribing ${title} closes the exchange, and an older server is told`, async () => {
      const fixture = await scripted(rule);
      const connection = await openHttp(fixture);
      connection.adopt(legacyEra('2025-11-25'));
      const streaming = record(connection.deliveries$);
      const given = record(call$(connection));
      await untilSeen(fixture);
      if (rule === streams) await until(() => streaming.values.length > 0);
      given.unsubscribe();
      await untilAborted(fixture);
      const [params] = await until(async () => {
        const found = await cancels(fixture);
        return found.length > 0 && found;
      });
      expect(params.requestId).to.equal(1);
      expect(await methods(fixture)).to.deep.equal(['tools/call', 'notifications/cancelled']);
    });

    it(`unsubscribing ${title}: to a server of 2026-07-28 that end is the message`, async () => {
      const fixture = await scripted(rule);
      const connection = await openHttp(fixture);
      connection.adopt(modernEra('2026-07-28', client, {}));
      const given = record(call$(connection));
      await untilSeen(fixture);
      given.unsubscribe();
      await untilAborted(fixture);
      await outcome(connection.request('ping'));
      expect(await methods(fixture)).to.deep.equal(['tools/call', 'ping']);
    });
  }

  it('kept local, an older server hears nothing but the end of the exchange', async () => {
    const fixture = await scripted(hangs);
    const connection = await openHttp(fixture);
    const given = record(call$(connection, {}, { cancel: 'local' }));
    await untilSeen(fixture);
    given.unsubscribe();
    await untilAborted(fixture);
    await outcome(connection.request('ping'));
    expect(await methods(fixture)).to.deep.equal(['tools/call', 'ping']);
  });

  it('a signal gives its reason, and the reason stays here [B37]', async () => {
    const fixture = await scripted(streams);
    const connection = await openHttp(fixture);
    const abort = new AbortController();
    const given = outcome(call$(connection, {}, { signal: abort.signal }));
    await untilSeen(fixture);
    const reason = new Error('tenant X revoked');
    abort.abort(reason);
    expect((await given).error).to.equal(reason);
    await until(async () => (await cancels(fixture)).length === 1);
    expect(JSON.stringify(await fixture.requests())).not.to.include('tenant');
  });

  it('beforehand, nothing is sent', async () => {
    const fixture = await scripted();
    const connection = await openHttp(fixture);
    const reason = new Error('never mind');
    expect(await errorOf(call$(connection, {}, { signal: AbortSignal.abort(reason) }))).to.equal(reason);
    expect(await fixture.requests()).to.deep.equal([]);
  });

  it('a timeout tells an older server once', async () => {
    const fixture = await scripted(hangs);
    const connection = await openHttp(fixture);
    await errorOf(call$(connection, {}, { timeoutMs: 150 }));
    await until(async () => (await cancels(fixture)).length > 0);
    expect(await cancels(fixture)).to.have.length(1);
  });

  it('initialize is never cancelled [B19]', async () => {
    const fixture = await scripted({ on: 'initialize', hang: true });
    const connection = await openHttp(fixture);
    const given = record(connection.request('initialize', validParams('initialize')));
    await untilSeen(fixture);
    given.unsubscribe();
    await untilAborted(fixture);
    await outcome(connection.request('ping'));
    expect(await methods(fixture)).to.deep.equal(['initialize', 'ping']);
  });

  it('a client that gives its handshake up cancels nothing either [B19]', async () => {
    const fixture = await scripted({ on: 'initialize', hang: true });
    const mcp = createClient({ type: 'http', url: fixture.url }, { handshakeTimeoutMs: 300 });
    expect((await errorOf(mcp.connect())).message).to.equal('Request timeout after 300ms');
    await untilAborted(fixture);
    await outcome(mcp.close());
    expect(await methods(fixture)).to.deep.equal(['server/discover', 'initialize']);
  });

  it('after the answer nothing is cancelled, though its stream is still open', async () => {
    const fixture = await scripted({ on: 'tools/call', sse: [event(answer())], hang: true });
    const connection = await openHttp(fixture);
    expect((await outcome(call$(connection).pipe(take(1)))).values).to.have.length(1);
    await outcome(connection.request('ping'));
    expect(await methods(fixture)).to.deep.equal(['tools/call', 'ping']);
    await untilAborted(fixture); // it is not kept for ever
  });

  it('subscribing again sends again, with a new id', async () => {
    const fixture = await scripted({ on: 'tools/call', times: 2, status: 503, body: 'busy' });
    const connection = await openHttp(fixture);
    expect((await outcome(call$(connection, { n: 1 }).pipe(retry(2)))).values).to.have.length(1);
    expect((await fixture.requests()).map(({ body }) => body.id)).to.deep.equal([1, 2, 3]);
  });

  it('1,000 calls with one signal leave no listener on it [B38]', async () => {
    const http = new FakeHttp((exchange, n) => {
      if (n % 4 === 0) exchange.result();
      else if (n % 4 === 1) exchange.respond(500, 'no');
      else if (n % 4 === 2) exchange.stream().event({ jsonrpc: '2.0', id: exchange.message.id, result: {} }).end();
      else exchange.fail(new Error('x'));
    });
    const connection = http.connect();
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get(target, name) {
        if (name === 'addEventListener') {
          return (...args: Parameters<AbortSignal['addEventListener']>) => {
            listeners++;
            target.addEventListener(...args);
          };
        }
        if (name === 'removeEventListener') {
          return (...args: Parameters<AbortSignal['removeEventListener']>) => {
            listeners--;
            target.removeEventListener(...args);
          };
        }
        return Reflect.get(target, name, target) as unknown;
      },
    });
    for (let i = 0; i < 1_000; i++) record(connection.request('a', undefined, { signal: counted }));
    expect(http.exchanges).to.have.length(1_000);
    expect(listeners).to.equal(0);
    expect(http.exchanges.filter(({ open }) => open)).to.deep.equal([]);
    await outcome(connection.close());
  });

  it('of many at once ends each of them, and only those', async () => {
    const fixture = await scripted({ on: 'x/hang', hang: true });
    const connection = await openHttp(fixture);
    const given = [1, 2, 3].map(() => record(connection.request('x/hang')));
    expect(await call(connection)).to.equal('{}');
    await until(async () => (await fixture.requests()).length === 4);
    given[1]!.unsubscribe();
    await until(async () => (await fixture.requests()).filter(({ aborted }) => aborted).length === 1);
    expect(connection.pendingRequests).to.equal(2);
    expect((await fixture.requests()).find(({ aborted }) => aborted)?.body.id).to.equal(2);
  });
});
