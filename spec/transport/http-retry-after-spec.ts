import { expect } from 'chai';
import { HttpError, RpcError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import type { Connection } from '../../lib/session/connection.ts';
import { endHttpByHand, FakeHttp, type FakeExchange } from '../support/http-by-hand.ts';
import { answer, call, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome } from '../support/outcome.ts';
import { inVirtualTime, record, type Recorded, type VirtualTime } from '../support/test-scheduler.ts';
import { validParams } from '../support/valid-params.ts';

interface Run {
  readonly time: VirtualTime;
  readonly http: FakeHttp;
  readonly connection: Connection;
  /** When each request was made. */
  readonly times: number[];
  readonly call: (method?: string, options?: object) => Recorded<unknown>;
}

type Reaction = (exchange: FakeExchange) => void;

/** The nth exchange meets the nth reaction, the last one all later ones. */
function run(reactions: Reaction[], look: (run: Run) => void): void {
  inVirtualTime((time) => {
    const times: number[] = [];
    const http = new FakeHttp((exchange, n) => {
      times.push(time.now());
      reactions[Math.min(n, reactions.length - 1)]?.(exchange);
    });
    const connection = http.connect();
    look({ time, http, connection, times, call: (method = 'tools/call', options = {}) => record(connection.request(method, validParams(method), options)) });
    void connection.close();
    time.flush();
    expect(http.exchanges.filter(({ open }) => open)).to.deep.equal([]);
  });
}

const refuses =
  (status: number, retryAfter?: string, body = 'slow down'): Reaction =>
  (exchange) => {
    exchange.respond(status, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  };
const answers: Reaction = (exchange) => {
  if (exchange.message.id === undefined) exchange.respond(202);
  else exchange.result({ ok: true });
};

describe('HTTP: 429, and 503 with Retry-After [B48 R33]', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  it('429 with seconds: the same request is sent again then', () => {
    run([refuses(429, '7'), answers], ({ time, http, times, call: request }) => {
      const given = request();
      time.flush();
      expect(given.values).to.deep.equal([{ ok: true }]);
      expect(times).to.deep.equal([0, 7_000]);
      expect(http.exchanges[1]!.request).to.deep.equal(http.exchanges[0]!.request);
    });
  });

  it('with a date, by the clock of the scheduler', () => {
    inVirtualTime((time) => {
      const http = new FakeHttp((exchange, n) => {
        if (n === 0) exchange.respond(429, '', { 'retry-after': new Date(20_000).toUTCString() });
        else answers(exchange);
      });
      const connection = http.connect();
      let given: Recorded<unknown> | undefined;
      time.at(5_000, () => (given = record(connection.request('tools/call', validParams('tools/call')))));
      time.flush();
      expect(given!.times).to.deep.equal([15_000]);
      void connection.close();
      time.flush();
    });
  });

  it('with a date that has passed: at once', () => {
    run([refuses(429, new Date(-5_000).toUTCString()), answers], ({ time, times, call: request }) => {
      request();
      time.flush();
      expect(times).to.deep.equal([0, 0]);
    });
  });

  it('without either: later each time, and not all at once', () => {
    const firsts = new Set<number>();
    for (let i = 0; i < 5; i++) {
      run([refuses(429)], ({ time, times, call: request }) => {
        const given = request();
        time.flush();
        expect(given.errors[0]).to.be.instanceOf(HttpError).with.property('status', 429);
        const waits = times.slice(1).map((at, n) => at - times[n]!);
        expect(waits).to.have.length(3);
        waits.forEach((wait, n) => expect(wait).to.be.within(1_000 * 2 ** n, 2_000 * 2 ** n));
        firsts.add(waits[0]!);
      });
    }
    expect(firsts.size).to.be.above(1);
  });

  it('three times, then it is the error', () => {
    run([refuses(429, '2')], ({ time, times, call: request }) => {
      const given = request();
      time.flush();
      expect(times).to.deep.equal([0, 2_000, 4_000, 6_000]);
      expect(given.errors[0]).to.be.instanceOf(HttpError).with.property('retryAfter', '2');
      expect(given.endedAt).to.equal(6_000);
    });
  });

  it('another failure of the second attempt is the error', () => {
    const broken = new Error('cut');
    run([refuses(429, '2'), (exchange) => exchange.fail(broken)], ({ time, times, call: request }) => {
      const given = request();
      time.flush();
      expect(given.errors).to.deep.equal([broken]);
      expect(times).to.deep.equal([0, 2_000]);
    });
  });

  describe('the error at once', () => {
    for (const [title, retryAfter, timeoutMs] of [
      ['when the wait is longer than a minute', '61', Infinity],
      ['when the wait is longer than the call may last', '31', undefined],
      ['when the wait is longer than this call may last', '3', 3_000],
      ['when it is no time', 'soon', undefined],
    ] as const) {
      it(title, () => {
        run([refuses(429, retryAfter)], ({ time, times, call: request }) => {
          const given = request('tools/call', { timeoutMs });
          time.flush();
          const [error] = given.errors;
          expect(error).to.be.instanceOf(HttpError).and.include({ status: 429, retryAfter });
          expect(error.message).to.equal('HTTP 429: slow down');
          expect([given.endedAt, times.length]).to.deep.equal([0, 1]);
        });
      });
    }

    it('when what is left of the call is shorter than the next wait', () => {
      run([refuses(429, '4')], ({ time, times, call: request }) => {
        const given = request('tools/call', { timeoutMs: 6_000 });
        time.flush();
        expect(times).to.deep.equal([0, 4_000]);
        expect(given.errors[0]).to.be.instanceOf(HttpError);
      });
    });

    it('a wait that fits: a minute', () => {
      run([refuses(429, '60'), answers], ({ time, times, call: request }) => {
        request('tools/call', { timeoutMs: Infinity });
        time.flush();
        expect(times).to.deep.equal([0, 60_000]);
      });
    });
  });

  it('a JSON-RPC error as body changes nothing; if it is the last word, it is the error', () => {
    const body = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Rate limited"}}';
    run([refuses(429, '1', body), answers], ({ time, call: request }) => {
      const given = request();
      time.flush();
      expect(given.values).to.have.length(1);
    });
    run([refuses(429, '100', body)], ({ time, call: request }) => {
      const given = request();
      time.flush();
      expect(given.errors[0]).to.be.instanceOf(RpcError).and.include({ code: -32000, status: 429 });
    });
  });

  it('notifications too', () => {
    run([refuses(429, '5'), answers], ({ time, connection, times }) => {
      const given = record(connection.notify('note'));
      time.flush();
      expect(given).to.deep.include({ completed: 1, endedAt: 5_000 });
      expect(times).to.deep.equal([0, 5_000]);
    });
  });

  for (const method of ['ping', 'initialize', 'server/discover', 'tools/list', 'resources/templates/list', 'resources/read', 'prompts/get']) {
    it(`503 for ${method}, which only reads: sent again`, () => {
      run([refuses(503, '3'), answers], ({ time, times, call: request }) => {
        const given = request(method);
        time.flush();
        expect(given.values).to.have.length(1);
        expect(times).to.deep.equal([0, 3_000]);
      });
    });
  }

  for (const [title, method, status, retryAfter] of [
    ['503 for a tool call may have run', 'tools/call', 503, '1'],
    ['503 for a method that is not known', 'x/listen', 503, '1'],
    ['503 that names no time', 'tools/list', 503, undefined],
    ['500 with a time', 'tools/list', 500, '1'],
    ['404 with a time', 'tools/list', 404, '1'],
  ] as const) {
    it(`${title}: not sent again [R53]`, () => {
      run([refuses(status, retryAfter)], ({ time, times, call: request }) => {
        const given = request(method);
        time.flush();
        expect(given.errors[0]).to.be.instanceOf(HttpError).and.include({ status, retryAfter });
        expect(times).to.have.length(1);
      });
    });
  }

  describe('the wait ends', () => {
    const cases: [string, (run: Run, given: Recorded<unknown>, abort: AbortController) => void, string[]][] = [
      ['by unsubscribing', (_, given) => given.unsubscribe(), []],
      ['by a signal', (_run, _given, abort) => abort.abort(new Error('enough')), ['Error: enough']],
      ['by close()', ({ connection }) => void connection.close(), ['ConnectionClosedError: Transport closed']],
    ];
    for (const [title, end, errors] of cases) {
      it(title, () => {
        run([refuses(429, '7'), answers], (all) => {
          const abort = new AbortController();
          const given = all.call('tools/call', { signal: abort.signal });
          all.time.at(3_000, () => end(all, given, abort));
          all.time.flush();
          expect(given.errors.map(String)).to.deep.equal(errors);
          expect(given.values).to.deep.equal([]);
          expect(all.http.methods.filter((method) => method === 'tools/call')).to.have.length(1);
        });
      });
    }
  });

  it('while it waits, its exchange is over and other calls go through', () => {
    run([refuses(429, '7'), answers], ({ time, http, call: request }) => {
      const first = request();
      time.at(1, () => expect(http.exchanges[0]!.open).to.equal(false));
      time.at(2, () => request('tools/list'));
      time.flush();
      expect(http.methods).to.deep.equal(['tools/call', 'tools/list', 'tools/call']);
      expect(first.values).to.have.length(1);
    });
  });

  it('over real HTTP', async () => {
    const fixture = await scripted({ on: 'tools/call', times: 1, status: 429, body: 'no', headers: { 'retry-after': '1' } }, { on: 'tools/call', body: answer('later') });
    expect(await call(await openHttp(fixture))).to.equal('later');
    const [first, second] = await fixture.requests();
    expect(second!.at - first!.at).to.be.at.least(990);
  });

  it('connecting waits as well', async () => {
    const busy = { times: 1, status: 429, body: 'no', headers: { 'retry-after': '0' } };
    const fixture = await scripted({ on: 'server/discover', ...busy }, { on: 'initialize', ...busy }, { on: 'notifications/initialized', ...busy });
    const client = createClient({ type: 'http', url: fixture.url });
    expect((await outcome(client.connect())).error).to.equal(undefined);
    expect((await fixture.requests()).map(({ body, method }) => body?.method ?? method).filter((method) => method !== 'GET')).to.deep.equal(
      ['server/discover', 'initialize', 'notifications/initialized'].flatMap((method) => [method, method]),
    );
    await outcome(client.close());
  });

  it('a probe that is to wait longer than a silent one may is the error of connect(), not a sign of the era [B20]', async () => {
    const fixture = await scripted({ on: '*', status: 429, body: 'no', headers: { 'retry-after': '5' } });
    const client = createClient({ type: 'http', url: fixture.url });
    expect(await errorOf(client.connect())).to.be.instanceOf(HttpError).and.include({ status: 429, retryAfter: '5' });
    expect(await fixture.requests()).to.have.length(1);
    await outcome(client.close());
  });
});
