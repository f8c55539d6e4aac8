import { expect } from 'chai';
import { HttpError, NetworkError, NoResponseError, ParseError } from '../../lib/errors.ts';
import type { Connection } from '../../lib/session/connection.ts';
import { legacyEra } from '../../lib/session/era-legacy.ts';
import { modernEra } from '../../lib/session/era-modern.ts';
import type { LegacyRevision } from '../../lib/wire/revision.ts';
import { endHttpByHand, FakeHttp, type FakeExchange } from '../support/http-by-hand.ts';
import { answer, call, closeHttp, openHttp, scripted } from '../support/http.ts';
import { inVirtualTime, record, type Recorded, type VirtualTime } from '../support/test-scheduler.ts';

const PRIMING = 'id: 1\ndata:\n\n';
const note = (n: number) => ({ jsonrpc: '2.0', method: 'note', params: { n } });
const result = { jsonrpc: '2.0', id: 1, result: { ok: true } };
const broken = () => new NetworkError('http://fake.example/mcp', 'ECONNRESET', undefined, undefined);

interface Run {
  readonly time: VirtualTime;
  readonly http: FakeHttp;
  readonly connection: Connection;
  readonly request: Recorded<unknown>;
  /** The events that reading was resumed after. */
  readonly cursors: () => unknown[];
  /** When each request was made. */
  readonly times: number[];
}

/** One request on virtual time; the nth exchange meets the nth reaction, the last one all later ones. */
function run(reactions: ((exchange: FakeExchange) => void)[], look: (run: Run) => void, options: { revision?: LegacyRevision; timeoutMs?: number } = {}): void {
  const { revision = '2025-11-25', timeoutMs = 1_000_000 } = options;
  inVirtualTime((time) => {
    const times: number[] = [];
    const http = new FakeHttp((exchange, n) => {
      times.push(time.now());
      if (exchange.message?.method !== 'notifications/cancelled') reactions[Math.min(n, reactions.length - 1)]?.(exchange);
    });
    const connection = http.connect();
    connection.adopt(legacyEra(revision));
    const request = record(connection.request('tools/call', { name: 'x' }, { timeoutMs }));
    const cursors = () => http.exchanges.filter(({ request: { method } }) => method === 'GET').map(({ request: { headers } }) => headers['last-event-id']);
    look({ time, http, connection, request, cursors, times });
    void connection.close();
    time.flush();
    expect(http.exchanges.filter(({ open }) => open)).to.deep.equal([]);
  });
}

const primes = (exchange: FakeExchange) => exchange.stream().write(PRIMING).end();
const answers = (exchange: FakeExchange) => exchange.stream().event(result, 'id: 9\n').end();

describe('HTTP: an answer stream that ends early is resumed [R14 B61]', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'] as const) {
    it(`by GET after the last event, on ${revision}`, () => {
      run(
        [(exchange) => exchange.stream().write(PRIMING).event(note(1), 'id: ü2\n').event(note(2)).end(), answers],
        ({ time, http, request, times }) => {
          time.flush();
          expect(request.values).to.deep.equal([{ ok: true }]);
          expect(times).to.deep.equal([0, 1_000]);
          const [post, get] = http.exchanges.map(({ request: sent }) => sent);
          expect(get).to.deep.include({ method: 'GET', url: post!.url, body: undefined });
          expect(get!.headers).to.deep.include({ accept: 'text/event-stream', 'last-event-id': 'Ã¼2' }); // bytes of UTF-8
          expect(get!.headers['mcp-protocol-version']).to.equal(post!.headers['mcp-protocol-version']);
        },
        { revision },
      );
    });
  }

  it('over real HTTP', async () => {
    // Time passes before the reset: a browser throws away what has come by then and is not read yet.
    const quiet = Array.from({ length: 100 }, () => ': quiet\n\n');
    const fixture = await scripted({ on: 'tools/call', sse: ['retry: 100\n', PRIMING, ...quiet], reset: true }, { on: 'GET', sse: [`data: ${answer('late', '1')}\n\n`] });
    const connection = await openHttp(fixture);
    connection.adopt(legacyEra('2025-11-25'));
    expect(await call(connection)).to.equal('late');
    const [post, get] = await fixture.requests();
    expect(get).to.deep.include({ method: 'GET' }).and.nested.include({ 'headers.last-event-id': '1' });
    expect(get!.at - post!.at).to.be.at.least(95);
  });

  it('also when the body breaks', () => {
    run([(exchange) => exchange.stream().write(PRIMING).break(broken()), answers], ({ time, request }) => {
      time.flush();
      expect(request.values).to.have.length(1);
    });
  });

  it('again and again, each time after the newest event; what comes counts as of that request', () => {
    const progress = (n: number, id: number) => (exchange: FakeExchange) =>
      exchange
        .stream()
        .event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: n } }, `id: ${id}\n`)
        .end();
    inVirtualTime((time) => {
      const reactions = [progress(1, 1), progress(2, 2), progress(3, 3), answers];
      const http = new FakeHttp((exchange, n) => reactions[n]?.(exchange));
      const connection = http.connect();
      connection.adopt(legacyEra('2025-11-25'));
      const call$ = record(connection.exchange('tools/call', { name: 'x' }));
      time.flush();
      expect(call$.values.map((event: any) => event.log?.data ?? event.type)).to.deep.equal([1, 2, 3, 'result']);
      expect(call$.times).to.deep.equal([0, 1_000, 2_000, 3_000]); // each message is progress: no longer waits
      expect(http.exchanges.map(({ request }) => request.headers['last-event-id'])).to.deep.equal([undefined, '1', '2', '3']);
      void connection.close();
      time.flush();
    });
  });

  it('events that come a second time are left out; those without an id never are', () => {
    run(
      [
        (exchange) => exchange.stream().event(note(1), 'id: 1\n').event(note(2), 'id: 2\n').event(note(0)).end(),
        (exchange) => exchange.stream().event(note(1), 'id: 1\n').event(note(2), 'id: 2\n').event(note(3), 'id: 3\n').event(note(0)).end(),
        (exchange) => exchange.stream().event(note(2), 'id: 2\n').end(),
        answers,
      ],
      ({ time, connection, cursors }) => {
        const seen: unknown[] = [];
        connection.notifications$.subscribe(({ params }) => seen.push(params?.n));
        time.flush();
        expect(seen).to.deep.equal([3, 0]); // the first stream came before anybody listened
        expect(cursors()).to.deep.equal(['2', '3', '3']);
      },
    );
  });

  it('one id for several events of one connection is no repetition', () => {
    run([(exchange) => exchange.stream().event(note(1), 'id: 7\n').event(result, 'id: 7\n').end()], ({ time, request }) => {
      time.flush();
      expect(request.values).to.have.length(1);
    });
  });

  describe('waits', () => {
    it('as long as the server says, and never less', () => {
      run([(exchange) => exchange.stream().write('retry: 3000\n\n', PRIMING).end(), primes, primes, answers], ({ time, times, request }) => {
        time.flush();
        expect(times).to.deep.equal([0, 3_000, 6_000, 10_000]); // 3 s, 3 s although it would be 2, 4 s
        expect(request.values).to.have.length(1);
      });
    });

    it('at least a little', () => {
      run([(exchange) => exchange.stream().write('retry: 0\n\n', PRIMING).end(), answers], ({ time, times }) => {
        time.flush();
        expect(times).to.deep.equal([0, 100]);
      });
    });

    it('twice as long each time, and gives up after eight attempts without a message [B62]', () => {
      run([primes], ({ time, times, request }) => {
        time.flush();
        expect(times.map((at, i) => at - (times[i - 1] ?? 0))).to.deep.equal([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        expect(request.errors.map(String)).to.deep.equal(['NoResponseError: No response received for request ID 1']);
      });
    });

    it('no longer than the call may take', () => {
      run(
        [primes],
        ({ time, http, request }) => {
          time.flush();
          expect(request.errors.map(String)).to.deep.equal(['RequestTimeoutError: SSE response timeout after 2500ms']);
          expect(http.methods).to.deep.equal(['tools/call', 'GET', 'notifications/cancelled']);
        },
        { timeoutMs: 2_500 },
      );
    });

    it('until somebody unsubscribes', () => {
      run([primes, answers], ({ time, http, request }) => {
        time.at(500, () => request.unsubscribe());
        time.flush();
        expect(http.methods).to.deep.equal(['tools/call', 'notifications/cancelled']);
      });
    });

    it('until the connection is closed', () => {
      run([primes, answers], ({ time, http, connection, request }) => {
        time.at(500, () => connection.close());
        time.flush();
        expect(http.methods).to.deep.equal(['tools/call']);
        expect(request.errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed']);
      });
    });
  });

  it('unsubscribing ends a resumed stream too', () => {
    run([primes, (exchange) => exchange.stream().event(note(1))], ({ time, http, request }) => {
      time.at(1_500, () => {
        expect(http.exchanges[1]!.open).to.equal(true);
        request.unsubscribe();
        expect(http.exchanges[1]!.open).to.equal(false);
      });
      time.flush();
    });
  });

  it('a resumed stream that stays open after the answer is left a second later', () => {
    run([primes, (exchange) => exchange.stream().event(result)], ({ time, http, request }) => {
      time.at(1_500, () => expect(http.exchanges[1]!.open).to.equal(true));
      time.at(2_100, () => expect(http.exchanges[1]!.open).to.equal(false));
      time.flush();
      expect(request.values).to.have.length(1);
    });
  });

  for (const status of [400, 401, 404, 405, 410]) {
    it(`the GET refused with ${status}: no answer will come, at once`, () => {
      run([primes, (exchange) => exchange.respond(status, 'no such thing')], ({ time, request, times }) => {
        time.flush();
        const [error] = request.errors;
        expect(error).to.be.instanceOf(NoResponseError).with.property('message', 'No response received for request ID 1');
        expect(error.cause).to.be.instanceOf(HttpError).with.property('message', `HTTP ${status}: no such thing`);
        expect(request.endedAt).to.equal(1_000);
        expect(times).to.have.length(2);
      });
    });
  }

  for (const [title, react] of [
    ['JSON', (exchange) => exchange.respond(200, '{}', { 'content-type': 'application/json' })],
    ['204', (exchange) => exchange.respond(204)],
  ] as [string, (exchange: FakeExchange) => void][]) {
    it(`the GET answered with ${title}: no answer will come, at once`, () => {
      run([primes, react], ({ time, request }) => {
        time.flush();
        expect(request.errors[0]).to.be.instanceOf(NoResponseError);
        expect(request.endedAt).to.equal(1_000);
      });
    });
  }

  for (const [title, react] of [
    ['409', (exchange) => exchange.respond(409)],
    ['503', (exchange) => exchange.respond(503)],
    ['nothing', (exchange) => exchange.fail(broken())],
  ] as [string, (exchange: FakeExchange) => void][]) {
    it(`the GET answered with ${title}: is tried again`, () => {
      run([primes, react, answers], ({ time, request, times }) => {
        time.flush();
        expect(request.values).to.have.length(1);
        expect(times).to.deep.equal([0, 1_000, 3_000]);
      });
    });
  }

  it('an event of a resumed stream that is not JSON fails the call [R36]', () => {
    run([primes, (exchange) => exchange.stream().write('data: {"x\n\n')], ({ time, request, times }) => {
      time.flush();
      expect(request.errors[0]).to.be.instanceOf(ParseError);
      expect(times).to.have.length(2);
    });
  });

  describe('not', () => {
    it('without an event id', () => {
      run([(exchange) => exchange.stream().event(note(1)).end()], ({ time, request, times }) => {
        time.flush();
        expect(request.errors.map(String)).to.deep.equal(['NoResponseError: No response received for request ID 1']);
        expect([request.endedAt, times.length]).to.deep.equal([0, 1]);
      });
    });

    it('without an event id, when the body breaks: that is the error', () => {
      const error = broken();
      run([(exchange) => exchange.stream().event(note(1)).break(error)], ({ time, request }) => {
        time.flush();
        expect(request.errors).to.deep.equal([error]);
      });
    });

    it('after an event id that was taken back', () => {
      run([(exchange) => exchange.stream().write(PRIMING).event(note(1), 'id:\n').end()], ({ time, request, times }) => {
        time.flush();
        expect(request.errors[0]).to.be.instanceOf(NoResponseError);
        expect(times).to.have.length(1);
      });
    });

    it('after the answer', () => {
      run([answers], ({ time, times }) => {
        time.flush();
        expect(times).to.have.length(1);
      });
    });

    it('on 2026-07-28, which has no event ids', () => {
      inVirtualTime((time) => {
        const http = new FakeHttp(primes);
        const connection = http.connect();
        connection.adopt(modernEra('2026-07-28', { name: 'spec', version: '1' }, {}));
        const request = record(connection.request('tools/call', { name: 'x' }));
        time.flush();
        expect(request.errors.map(String)).to.deep.equal(['NoResponseError: No response received for request ID 1']);
        expect(http.methods).to.deep.equal(['tools/call']);
        void connection.close();
        time.flush();
      });
    });
  });
});
