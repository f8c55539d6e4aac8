import { expect } from 'chai';
import { NEVER, Observable, of, Subject, take, throwError } from 'rxjs';
import { AbortError, RequestTimeoutError } from '../../lib/errors.ts';
import type { AbortSignalLike } from '../../lib/session/abort.ts';
import { Connection } from '../../lib/session/connection.ts';
import type { RequestOptions } from '../../lib/session/request-options.ts';
import { connected, FakeTransport, type Peer } from '../support/peer.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';
import { validParams } from '../support/valid-params.ts';

const PRIVATE = 'tenant X revoked';

/** The cancels that went out. */
const cancels = (peer: Peer): any[] => peer.of('notifications/cancelled').map(({ params }) => params);

describe('giving a request up', () => {
  describe('tells the server once, in a neutral text [R43 B37]', () => {
    const ways: [title: string, run: (connection: Connection, at: (ms: number, work: () => void) => void) => { errors: unknown[] }, expected: unknown][] = [
      ['unsubscribing', (connection, at) => {
        const seen = record(connection.request('x'));
        at(10, () => {
          seen.unsubscribe();
          seen.unsubscribe();
        });
        return seen;
      }, undefined],
      ['the deadline', (connection) => record(connection.request('x', undefined, { timeoutMs: 10 })), 'Request timeout after 10ms'],
      ['a signal', (connection, at) => {
        const controller = new AbortController();
        at(10, () => controller.abort(new Error(PRIVATE)));
        return record(connection.request('x', undefined, { signal: controller.signal }));
      }, PRIVATE],
      ['abort$', (connection, at) => {
        const abort$ = new Subject();
        at(10, () => abort$.error(new Error(PRIVATE)));
        return record(connection.request('x', undefined, { abort$ }));
      }, PRIVATE],
    ];

    for (const [title, run, expected] of ways) {
      it(title, () => {
        inVirtualTime(({ at, flush, now }) => {
          const { connection, peer } = connected();
          const times: number[] = [];
          connection.wire$.subscribe(({ message }: any) => message.method === 'notifications/cancelled' && times.push(now()));
          const seen = run(connection, at);
          flush();
          expect(cancels(peer)).to.have.length(1);
          expect(cancels(peer)[0].requestId).to.equal(1);
          expect(peer.of('notifications/cancelled')[0]).not.to.have.property('id');
          expect(JSON.stringify(peer.received)).not.to.include(PRIVATE);
          expect(times).to.deep.equal([10]);
          expect(seen.errors.map((error: any) => error.message)).to.deep.equal(expected === undefined ? [] : [expected]);
          expect(connection.pendingRequests).to.equal(0);
        });
      });
    }
  });

  it('keeps the caller’s reason, told apart from a timeout [R42]', () => {
    inVirtualTime(({ at, flush }) => {
      const { connection } = connected();
      const reason = { code: 'user-stop' };
      const controller = new AbortController();
      const plain = new AbortController();
      const own = record(connection.request('x', undefined, { signal: controller.signal, timeoutMs: 50 }));
      const standard = record(connection.request('x', undefined, { signal: plain.signal }));
      const value = record(connection.request('x', undefined, { abort$: of('now') }));
      const late = record(connection.request('x', undefined, { signal: controller.signal, timeoutMs: 5 }));
      at(10, () => {
        controller.abort(reason);
        plain.abort();
      });
      flush();
      expect(own.errors[0]).to.equal(reason);
      expect(standard.errors[0].name).to.equal('AbortError');
      expect(value.errors[0]).to.be.instanceOf(AbortError);
      expect(late.errors[0]).to.be.instanceOf(RequestTimeoutError);
    });
  });

  it('does nothing when abort$ completes', () => {
    inVirtualTime(({ at, flush }) => {
      const { connection, peer } = connected();
      const seen = record(connection.request('x', undefined, { abort$: of().pipe(take(1)) }));
      at(10, () => peer.result(1));
      flush();
      expect(seen).to.deep.include({ completed: 1, errors: [] });
      expect(cancels(peer)).to.deep.equal([]);
    });
  });

  for (const [title, options] of Object.entries({
    'a signal that is aborted already': () => ({ signal: AbortSignal.abort(new Error(PRIVATE)) }),
    'an abort$ that errors at once': () => ({ abort$: throwError(() => new Error(PRIVATE)) }),
  }) as [string, () => RequestOptions][]) {
    it(`writes nothing at all with ${title} [B37]`, () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const seen = record(connection.request('x', undefined, options()));
        expect(seen.errors.map(({ message }) => message)).to.deep.equal([PRIVATE]);
        flush();
        expect(peer.received).to.deep.equal([]);
        expect(connection.pendingRequests).to.equal(0);
      });
    });
  }

  describe('in the same tick as the answer [B37]', () => {
    for (const first of ['answer', 'abort'] as const) {
      it(`settles once: the ${first} comes first`, () => {
        inVirtualTime(({ at, flush }) => {
          const { connection, peer } = connected({}, { synchronous: true });
          const controller = new AbortController();
          const seen = record(connection.request('x', undefined, { signal: controller.signal }));
          at(10, () => {
            if (first === 'abort') controller.abort(new Error(PRIVATE));
            peer.result(1, { ok: 1 });
            controller.abort(new Error(PRIVATE));
          });
          flush();
          expect(seen.values.length + seen.errors.length).to.equal(1);
          expect(seen.values).to.have.length(first === 'answer' ? 1 : 0);
          expect(cancels(peer)).to.have.length(first === 'answer' ? 0 : 1);
        });
      });
    }

    it('settles with the answer when the abort happens inside next', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected({}, { synchronous: true });
        const controller = new AbortController();
        const seen: unknown[] = [];
        connection.request('x', undefined, { signal: controller.signal }).subscribe({
          next: (result) => {
            seen.push(result);
            controller.abort();
          },
          error: (error: unknown) => seen.push(error),
          complete: () => seen.push('complete'),
        });
        at(10, () => peer.result(1, { ok: 1 }));
        flush();
        expect(seen[0]).to.deep.equal({ ok: 1 });
        expect(cancels(peer)).to.deep.equal([]);
        expect(connection.pendingRequests).to.equal(0);
      });
    });
  });

  it('tells nobody after the answer, an error, or take(1)', () => {
    inVirtualTime(({ flush }) => {
      const { connection, peer } = connected({ ok: () => ({}), bad: ({ id }) => peer.error(id, -1) });
      const seen = [record(connection.request('ok')), record(connection.request('bad')), record(connection.request('ok').pipe(take(1)))];
      flush();
      for (const one of seen) one.unsubscribe();
      flush();
      expect(cancels(peer)).to.deep.equal([]);
    });
  });

  it('tells nobody beyond this client with cancel: local', () => {
    inVirtualTime(({ at, flush }) => {
      const { connection, peer } = connected();
      const controller = new AbortController();
      const seen = [
        record(connection.request('x', undefined, { cancel: 'local' })),
        record(connection.request('x', undefined, { cancel: 'local', timeoutMs: 10 })),
        record(connection.request('x', undefined, { cancel: 'local', signal: controller.signal })),
      ];
      at(5, () => {
        seen[0]!.unsubscribe();
        controller.abort();
      });
      flush();
      expect(cancels(peer)).to.deep.equal([]);
      expect(connection.pendingRequests).to.equal(0);
    });
  });

  for (const method of ['initialize', 'server/discover']) {
    for (const how of ['timeout', 'abort', 'unsubscribe']) {
      it(`never tells the server of ${method} (${how}) [R43 B19]`, () => {
        inVirtualTime(({ at, flush }) => {
          const { connection, peer } = connected();
          const controller = new AbortController();
          const seen = record(connection.request(method, validParams(method), { timeoutMs: how === 'timeout' ? 50 : 1_000, signal: controller.signal }));
          at(50, () => {
            if (how === 'abort') controller.abort();
            if (how === 'unsubscribe') seen.unsubscribe();
          });
          flush();
          expect(peer.methods).to.deep.equal([method]);
          expect(seen.errors).to.have.length(how === 'unsubscribe' ? 0 : 1);
          expect(connection.pendingRequests).to.equal(0);
        });
      });
    }
  }

  it('tells nobody after close', () => {
    inVirtualTime(({ flush }) => {
      const { connection, peer } = connected();
      const seen = record(connection.request('x'));
      void connection.close();
      seen.unsubscribe();
      flush();
      expect(cancels(peer)).to.deep.equal([]);
    });
  });

  it('releases the request from the transport, and tells nobody when it had not left', () => {
    inVirtualTime(({ flush }) => {
      for (const hadLeft of [true, false]) {
        const transport = new FakeTransport();
        transport.hadLeft = hadLeft;
        const connection = new Connection(transport);
        void connection.connect();
        record(connection.request('x')).unsubscribe();
        expect(transport.released).to.deep.equal([1]);
        expect(transport.sent.map(({ method }) => method)).to.deep.equal(hadLeft ? ['x', 'notifications/cancelled'] : ['x']);
        void connection.close();
      }
      flush();
    });
  });

  describe('leaves no listener behind [B38]', () => {
    class CountingSignal implements AbortSignalLike {
      listeners = 0;
      most = 0;
      readonly #listeners = new Set<() => void>();
      aborted = false;
      reason: unknown = undefined;

      addEventListener(_type: 'abort', listener: () => void): void {
        this.#listeners.add(listener);
        this.listeners = this.#listeners.size;
        this.most = Math.max(this.most, this.listeners);
      }

      removeEventListener(_type: 'abort', listener: () => void): void {
        this.#listeners.delete(listener);
        this.listeners = this.#listeners.size;
      }

      abort(reason: unknown): void {
        this.aborted = true;
        this.reason = reason;
        for (const listener of [...this.#listeners]) listener();
      }
    }

    it('over 10,000 calls with one signal and one abort$, whatever ends them', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ ok: () => ({}), bad: ({ id }) => peer.error(id, -1) }, { synchronous: true, timeout: 1 });
        const signal = new CountingSignal();
        let watching = 0;
        const abort$ = new Observable<never>(() => {
          watching++;
          return () => {
            watching--;
          };
        });
        for (let i = 0; i < 2_500; i++) {
          record(connection.request('ok', undefined, { signal, abort$ }));
          record(connection.request('bad', undefined, { signal, abort$ }));
          record(connection.request('mute', undefined, { signal, abort$ })).unsubscribe();
          const aborted = new CountingSignal();
          record(connection.request('mute', undefined, { signal: aborted, abort$ }));
          aborted.abort(new Error('x'));
          expect(aborted.listeners).to.equal(0);
        }
        expect(signal.listeners).to.equal(0);
        expect(signal.most).to.equal(1);
        expect(watching).to.equal(0);
        const timedOut = record(connection.request('mute', undefined, { signal, abort$ }));
        expect(signal.listeners).to.equal(1);
        flush();
        expect(timedOut.errors).to.have.length(1);
        const closed = record(connection.request('mute', undefined, { signal, abort$ }));
        void connection.close();
        expect(closed.errors).to.have.length(1);
        record(connection.request('ok', undefined, { signal, abort$ })); // not connected
        expect(signal.listeners).to.equal(0);
        expect(watching).to.equal(0);
        expect(connection.pendingRequests).to.equal(0);
      });
    });

    it('when sending fails', () => {
      const transport = new (class extends FakeTransport {
        protected override send(message: any): void {
          super.send(message);
          this.failed(this.sent.length - 1, new Error('refused'), false);
        }
      })();
      const connection = new Connection(transport);
      void connection.connect();
      const signal = new CountingSignal();
      const seen = record(connection.request('x', undefined, { signal, abort$: NEVER }));
      expect(seen.errors).to.have.length(1);
      expect(signal).to.include({ listeners: 0, most: 1 });
      void connection.close();
    });

    it('on a real AbortSignal', () => {
      const { connection } = connected({ ok: () => ({}) }, { synchronous: true });
      const { signal } = new AbortController();
      let listeners = 0;
      const { addEventListener, removeEventListener } = signal;
      signal.addEventListener = function (...args: any[]) {
        listeners++;
        addEventListener.apply(this, args as never);
      };
      signal.removeEventListener = function (...args: any[]) {
        listeners--;
        removeEventListener.apply(this, args as never);
      };
      for (let i = 0; i < 100; i++) record(connection.request('ok', undefined, { signal }));
      expect(listeners).to.equal(0);
      void connection.close();
    });
  });
});
