import { expect } from 'chai';
import { NEVER, Observable, of, throwError, timer, map } from 'rxjs';
import { RpcError } from '../../lib/errors.ts';
import { Connection } from '../../lib/session/connection.ts';
import { modernEra } from '../../lib/session/era-modern.ts';
import { connected, FakeTransport, Peer } from '../support/peer.ts';
import { inVirtualTime, record, timersLeftBy } from '../support/test-scheduler.ts';

/** An Observable that counts who is subscribed. */
function watched<T>(source$: Observable<T> = NEVER): { readonly source$: Observable<T>; live: number; total: number } {
  const counts = {
    live: 0,
    total: 0,
    source$: new Observable<T>((subscriber) => {
      counts.live++;
      counts.total++;
      subscriber.add(() => {
        counts.live--;
      });
      subscriber.add(source$.subscribe(subscriber));
    }),
  };
  return counts;
}

const answersOf = (peer: Peer): any[] => peer.received.filter(({ method }) => method === undefined);

describe('requests of the server [B25]', () => {
  it('ping is answered at once, also before initialize and with the id of a request of ours', () => {
    inVirtualTime(({ flush, at }) => {
      const { connection, peer } = connected();
      const ours = record(connection.request('tools/call', { name: 'x' }));
      at(5, () => peer.send({ id: 1, method: 'ping' }));
      at(6, () => {
        expect(answersOf(peer)).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: {} }]);
        expect(ours).to.deep.include({ values: [], completed: 0, errors: [] });
        peer.result(1, { content: [] });
      });
      flush();
      expect(ours.values).to.deep.equal([{ content: [] }]);
      expect(answersOf(peer)).to.have.length(1);
    });
  });

  for (const method of ['x/unknown', 'roots/list', 'toString', '__proto__', 'constructor']) {
    it(`${method}, which nobody handles, is refused with -32601`, () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const errors = record(connection.errors$);
        peer.send({ id: 's-1', method });
        flush();
        const [answer] = answersOf(peer);
        expect(answer).to.deep.equal({ jsonrpc: '2.0', id: 's-1', error: { code: -32601, message: `Method not found: ${method}` } });
        expect(errors.values).to.deep.equal([]);
      });
    });
  }

  it('keep the id they came with', () => {
    inVirtualTime(({ flush }) => {
      const { peer } = connected();
      for (const id of [0, '', '7', 7, -1]) peer.send({ id, method: 'ping' });
      flush();
      expect(answersOf(peer).map(({ id }) => id)).to.deep.equal([0, '', '7', 7, -1]);
    });
  });

  describe('with a handler', () => {
    it('get its first value, wherever it comes from', () => {
      inVirtualTime(({ flush }) => {
        const calls: unknown[] = [];
        const { peer } = connected(
          {},
          {
            requestHandlers: {
              now: (params, request) => {
                calls.push([params, request.id]);
                return of({ n: 1 }, { n: 2 });
              },
              array: () => [{ n: 3 }],
              later: () => timer(10).pipe(map(() => ({ n: 4 }))),
              ping: () => of({ _meta: { mine: true } }),
            },
          },
        );
        peer.send({ id: 1, method: 'now', params: { a: 1 } }, { id: 2, method: 'array' }, { id: 3, method: 'later' }, { id: 4, method: 'ping' }, { id: 5, method: 'now' });
        flush();
        expect(answersOf(peer).map(({ id, result }) => [id, result])).to.deep.equal([
          [1, { n: 1 }],
          [2, { n: 3 }],
          [4, { _meta: { mine: true } }],
          [5, { n: 1 }],
          [3, { n: 4 }],
        ]);
        expect(calls).to.deep.equal([[{ a: 1 }, 1], [{}, 5]]);
      });
    });

    it('may be a Promise', async () => {
      const { connection, peer } = connected({}, { requestHandlers: { ask: async () => ({ n: 1 }) }, synchronous: true });
      peer.send({ id: 1, method: 'ask' });
      await new Promise((resolve) => setTimeout(resolve));
      expect(answersOf(peer)).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: { n: 1 } }]);
      void connection.close();
    });

    const failures: [title: string, handler: () => any][] = [
      ['throws', () => { throw new Error('secret path /etc'); }],
      ['errors', () => throwError(() => new Error('secret path /etc'))],
      ['errors later', () => new Observable((subscriber) => timer(5).subscribe(() => { subscriber.error(new Error('secret path /etc')); }))],
      ['completes empty', () => []],
      ['returns nothing', () => undefined],
    ];
    for (const [title, handler] of failures) {
      it(`that ${title} get -32603 without its text; the error reaches errors$ [B94]`, () => {
        inVirtualTime(({ flush }) => {
          const { connection, peer } = connected({ x: () => ({}) }, { requestHandlers: { ask: handler } });
          const errors = record(connection.errors$);
          peer.send({ id: 1, method: 'ask' }, { id: 2, method: 'ping' });
          const x = record(connection.request('x'));
          flush();
          expect(answersOf(peer)).to.deep.include.members([
            { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
            { jsonrpc: '2.0', id: 2, result: {} },
          ]);
          expect(answersOf(peer)).to.have.length(2);
          expect(errors.values).to.have.length(1);
          expect(JSON.stringify(peer.received)).not.to.include('secret');
          expect(x.completed).to.equal(1);
        });
      });
    }

    it('that rejects a Promise get -32603, too [B94]', async () => {
      const { connection, peer } = connected({}, { requestHandlers: { ask: () => Promise.reject(new Error('secret')) }, synchronous: true });
      const errors = record(connection.errors$);
      peer.send({ id: 1, method: 'ask' });
      await new Promise((resolve) => setTimeout(resolve));
      expect(answersOf(peer)[0].error).to.deep.equal({ code: -32603, message: 'Internal error' });
      expect(errors.values.map(String)).to.deep.equal(['Error: secret']);
      void connection.close();
    });

    it('that errors with an RpcError pass it on as it is', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected(
          {},
          {
            requestHandlers: {
              a: () => throwError(() => new RpcError(-1, 'User rejected sampling request')),
              b: () => {
                throw new RpcError(-32042, 'URL needed', { url: 'https://x' });
              },
            },
          },
        );
        const errors = record(connection.errors$);
        peer.send({ id: 1, method: 'a' }, { id: 2, method: 'b' });
        flush();
        expect(answersOf(peer).map(({ error }) => error)).to.deep.equal([
          { code: -1, message: 'User rejected sampling request' },
          { code: -32042, message: 'URL needed', data: { url: 'https://x' } },
        ]);
        expect(errors.values).to.deep.equal([]);
      });
    });

    it('do not hold up what comes after them', () => {
      inVirtualTime(({ flush, at }) => {
        const { connection, peer } = connected({ x: () => ({}) }, { requestHandlers: { slow: () => timer(100).pipe(map(() => ({}))) } });
        peer.send({ id: 1, method: 'slow' }, { id: 2, method: 'ping' }, { method: 'news' });
        const news = record(connection.notifications$);
        at(5, () => {
          expect(answersOf(peer).map(({ id }) => id)).to.deep.equal([2]);
          expect(news.values).to.have.length(1);
        });
        flush();
        expect(answersOf(peer).map(({ id }) => id)).to.deep.equal([2, 1]);
      });
    });

    it('that the server cancels are unsubscribed and get no answer', () => {
      inVirtualTime(({ flush, at }) => {
        const slow = watched();
        const { connection, peer } = connected({}, { requestHandlers: { slow: () => slow.source$ as never } });
        const diagnostics = record(connection.diagnostics$);
        peer.send({ id: 's', method: 'slow' });
        at(5, () => {
          expect(slow.live).to.equal(1);
          peer.send({ method: 'notifications/cancelled', params: { requestId: 'other' } });
        });
        at(6, () => {
          expect(slow.live).to.equal(1);
          peer.send({ method: 'notifications/cancelled', params: { requestId: 's', reason: 'no need' } });
          peer.send({ method: 'notifications/cancelled', params: { requestId: 's' } }, { method: 'notifications/cancelled' }, { method: 'notifications/cancelled', params: null });
        });
        flush();
        expect(slow.live).to.equal(0);
        expect(answersOf(peer)).to.deep.equal([]);
        expect(diagnostics.values).to.deep.equal([]);
      });
    });

    it('that the server cancels after the answer stay answered, once', () => {
      inVirtualTime(({ flush }) => {
        const { peer } = connected();
        peer.send({ id: 1, method: 'ping' }, { method: 'notifications/cancelled', params: { requestId: 1 } });
        flush();
        expect(answersOf(peer)).to.have.length(1);
      });
    });

    it('a cancel of the server does not touch a request of ours with the same id', () => {
      inVirtualTime(({ flush, at }) => {
        const { connection, peer } = connected();
        const ours = record(connection.request('x'));
        at(1, () => peer.send({ method: 'notifications/cancelled', params: { requestId: 1 } }, { id: 1, result: {} }));
        flush();
        expect(ours.values).to.have.length(1);
      });
    });

    for (const who of ['client', 'server']) {
      it(`are unsubscribed when the ${who} closes, and answer nothing`, () => {
        inVirtualTime(({ flush, at }) => {
          const slow = watched(timer(100).pipe(map(() => ({}))));
          const { connection, peer } = connected({}, { requestHandlers: { slow: () => slow.source$ } });
          const diagnostics = record(connection.diagnostics$);
          peer.send({ id: 1, method: 'slow' }, { id: 2, method: 'slow' });
          at(5, () => {
            expect(slow.live).to.equal(2);
            if (who === 'client') void connection.close();
            else peer.close();
            expect(slow.live).to.equal(0);
          });
          flush();
          expect(answersOf(peer)).to.deep.equal([]);
          expect(diagnostics.values).to.deep.equal([]);
        });
      });
    }

    it('with one id for two requests are both unsubscribed at close', () => {
      inVirtualTime(({ flush, at }) => {
        const slow = watched();
        const { connection, peer } = connected({}, { requestHandlers: { slow: () => slow.source$ as never } });
        peer.send({ id: 1, method: 'slow' }, { id: 1, method: 'slow' });
        at(5, () => connection.close());
        flush();
        expect(slow.live).to.equal(0);
      });
    });

    it('may close the connection, or call the server, from inside', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected(
          { x: () => ({ from: 'server' }) },
          {
            synchronous: true,
            requestHandlers: {
              relay: () => connection.request('x') as never,
              bye: () => {
                void connection.close();
                return NEVER;
              },
            },
          },
        );
        peer.send({ id: 's', method: 'relay' });
        expect(answersOf(peer)).to.deep.equal([{ jsonrpc: '2.0', id: 's', result: { from: 'server' } }]);
        peer.send({ id: 't', method: 'bye' });
        flush();
        expect(connection.connected).to.equal(false);
      });
    });
  });

  it('on a modern link are reported and not answered: such servers have none', () => {
    inVirtualTime(({ flush }) => {
      const transport = new FakeTransport();
      const connection = new Connection(transport, { requestHandlers: { ask: () => of({}) } });
      void connection.connect();
      connection.adopt(modernEra('2026-07-28', { name: 'spec', version: '1' }, {}));
      const diagnostics = record(connection.diagnostics$);
      transport.receives({ id: 1, method: 'ask' });
      transport.receives({ id: 2, method: 'ping' });
      flush();
      expect(transport.sent).to.deep.equal([]);
      expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['unexpected-request', 'unexpected-request']);
      expect(connection.connected).to.equal(true);
      void connection.close();
    });
  });

  describe('while an answer is awaited of us, deadlines stand still [R40]', () => {
    const slow = { 'x/ask': () => timer(1_000).pipe(map(() => ({ ok: true }))) };
    const timedOutAt = (recorded: { readonly errors: unknown[]; readonly endedAt: number | undefined }) => {
      expect(recorded.errors.map(String)).to.deep.equal(['RequestTimeoutError: Request timeout after 100ms']);
      return recorded.endedAt;
    };

    it('those of every call under way, where the wire does not say which one asks', () => {
      inVirtualTime(({ flush, at }) => {
        const { connection, peer } = connected({}, { timeout: 100, requestHandlers: slow });
        const first = record(connection.request('tools/call', { name: 'a' }));
        const second = record(connection.request('tools/call', { name: 'b' }));
        at(60, () => peer.send({ id: 's-1', method: 'x/ask' }));
        let later = record<unknown>(NEVER);
        at(70, () => {
          later = record(connection.request('tools/call', { name: 'asked later' }));
        });
        flush();
        expect(answersOf(peer)).to.deep.equal([{ jsonrpc: '2.0', id: 's-1', result: { ok: true } }]);
        expect([first, second].map(timedOutAt)).to.deep.equal([1_100, 1_100]);
        expect(timedOutAt(later)).to.equal(100);
      });
    });

    it('that of the call on whose stream the server asks, where it says so', () => {
      inVirtualTime(({ flush, at }) => {
        const transport = new FakeTransport({ hasRequestStreams: true });
        const connection = new Connection(transport, { timeout: 100, requestHandlers: slow });
        void connection.connect();
        const asking = record(connection.request('tools/call', { name: 'a' }));
        const other = record(connection.request('tools/call', { name: 'b' }));
        at(60, () => {
          transport.receives({ id: 's-1', method: 'x/ask' }, 1);
        });
        flush();
        expect(timedOutAt(asking)).to.equal(1_100);
        expect(timedOutAt(other)).to.equal(100);
      });
    });

    it('until the last answer is given, or no longer needed', () => {
      inVirtualTime(({ flush, at }) => {
        const { connection, peer } = connected({}, { timeout: 100, requestHandlers: { 'x/ask': () => NEVER } });
        const call = record(connection.request('tools/call', { name: 'a' }));
        at(10, () => {
          peer.send({ id: 's-1', method: 'x/ask' });
          peer.send({ id: 's-2', method: 'x/ask' });
        });
        at(500, () => peer.notify('notifications/cancelled', { requestId: 's-1' }));
        at(900, () => peer.notify('notifications/cancelled', { requestId: 's-2' }));
        flush();
        expect(timedOutAt(call)).to.equal(990);
      });
    });

    it('not for an answer that is there at once, and the call may be answered or given up meanwhile', async () => {
      const left = await timersLeftBy(() => {
        const { connection, peer } = connected({}, { synchronous: true, timeout: 100_000, requestHandlers: { 'x/ask': () => NEVER } });
        const answered = record(connection.request('tools/call', { name: 'a' }));
        const given = record(connection.request('tools/call', { name: 'b' }));
        peer.send({ id: 's-1', method: 'x/ask' });
        peer.send({ id: 's-2', method: 'ping' });
        peer.result(1, { content: [] });
        given.unsubscribe();
        peer.notify('notifications/cancelled', { requestId: 's-1' });
        expect(answered.completed).to.equal(1);
        peer.close();
      });
      expect(left).to.equal(0);
    });
  });
});
