import { expect } from 'chai';
import { NEVER, of } from 'rxjs';
import { QueueFullError, RequestTimeoutError } from '../../lib/errors.ts';
import { endHttpByHand, FakeHttp } from '../support/http-by-hand.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';
import { validParams } from '../support/valid-params.ts';

describe('HTTP: what goes out when', () => {
  afterEach(endHttpByHand);

  describe('around the handshake [R02]', () => {
    it('what is sent during initialize and initialized waits for both, in order', () => {
      const http = new FakeHttp();
      const connection = http.connect();
      record(connection.request('initialize', validParams('initialize')));
      const early = record(connection.request('a'));
      const note = record(connection.notify('n'));
      expect(http.methods).to.deep.equal(['initialize']);
      http.last.result({});
      expect(http.methods).to.deep.equal(['initialize', 'a', 'n']);
      record(connection.notify('notifications/initialized'));
      const late = record(connection.request('b'));
      expect(http.methods.slice(3)).to.deep.equal(['notifications/initialized']);
      http.last.respond(202);
      expect(http.methods.slice(4)).to.deep.equal(['b']);
      http.exchanges[1]!.result({ n: 1 });
      http.exchanges[2]!.respond(202);
      http.last.result({ n: 2 });
      expect([early.values, late.values, note.completed]).to.deep.equal([[{ n: 1 }], [{ n: 2 }], 1]);
      void connection.close();
    });

    for (const [title, refuse] of [
      ['refused', (http: FakeHttp) => http.last.respond(500, 'no')],
      ['without an answer', (http: FakeHttp) => http.last.fail(new Error('network'))],
    ] as const) {
      it(`${title}, it holds nothing back any more`, () => {
        const http = new FakeHttp();
        const connection = http.connect();
        const opening = record(connection.request('initialize', validParams('initialize')));
        const early = record(connection.request('a'));
        refuse(http);
        expect(opening.errors).to.have.length(1);
        expect(http.methods).to.deep.equal(['initialize', 'a']);
        http.last.result();
        expect(early.completed).to.equal(1);
        void connection.close();
      });
    }

    it('answers to the server do not wait: it may need them first', () => {
      const http = new FakeHttp();
      const connection = http.connect();
      record(connection.request('initialize', validParams('initialize')));
      http.last.stream().event({ jsonrpc: '2.0', id: 's-1', method: 'ping' });
      expect(http.methods).to.deep.equal(['initialize', { answer: 's-1' }]);
      expect(http.last.message).to.deep.equal({ jsonrpc: '2.0', id: 's-1', result: {} });
      void connection.close();
    });

    it('what waits and is given up is never sent [R42]', () => {
      const http = new FakeHttp();
      const connection = http.connect();
      record(connection.request('initialize', validParams('initialize')));
      record(connection.request('left')).unsubscribe();
      const abort = new AbortController();
      const aborted = record(connection.request('aborted', undefined, { signal: abort.signal }));
      const stays = record(connection.request('stays'));
      abort.abort(new Error('enough'));
      expect(aborted.errors.map(String)).to.deep.equal(['Error: enough']);
      http.last.result();
      expect(http.methods).to.deep.equal(['initialize', 'stays']);
      http.last.result();
      expect(stays.completed).to.equal(1);
      void connection.close();
    });
  });

  describe('bounded [R43]', () => {
    it('no more requests at once than allowed; the rest follow in order', () => {
      const http = new FakeHttp();
      const connection = http.connect({ maxConcurrentRequests: 2 });
      const answers = ['a', 'b', 'c', 'd', 'e'].map((method) => record(connection.request(method)));
      expect(http.methods).to.deep.equal(['a', 'b']);
      http.exchanges[1]!.result({ of: 'b' });
      expect(http.methods).to.deep.equal(['a', 'b', 'c']);
      for (let i = 0; i < 5; i++) if (i !== 1) http.exchanges[i]!.result({ of: http.exchanges[i]!.message.method });
      expect(http.methods).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      expect(answers.map(({ values }) => (values[0] as any).of)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      expect(http.most).to.equal(2);
      void connection.close();
    });

    it('a failed one makes room, as does one that is given up', () => {
      const http = new FakeHttp();
      const connection = http.connect({ maxConcurrentRequests: 1 });
      const first = record(connection.request('a', undefined, { cancel: 'local' }));
      const second = record(connection.request('b'));
      record(connection.request('c'));
      first.unsubscribe();
      expect(http.exchanges[0]!.open).to.equal(false);
      expect(http.methods).to.deep.equal(['a', 'b']);
      http.last.fail(new Error('x'));
      expect(second.errors).to.have.length(1);
      expect(http.methods).to.deep.equal(['a', 'b', 'c']);
      expect(http.most).to.equal(1);
      void connection.close();
    });

    it('one that waits and is given up is never sent, nor cancelled', () => {
      inVirtualTime(({ at, flush }) => {
        const http = new FakeHttp();
        const connection = http.connect({ maxConcurrentRequests: 1 });
        const first = record(connection.request('a', undefined, { timeoutMs: Infinity }));
        const late = record(connection.request('late', undefined, { timeoutMs: 50 }));
        record(connection.request('left')).unsubscribe();
        record(connection.request('c', undefined, { timeoutMs: Infinity }));
        at(100, () => {
          expect(late.errors).to.deep.equal([new RequestTimeoutError('late', 50)]);
          expect(late.endedAt).to.equal(50);
          http.exchanges[0]!.result();
          expect(first.completed).to.equal(1);
          expect(http.methods).to.deep.equal(['a', 'c']);
          void connection.close();
        });
        flush();
      });
    });

    it('notifications and answers to the server need no place', () => {
      const http = new FakeHttp();
      const connection = http.connect({ maxConcurrentRequests: 1 });
      record(connection.request('a'));
      http.last.stream().event({ jsonrpc: '2.0', id: 's-1', method: 'ping' });
      record(connection.notify('n'));
      expect(http.methods).to.deep.equal(['a', { answer: 's-1' }, 'n']);
      void connection.close();
    });

    it('so does the queue: one more is refused', () => {
      const http = new FakeHttp();
      const connection = http.connect({ maxConcurrentRequests: 1, maxQueuedRequests: 2 });
      const deliveries = record(connection.deliveries$);
      const all = ['a', 'b', 'c', 'd'].map((method) => record(connection.request(method)));
      expect(all.map(({ errors }) => errors.length)).to.deep.equal([0, 0, 0, 1]);
      expect(all[3]?.errors[0]).to.be.instanceOf(QueueFullError).with.property('limit', 2);
      expect(deliveries.values.at(-1)).to.include({ type: 'failed', mayHaveRun: false });
      all[1]!.unsubscribe();
      expect(record(connection.request('e')).errors).to.deep.equal([]);
      void connection.close();
    });

    it('10,000 waiting ones are released without a search for each', () => {
      const http = new FakeHttp();
      const connection = http.connect({ maxConcurrentRequests: 1 });
      record(connection.request('first'));
      const waiting = Array.from({ length: 10_000 }, (_, n) => record(connection.request(`w/${n}`)));
      for (const request of waiting) request.unsubscribe();
      http.last.result();
      expect(http.methods).to.deep.equal(['first']);
      expect(connection.pendingRequests).to.equal(0);
      void connection.close();
    });
  });

  describe('close() [R21 R31]', () => {
    it('ends requests at once, and waits for notifications under way, within bounds', () => {
      inVirtualTime(({ flush, now }) => {
        const http = new FakeHttp();
        const connection = http.connect();
        const request = record(connection.request('a'));
        record(connection.request('b')); // streaming
        http.last.stream();
        record(connection.notify('hangs'));
        let closedAt: number | undefined;
        connection.close().subscribe({ complete: () => (closedAt = now()) });
        expect(request.errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed']);
        expect(http.exchanges.map(({ open }) => open)).to.deep.equal([false, false, true]);
        flush();
        expect(closedAt).to.be.within(1, 5_000);
        expect(http.exchanges.map(({ open }) => open)).to.deep.equal([false, false, false]);
      });
    });

    it('a notification that was on its way gets through before the session ends', () => {
      inVirtualTime(({ at, flush }) => {
        const http = new FakeHttp();
        const connection = http.connect();
        record(connection.request('initialize', validParams('initialize')));
        http.last.result({}, { 'mcp-session-id': 's' });
        record(connection.notify('note'));
        const closed = record(connection.close());
        expect(http.methods).to.deep.equal(['initialize', 'note']);
        at(10, () => {
          http.last.respond(202);
          expect(http.methods).to.deep.equal(['initialize', 'note', 'DELETE']);
          http.last.respond(200);
          expect(closed.completed).to.equal(1);
        });
        flush();
        expect(closed.endedAt).to.equal(10);
      });
    });

    it('a DELETE without an answer is given up', () => {
      inVirtualTime(({ flush }) => {
        const http = new FakeHttp();
        const connection = http.connect();
        record(connection.request('initialize', validParams('initialize')));
        http.last.result({}, { 'mcp-session-id': 's' });
        const closed = record(connection.close());
        expect(http.methods).to.deep.equal(['initialize', 'DELETE']);
        flush();
        expect(closed.completed).to.equal(1);
        expect(closed.endedAt).to.be.within(1, 5_000);
        expect(http.last.open).to.equal(false);
      });
    });

    it('headers that never come hold nothing up for ever', () => {
      inVirtualTime(({ flush }) => {
        const http = new FakeHttp();
        const connection = http.connect({ headers: NEVER });
        const request = record(connection.request('a'));
        record(connection.notify('n'));
        const closed = record(connection.close());
        flush();
        expect(request.errors).to.have.length(1);
        expect(closed.completed).to.equal(1);
        expect(http.exchanges).to.deep.equal([]);
      });
    });

    it('nothing is sent afterwards', () => {
      inVirtualTime(({ flush }) => {
        const http = new FakeHttp();
        const connection = http.connect({ headers: of({}), maxConcurrentRequests: 1 });
        record(connection.request('a'));
        record(connection.request('waits'));
        void connection.close();
        record(connection.request('late'));
        record(connection.notify('late'));
        connection.outbound$.next({ jsonrpc: '2.0', method: 'late' });
        expect(connection.startSSEListener().unsubscribe).to.be.a('function');
        flush();
        expect(http.methods).to.deep.equal(['a']);
      });
    });
  });
});
