import { expect } from 'chai';
import { concat, defer, from, map, NEVER, Observable, of, switchMap, throwError, timer } from 'rxjs';
import { ConfigError, NetworkError, RedirectError } from '../../lib/errors.ts';
import { fetchHandler } from '../../lib/transport/fetch-handler.ts';
import type { HttpInterceptor } from '../../lib/transport/http-handler.ts';
import type { HeadersSource } from '../../lib/transport/http-headers.ts';
import { inBrowser } from '../support/fixtures.ts';
import { FakeHttp, endHttpByHand } from '../support/http-by-hand.ts';
import { answer, call, call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

describe('HTTP: headers', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  let n = 0;
  const sources: [title: string, source: HeadersSource, seen: string[]][] = [
    ['a value', { 'X-Test': 'a' }, ['a', 'a']],
    ['a function, asked for each request', () => ({ 'x-test': String(++n) }), ['1', '2']],
    ['an Observable, its first value', concat(of({ 'x-test': 'b' }), NEVER), ['b', 'b']],
    ['an Observable that takes time', timer(5).pipe(map(() => ({ 'x-test': 'c' }))), ['c', 'c']],
    ['a Promise', Promise.resolve({ 'x-test': 'd' }), ['d', 'd']],
    ['a function that gives a Promise', async () => ({ 'x-test': 'e' }), ['e', 'e']],
    ['a function that gives an Observable', () => from([{ 'x-test': 'f' }, { 'x-test': 'g' }]), ['f', 'f']],
  ];
  for (const [title, headers, seen] of sources) {
    it(`from ${title}`, async () => {
      n = 0;
      const fixture = await scripted();
      const connection = await openHttp(fixture, { headers });
      for (let i = 0; i < 2; i++) await call(connection);
      expect((await fixture.requests()).map((request) => request.headers['x-test'])).to.deep.equal(seen);
    });
  }

  it('of one call are added to it alone, and win', async () => {
    const fixture = await scripted();
    const connection = await openHttp(fixture, { headers: { 'x-test': 'all' } });
    await call(connection, {}, { headers: { 'X-Test': 'one', 'x-more': 'yes' } });
    await outcome(connection.notify('note', undefined, { headers: { 'x-test': 'note' } }));
    await call(connection);
    const seen = (await fixture.requests()).map(({ headers }) => [headers['x-test'], headers['x-more']]);
    expect(seen).to.deep.equal([['one', 'yes'], ['note', undefined], ['all', undefined]]);
  });

  it('those the protocol needs cannot be taken away', async () => {
    const fixture = await scripted();
    const connection = await openHttp(fixture, { headers: { Accept: 'text/html', 'Content-Type': 'text/html' } });
    await call(connection);
    const [{ headers } = { headers: {} as Record<string, string> }] = await fixture.requests();
    expect(headers).to.include({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  });

  for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\rb', 'a\0b', '漢']) {
    it(`${JSON.stringify(value)} is refused before anything is sent`, async () => {
      for (const [headers, perCall] of [[{ 'x-test': value }, undefined], [undefined, { 'x-test': value }]]) {
        const http = new FakeHttp();
        const connection = http.connect({ headers });
        const deliveries = record(connection.deliveries$);
        const error = await errorOf(connection.request('a', undefined, { headers: perCall }));
        expect(error).to.be.instanceOf(ConfigError);
        expect(error.message).not.to.include(value);
        expect(await errorOf(connection.notify('n', undefined, { headers: perCall }))).to.be.instanceOf(ConfigError);
        expect(http.exchanges).to.deep.equal([]);
        for (const delivery of deliveries.values) expect(delivery).to.include({ type: 'failed', mayHaveRun: false });
        void connection.close();
      }
    });
  }

  it('a source that fails fails the call with its own error, and the next one asks again', async () => {
    let asked = 0;
    const http = new FakeHttp((exchange) => {
      exchange.result();
    });
    const failure = new Error('no token');
    const connection = http.connect({ headers: () => (++asked === 1 ? throwError(() => failure) : {}) });
    expect(await errorOf(connection.request('a'))).to.equal(failure);
    expect((await outcome(connection.request('b'))).error).to.equal(undefined);
    expect(http.methods).to.deep.equal(['b']);
    await outcome(connection.close());
  });
});

describe('HTTP: redirects [B50]', () => {
  afterEach(closeHttp);
  const home = '/raw/scripted';

  if (!inBrowser) {
    for (const status of [307, 308]) {
      it(`${status} to the same origin is followed, with method, body and headers`, async () => {
        const target = await scripted({ on: 'tools/call', body: answer('moved') });
        const { pathname, search } = new URL(target.url);
        const fixture = await scripted({ on: 'tools/call', status, headers: { location: pathname + search } });
        const connection = await openHttp(fixture, { headers: { authorization: 'Bearer x' } });
        expect(await call(connection)).to.equal('moved');
        const [request] = await target.requests();
        expect(request?.method).to.equal('POST');
        expect(request?.body.method).to.equal('tools/call');
        expect(request?.headers).to.include({ authorization: 'Bearer x' });
      });
    }

    for (const status of [301, 302, 303]) {
      it(`${status} is an error: it would lose the body`, async () => {
        const fixture = await scripted({ on: 'tools/call', status, headers: { location: `${home}?run=x` } });
        const error = await errorOf(call$(await openHttp(fixture)));
        expect(error).to.be.instanceOf(RedirectError).with.property('status', status);
        expect(await fixture.requests()).to.have.length(1);
      });
    }

    it('another origin is an error, and sees nothing', async () => {
      const other = await scripted();
      const location = other.url.replace('127.0.0.1', 'localhost');
      const fixture = await scripted({ on: 'tools/call', status: 307, headers: { location } });
      const connection = await openHttp(fixture, { headers: { authorization: 'Bearer secret' } });
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(RedirectError);
      expect(error.message).to.include('another origin').and.not.include('run=');
      expect(await other.requests()).to.deep.equal([]);
    });

    it('a circle is an error, after a few rounds', async () => {
      const fixture = await scripted({ on: 'tools/call', status: 307, headers: { location: '' } });
      const error = await errorOf(call$(await openHttp(fixture)));
      expect(error).to.be.instanceOf(RedirectError);
      expect((await fixture.requests()).length).to.be.within(2, 10);
    });
  } else {
    it('any is an error: the browser hides where it leads', async () => {
      const fixture = await scripted({ on: 'tools/call', status: 307, headers: { location: home } });
      const error = await errorOf(call$(await openHttp(fixture)));
      expect(error).to.be.instanceOf(RedirectError).with.property('status', 0);
      expect(error.message).to.include('browser hides');
    });
  }
});

describe('HTTP: interceptors and handlers', () => {
  afterEach(closeHttp);

  it('stand in their order, the first one outermost', async () => {
    const order: string[] = [];
    const named = (name: string): HttpInterceptor => (request, next) =>
      defer(() => {
        order.push(`${name} >`);
        return next({ ...request, headers: { ...request.headers, 'x-test': `${request.headers['x-test'] ?? ''}${name}` } });
      }).pipe(
        map((response) => {
          order.push(`< ${name}`);
          return response;
        }),
      );
    const fixture = await scripted();
    const connection = await openHttp(fixture, { interceptors: [named('a'), named('b')] });
    await call(connection);
    expect(order).to.deep.equal(['a >', 'b >', '< b', '< a']);
    expect((await fixture.requests())[0]?.headers['x-test']).to.equal('ab');
  });

  it('may answer 401 by sending again', async () => {
    const authorize: HttpInterceptor = (request, next) =>
      next(request).pipe(
        switchMap((response) => (response.status === 401 ? next({ ...request, headers: { ...request.headers, authorization: 'Bearer new' } }) : of(response))),
      );
    for (const stream of [false, true]) {
      const fixture = await scripted(
        { on: 'tools/call', times: 1, status: 401, body: 'who?' },
        stream ? { on: 'tools/call', sse: [`data: ${answer()}\n\n`] } : { on: 'tools/call', body: answer() },
      );
      const connection = await openHttp(fixture, { interceptors: [authorize] });
      expect(await call(connection)).to.equal('ok');
      expect((await fixture.requests()).map(({ headers }) => headers.authorization)).to.deep.equal([undefined, 'Bearer new']);
      expect(connection.pendingRequests).to.equal(0);
    }
  });

  it('see GET and DELETE, too', async () => {
    const seen: string[] = [];
    const fixture = await scripted({ on: 'tools/call', body: answer(), headers: { 'content-type': 'application/json', 'mcp-session-id': 's' } }, { on: 'GET', status: 405 });
    const connection = await openHttp(fixture, {
      interceptors: [
        (request, next) => {
          seen.push(request.method);
          return next(request);
        },
      ],
    });
    await call(connection);
    connection.startSSEListener();
    await outcome(connection.close());
    expect(seen).to.deep.equal(['POST', 'GET', 'DELETE']);
  });

  it('one that throws fails that call alone', async () => {
    let calls = 0;
    const failure = new Error('from an interceptor');
    const fixture = await scripted();
    const connection = await openHttp(fixture, {
      interceptors: [
        (request, next) => {
          if (++calls === 1) throw failure;
          return next(request);
        },
      ],
    });
    expect(await errorOf(call$(connection))).to.equal(failure);
    expect(await call(connection)).to.equal('{}');
  });

  it('a handler of one\'s own is all that is called', async () => {
    const http = new FakeHttp((exchange) => {
      exchange.result({ mine: true });
    });
    const connection = http.connect();
    expect((await outcome(connection.request('a'))).values).to.deep.equal([{ mine: true }]);
    expect(http.last.request).to.deep.include({ method: 'POST', url: 'http://fake.example/mcp' });
    await outcome(connection.close());
  });

  it('a handler that completes without an answer is no hang', async () => {
    const http = new FakeHttp();
    const connection = http.connect({ handler: () => new Observable((subscriber) => { subscriber.complete(); }) });
    expect((await errorOf(connection.request('a'))).message).to.equal('No response received for request ID 1');
    expect((await outcome(connection.notify('n', undefined, { timeoutMs: 50 }))).values).to.deep.equal([]);
    await outcome(connection.close());
  });

  describe('fetchHandler [B93]', () => {
    it('looks fetch up at each request, and takes another one', async () => {
      const urls: string[] = [];
      const handler = fetchHandler((url, init) => {
        urls.push(url);
        return fetch(url, init);
      });
      const fixture = await scripted();
      expect(await call(await openHttp(fixture, { handler }))).to.equal('{}');
      expect(urls).to.deep.equal([fixture.url]);
    });

    it('uses a controller of its own each time: subscribing again works after unsubscribing', async () => {
      const signals: AbortSignal[] = [];
      const handler = fetchHandler((url, init) => {
        signals.push(init.signal!);
        return fetch(url, init);
      });
      const fixture = await scripted({ on: 'x', hang: true, times: 1 }, { on: 'x', body: '{}' });
      const exchange$ = handler({ method: 'POST', url: fixture.url, headers: { 'content-type': 'application/json' }, body: '{"id":1,"method":"x"}' });
      const first = record(exchange$);
      await until(async () => (await fixture.requests()).length === 1);
      first.unsubscribe();
      const { values } = await outcome(exchange$.pipe(switchMap(({ body$ }) => body$)));
      expect(values.map((chunk) => new TextDecoder().decode(chunk))).to.deep.equal(['{}']);
      expect(new Set(signals).size).to.equal(2);
      expect(signals[0]?.aborted).to.equal(true);
    });

    it('a fetch that fails at once is a NetworkError', async () => {
      const handler = fetchHandler(() => Promise.reject(new TypeError('Failed to fetch')));
      const error = await errorOf(handler({ method: 'POST', url: 'http://user:pw@x.example/mcp?token=1', headers: {} }));
      expect(error).to.be.instanceOf(NetworkError);
      expect(error.message).to.equal('Cannot reach http://x.example/mcp: Failed to fetch');
    });
  });
});
