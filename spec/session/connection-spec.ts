import { expect } from 'chai';
import { concat, of, take } from 'rxjs';
import { ConfigError, ConnectionClosedError, NoResponseError, NotConnectedError, ProtocolError, RequestTimeoutError, RpcError } from '../../lib/errors.ts';
import { Connection, type WireRecord } from '../../lib/session/connection.ts';
import { modernEra } from '../../lib/session/era-modern.ts';
import { connected, FakeTransport, Peer } from '../support/peer.ts';
import { inVirtualTime, record, timersLeftBy } from '../support/test-scheduler.ts';

/** A connection over a transport that the spec plays by hand. */
function byHand(options: ConstructorParameters<typeof Connection>[1] = {}, kind: { hasRequestStreams?: boolean } = {}) {
  const transport = new FakeTransport(kind);
  const connection = new Connection(transport, options);
  void connection.connect();
  return { transport, connection };
}

describe('Connection', () => {
  describe('requests', () => {
    it('sends method and params, and emits the result [R03 R11]', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ echo: ({ params }) => ({ echoed: params }) });
        const seen = record(connection.request('echo', { a: 1 }));
        flush();
        expect(seen).to.deep.include({ values: [{ echoed: { a: 1 } }], completed: 1, errors: [] });
        expect(peer.received).to.deep.equal([{ jsonrpc: '2.0', id: 1, method: 'echo', params: { a: 1 } }]);
      });
    });

    it('sends no params where there are none', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ ping: () => ({}) });
        record(connection.request('ping'));
        flush();
        expect(peer.received).to.deep.equal([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
      });
    });

    it('is cold: sends when subscribed to, each time anew', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ ping: ({ id }) => ({ n: id }) });
        const ping$ = connection.request('ping');
        flush();
        expect(peer.received).to.have.length(0);
        const seen = [record(ping$), record(ping$)];
        flush();
        expect(seen.map(({ values }) => values)).to.deep.equal([[{ n: 1 }], [{ n: 2 }]]);
        expect(connection.pendingRequests).to.equal(0);
      });
    });

    it('fails with the error object of the server [R34]', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ bad: ({ id }) => peer.error(id, -32602, 'Unknown tool', { name: 'x' }) });
        const seen = record(connection.request('bad'));
        flush();
        expect(seen).to.deep.include({ values: [], completed: 0 });
        expect(seen.errors[0]).to.be.instanceOf(RpcError);
        expect(seen.errors[0]).to.include({ message: 'MCP error -32602: Unknown tool', code: -32602, detail: 'Unknown tool' });
        expect(seen.errors[0].data).to.deep.equal({ name: 'x' });
      });
    });

    it('take a result of a kind that nobody understands for an error, on revisions that have kinds [B26]', () => {
      inVirtualTime(({ flush }) => {
        const result = (message: any) => ({ resultType: message.params.kind });
        const { connection } = connected({ x: result });
        const ask = (kind: unknown, options = {}) => record(connection.request('x', { kind }, options));
        const legacy = ask('input_required');
        flush();
        expect(legacy.values).to.deep.equal([{ resultType: 'input_required' }]);
        connection.adopt(modernEra('2026-07-28', { name: 'c', version: '1' }, {}));
        const known = [ask('complete'), ask(undefined), ask('task', { resultTypes: ['task'] })];
        const unknown = [ask('input_required'), ask('task'), ask(7, { resultTypes: ['task'] })];
        flush();
        for (const { completed, errors } of known) expect([completed, errors]).to.deep.equal([1, []]);
        for (const { errors } of unknown) expect(errors[0]).to.be.instanceOf(ProtocolError);
        expect(unknown.map(({ errors }) => errors[0].message)).to.deep.equal([
          'The result of x is of the kind "input_required", which nobody here understands; withElicitation() and its like do',
          'The result of x is of the kind "task", which nobody here understands',
          'The result of x is of the kind 7, which nobody here understands',
        ]);
      });
    });

    describe('with answers that are odd', () => {
      const answers: [title: string, answer: object, expected: object][] = [
        ['no jsonrpc', { id: 1, result: { ok: true } }, { values: [{ ok: true }] }],
        ['a null error beside the result', { jsonrpc: '2.0', id: 1, result: { ok: true }, error: null }, { values: [{ ok: true }] }],
        ['the id as text [B27]', { jsonrpc: '2.0', id: '1', result: { ok: true } }, { values: [{ ok: true }] }],
        ['an error beside a null result', { jsonrpc: '2.0', id: 1, result: null, error: { code: -32601, message: 'no' } }, { errors: ['MCP error -32601: no'] }],
      ];
      for (const [title, answer, expected] of answers) {
        it(`takes ${title}`, () => {
          inVirtualTime(({ flush }) => {
            const { connection, peer } = connected({ x: () => peer.sendRaw(answer) });
            const seen = record(connection.request('x'));
            flush();
            expect({ values: seen.values, errors: seen.errors.map(({ message }) => message) }).to.deep.include(expected);
          });
        });
      }
    });

    for (const when of ['before connect()', 'after close()']) {
      it(`fails at once ${when}, and sends nothing [R06]`, () => {
        inVirtualTime(({ flush }) => {
          const peer = new Peer();
          const connection = new Connection(peer.transport);
          if (when === 'after close()') {
            void connection.connect();
            void connection.close();
          }
          for (const seen of [record(connection.request('x')), record<unknown>(connection.notify('n'))]) {
            expect(seen.errors).to.have.length(1);
            expect(seen.errors[0]).to.be.instanceOf(NotConnectedError);
            expect(seen.errors[0].message).to.equal('Transport not connected');
          }
          expect(connection.connected).to.equal(false);
          flush();
          expect(peer.received).to.deep.equal([]);
          void connection.close();
        });
      });
    }

    it('decides when subscribed to whether it is connected [R06]', () => {
      inVirtualTime(({ flush }) => {
        const peer = new Peer({ ping: () => ({}) });
        const connection = new Connection(peer.transport);
        const ping$ = connection.request('ping');
        void connection.connect();
        const seen = record(ping$);
        flush();
        expect(seen.values).to.have.length(1);
      });
    });

    it('sends nothing for a subscriber that is gone before it begins', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const request$ = connection.request('x');
        const seen = record(concat(of('enough'), request$).pipe(take(1)));
        const closed = record(request$.pipe(take(0)));
        flush();
        expect([seen.completed, closed.completed]).to.deep.equal([1, 1]);
        expect(peer.received).to.deep.equal([]);
      });
    });
  });

  describe('ids [R10]', () => {
    it('are each used once; a thousand in one tick find their own answers in reverse order [B31]', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected();
        const seen = Array.from({ length: 1_000 }, (_, n) => record(connection.request('x', { n })));
        at(1, () => {
          for (const { id, params } of [...peer.received].reverse()) peer.result(id, { n: params.n });
        });
        flush();
        expect(new Set(peer.received.map(({ id }) => id)).size).to.equal(1_000);
        expect(seen.map(({ values }) => values)).to.deep.equal(seen.map((_, n) => [{ n }]));
        expect(connection.pendingRequests).to.equal(0);
      });
    });

    it('are never used again, whatever became of the request', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ ok: () => ({}), bad: ({ id }) => peer.error(id, -1) });
        record(connection.request('ok'));
        record(connection.request('bad'));
        record(connection.request('mute')).unsubscribe();
        record(connection.request('mute', undefined, { timeoutMs: 5 }));
        flush();
        record(connection.request('ok'));
        flush();
        const ids = peer.received.filter(({ id }) => id !== undefined).map(({ id }) => id);
        expect(ids).to.deep.equal([1, 2, 3, 4, 5]);
      });
    });

    it('come from the generator that is given', () => {
      inVirtualTime(({ flush }) => {
        let n = 0;
        const { connection, peer } = connected({ x: () => ({}) }, { nextId: () => `req-${n++}` });
        const seen = [record(connection.request('x')), record(connection.request('x'))];
        flush();
        expect(peer.received.map(({ id }) => id)).to.deep.equal(['req-0', 'req-1']);
        expect(seen.map(({ completed }) => completed)).to.deep.equal([1, 1]);
      });
    });

    it('that repeat are refused before anything is sent', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({}, { nextId: () => 7 });
        const first = record(connection.request('x'));
        const second = record(connection.request('x'));
        expect(second.errors[0]).to.be.instanceOf(ConfigError);
        expect(connection.pendingRequests).to.equal(1);
        flush();
        expect(peer.received).to.have.length(2); // the first one, and its cancel at the deadline
        expect(first.errors[0]).to.be.instanceOf(RequestTimeoutError);
      });
    });
  });

  describe('answers that nobody waits for [R11 B30]', () => {
    const late: [title: string, ...play: ((peer: Peer, id: unknown) => undefined)[]][] = [
      ['one that comes twice', (peer, id) => peer.result(id), (peer, id) => peer.result(id, { again: true }), (peer, id) => peer.error(id, -1)],
      ['one with an id never issued', (peer, id) => peer.result(id), (peer) => peer.result(999), (peer) => peer.error('nobody', 0, 'Request cancelled')],
      ['one without an id', (peer, id) => peer.result(id), (peer) => peer.sendRaw({ jsonrpc: '2.0', result: null }), (peer) => peer.error(null, -32700)],
    ];
    for (const [title, ...plays] of late) {
      it(`${title} changes nothing and shows in diagnostics$`, () => {
        inVirtualTime(({ flush }) => {
          const { connection, peer } = connected({ x: ({ id }) => plays.map((play) => play(peer, id))[0], y: () => ({ y: 1 }) });
          const diagnostics = record(connection.diagnostics$);
          const errors = record(connection.errors$);
          const x = record(connection.request('x'));
          flush();
          const y = record(connection.request('y'));
          flush();
          expect(x).to.deep.include({ values: [{}], completed: 1, errors: [] });
          expect(y.values).to.deep.equal([{ y: 1 }]);
          expect(connection.connected).to.equal(true);
          expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(Array(2).fill('unmatched-answer'));
          expect(errors.values).to.deep.equal([]);
        });
      });
    }

    for (const how of ['timed out', 'was aborted', 'was unsubscribed']) {
      it(`one to a call that ${how} changes nothing`, () => {
        inVirtualTime(({ at, flush }) => {
          const { connection, peer } = connected({ y: () => ({ y: 1 }) });
          const diagnostics = record(connection.diagnostics$);
          const controller = new AbortController();
          const x = record(connection.request('x', undefined, { timeoutMs: how === 'timed out' ? 10 : 100, signal: controller.signal }));
          at(10, () => {
            if (how === 'was aborted') controller.abort();
            if (how === 'was unsubscribed') x.unsubscribe();
          });
          at(20, () => peer.error(1, 0, 'Request cancelled'));
          flush();
          const y = record(connection.request('y'));
          flush();
          expect(y.values).to.deep.equal([{ y: 1 }]);
          expect(x.values).to.deep.equal([]);
          expect(x.errors).to.have.length(how === 'was unsubscribed' ? 0 : 1);
          expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['unmatched-answer']);
          expect(diagnostics.values[0]!.excerpt).to.include('Request cancelled');
        });
      });
    }

    it('costs no subscriber of the transport’s streams, however many wait', () => {
      const { connection, transport } = byHand();
      const observers = () => ['inbound$', 'deliveries$', 'diagnostics$'].map((name) => (transport as any)[name].source.observers.length);
      const before = observers();
      const seen = Array.from({ length: 1_000 }, () => record(connection.request('x')));
      expect(observers()).to.deep.equal(before);
      for (const one of seen) one.unsubscribe();
      void connection.close();
    });
  });

  describe('progress [R44 B33]', () => {
    const progress = (token: unknown, n: number) => ({ method: 'notifications/progress', params: { progressToken: token, progress: n, total: 2 } });

    it('is asked for with the request’s id as token, beside other _meta', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: () => ({}) });
        record(connection.request('x', { a: 1, _meta: { mine: 1 } }, { onProgress: () => {}, meta: { more: 2 } }));
        record(connection.request('x', { a: 1 }, { progress: true }));
        record(connection.request('x', { a: 1 }, { onProgress: () => {}, progress: false }));
        flush();
        expect(peer.received.map(({ params }) => params)).to.deep.equal([
          { a: 1, _meta: { mine: 1, more: 2, progressToken: 1 } },
          { a: 1, _meta: { progressToken: 2 } },
          { a: 1 },
        ]);
      });
    });

    for (const synchronous of [false, true]) {
      it(`comes before a result in the same tick, in order (${synchronous ? 'synchronous' : 'asynchronous'})`, () => {
        inVirtualTime(({ flush }) => {
          const { connection, peer } = connected({ x: ({ id }) => peer.send(progress(id, 1), progress(id, 2), { id, result: { done: true } }) }, { synchronous });
          const order: unknown[] = [];
          const diagnostics = record(connection.diagnostics$);
          const events = record(connection.exchange('x', undefined, { onProgress: ({ progress: n }) => order.push(n) }));
          connection.request('x', undefined, { onProgress: ({ progress: n }) => order.push(n) }).subscribe((result) => order.push(result));
          flush();
          expect(order).to.deep.equal([1, 2, 1, 2, { done: true }]);
          expect(events.values.map((event) => (event.type === 'progress' ? event.progress.progress : event.type))).to.deep.equal([1, 2, 'result']);
          expect(diagnostics.values).to.deep.equal([]);
        });
      });
    }

    it('after the result, for strangers, or without sense is silent', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: ({ id }) => peer.send(progress(id, 1), { id, result: {} }, progress(id, 2)) });
        const seen: number[] = [];
        const diagnostics = record(connection.diagnostics$);
        const errors = record(connection.errors$);
        record(connection.request('x', undefined, { onProgress: ({ progress: n }) => seen.push(n) }));
        flush();
        peer.send(progress(99, 1), progress('nobody', 1), { method: 'notifications/progress' }, { method: 'notifications/progress', params: null }, { method: 'notifications/progress', params: 'x' });
        flush();
        expect(seen).to.deep.equal([1]);
        expect(diagnostics.values).to.deep.equal([]);
        expect(errors.values).to.deep.equal([]);
      });
    });

    it('whose token comes back as text is matched like an answer [B27]', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: ({ id }) => peer.send(progress(String(id), 1), { id: String(id), result: {} }) });
        const seen: number[] = [];
        const result = record(connection.request('x', undefined, { onProgress: ({ progress: n }) => seen.push(n) }));
        flush();
        expect(result.values).to.have.length(1);
        expect(seen).to.deep.equal([1]);
      });
    });

    it('reaches only the call it is about', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const seen: string[] = [];
        for (const name of ['a', 'b']) record(connection.request('x', undefined, { onProgress: ({ progress: n }) => seen.push(`${name}${n}`), timeoutMs: 5 }));
        peer.send(progress(2, 1), progress(1, 2));
        flush();
        expect(seen).to.deep.equal(['b1', 'a2']);
      });
    });

    it('may be unsubscribed inside: nothing comes after, and the server is told', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: ({ id }) => peer.send(progress(id, 1), progress(id, 2), { id, result: {} }) });
        const seen = record(connection.exchange('x', undefined, { progress: true }).pipe(take(1)));
        flush();
        expect(seen.values).to.have.length(1);
        expect(peer.of('notifications/cancelled')).to.have.length(1);
      });
    });
  });

  describe('logs', () => {
    it('are part of a call where the transport knows on whose stream they came', () => {
      inVirtualTime(({ flush }) => {
        const { connection, transport } = byHand();
        const calls = [record(connection.exchange('a')), record(connection.exchange('b'))];
        const all = record(connection.notifications$);
        const log = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } });
        transport.receives(log('of b'), 2);
        transport.receives(log('of nobody'));
        transport.receives(log('of a stranger'), 77);
        transport.receives({ id: 1, result: {} });
        transport.receives({ id: 2, result: {} });
        flush();
        expect(calls[0]!.values.map(({ type }) => type)).to.deep.equal(['result']);
        expect(calls[1]!.values).to.deep.equal([{ type: 'log', log: { level: 'info', data: 'of b' } }, { type: 'result', result: {} }]);
        expect(all.values).to.have.length(3);
      });
    });
  });

  describe('notify [R15]', () => {
    it('is eager: sends without a subscriber, once for any number of them', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const done$ = connection.notify('n', { a: 1 });
        void connection.notify('m');
        const seen = [record(done$), record(done$)];
        flush();
        expect(peer.received).to.deep.equal([
          { jsonrpc: '2.0', method: 'n', params: { a: 1 } },
          { jsonrpc: '2.0', method: 'm' },
        ]);
        for (const one of seen) expect(one).to.deep.include({ values: [], completed: 1, errors: [] });
      });
    });

    for (const type of ['written', 'accepted'] as const) {
      it(`completes once it is ${type}`, () => {
        inVirtualTime(({ at, flush }) => {
          const { connection, transport } = byHand();
          const seen = record(connection.notify('n'));
          at(10, () => transport.delivered(0, type));
          flush();
          expect(seen).to.deep.include({ completed: 1, endedAt: 10 });
        });
      });
    }

    it('fails with what kept it from being delivered', () => {
      inVirtualTime(({ flush }) => {
        const { connection, transport } = byHand();
        const diagnostics = record(connection.diagnostics$);
        const seen = record(connection.notify('n'));
        const error = new Error('HTTP 500');
        transport.failed(0, error);
        flush();
        expect(seen.errors).to.deep.equal([error]);
        expect(diagnostics.values).to.deep.equal([]);
      });
    });

    it('has a deadline with a text of its own [R40 R41]', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = byHand({ timeout: 50 });
        const standard = record(connection.notify('n'));
        const own = record(connection.notify('n', undefined, { timeoutMs: 20 }));
        flush();
        expect([own.endedAt, standard.endedAt]).to.deep.equal([20, 50]);
        expect(own.errors[0]).to.be.instanceOf(RequestTimeoutError);
        expect([own, standard].map(({ errors }) => errors[0].message)).to.deep.equal(['Notify timeout after 20ms', 'Notify timeout after 50ms']);
        expect(own.errors[0]).to.include({ method: 'n', timeoutMs: 20, phase: 'notify' });
      });
    });

    it('that is still owed at close fails with Transport closed [R21]', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = byHand();
        const seen = record(connection.notify('n'));
        void connection.close();
        flush();
        expect(seen.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
        expect(seen.endedAt).to.equal(0);
      });
    });
  });

  describe('notifications in [R16]', () => {
    it('reach any number of subscribers, in order, without replay', () => {
      inVirtualTime(({ flush }) => {
        const called: unknown[] = [];
        const { connection, peer } = connected({}, { onNotification: ({ method }) => called.push(method) });
        const early = [record(connection.notifications$), record(connection.notifications$)];
        peer.notify('a', { x: 1 });
        peer.notify('b');
        flush();
        const late = record(connection.notifications$);
        peer.notify('c');
        flush();
        for (const one of early) expect(one.values.map(({ method }) => method)).to.deep.equal(['a', 'b', 'c']);
        expect(early[0]!.values[0]).to.deep.equal({ jsonrpc: '2.0', method: 'a', params: { x: 1 } });
        expect(late.values.map(({ method }) => method)).to.deep.equal(['c']);
        expect(called).to.deep.equal(['a', 'b', 'c']);
      });
    });

    it('need nobody who listens', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: () => ({}) });
        peer.notify('a');
        const seen = record(connection.request('x'));
        flush();
        expect(seen.completed).to.equal(1);
      });
    });

    it('stop for the handler that unsubscribes', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const seen: string[] = [];
        const subscription = connection.onNotification(({ method }) => {
          seen.push(method);
          subscription.unsubscribe();
        });
        peer.notify('a');
        peer.notify('b');
        flush();
        expect(seen).to.deep.equal(['a']);
      });
    });

    it('complete on close', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = connected();
        const streams = [connection.notifications$, connection.diagnostics$, connection.errors$, connection.wire$].map((stream$) => record<unknown>(stream$));
        void connection.close();
        flush();
        expect(streams.map(({ completed }) => completed)).to.deep.equal([1, 1, 1, 1]);
        expect(record(connection.notifications$).completed).to.equal(1);
      });
    });
  });

  describe('deadlines [R40 R41 R44]', () => {
    it('are 30 seconds when nobody says otherwise', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = connected();
        const seen = record(connection.request('x'));
        flush();
        expect(seen.endedAt).to.equal(30_000);
        expect(seen.errors[0]).to.be.instanceOf(RequestTimeoutError);
        expect(seen.errors[0]).to.include({ message: 'Request timeout after 30000ms', method: 'x', timeoutMs: 30_000, phase: 'request' });
        expect(connection.pendingRequests).to.equal(0);
      });
    });

    it('are those of the connection, or of the call', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = connected({}, { timeout: 100 });
        const seen = [undefined, 7, 200].map((timeoutMs) => record(connection.request('x', undefined, { timeoutMs })));
        flush();
        expect(seen.map(({ endedAt }) => endedAt)).to.deep.equal([100, 7, 200]);
      });
    });

    it('may be none', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected();
        const seen = record(connection.request('x', undefined, { timeoutMs: Infinity, onProgress: () => {} }));
        at(9_999_999, () => peer.result(1));
        flush();
        expect(seen).to.deep.include({ completed: 1, endedAt: 9_999_999 });
      });
    });

    it('name the phase once the head of the answer has come', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, transport } = byHand({}, { hasRequestStreams: true });
        const seen = record(connection.request('x', undefined, { timeoutMs: 50 }));
        const other = record(connection.request('y', undefined, { timeoutMs: 50 }));
        at(10, () => transport.delivered(0, 'streaming'));
        flush();
        expect(seen.errors[0]).to.include({ message: 'SSE response timeout after 50ms', phase: 'streaming' });
        expect(other.errors[0]).to.include({ message: 'Request timeout after 50ms', phase: 'request' });
      });
    });

    it('are neither started afresh by being written, accepted or streamed', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, transport } = byHand();
        const seen = record(connection.request('x', undefined, { timeoutMs: 50, onProgress: () => {} }));
        (['written', 'accepted', 'streaming'] as const).forEach((type, i) => at(10 * (i + 1), () => transport.delivered(0, type)));
        flush();
        expect(seen.endedAt).to.equal(50);
      });
    });

    const progressEvery = (peer: Peer, ms: number, at: (ms: number, work: () => void) => void, until = 2_000) => {
      for (let time = ms; time < until; time += ms) at(time, () => peer.notify('notifications/progress', { progressToken: 1, progress: time }));
    };

    it('hold the total whatever progress comes: timeout 100, total 250, progress every 50 → 250 [B35]', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected();
        const seen = record(connection.request('x', undefined, { timeoutMs: 100, maxTotalTimeoutMs: 250, onProgress: () => {} }));
        progressEvery(peer, 50, at, 400);
        flush();
        expect(seen.endedAt).to.equal(250);
        expect(seen.errors[0].message).to.equal('Request timeout after 250ms');
        expect(peer.of('notifications/cancelled')).to.have.length(1);
      });
    });

    it('hold a total of ten times the timeout when none is named', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected();
        const seen = record(connection.request('x', undefined, { timeoutMs: 100, onProgress: () => {} }));
        progressEvery(peer, 50, at);
        flush();
        expect(seen.endedAt).to.equal(1_000);
      });
    });

    it('run out when progress stops', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected();
        const seen = record(connection.request('x', undefined, { timeoutMs: 100, progress: true }));
        progressEvery(peer, 50, at, 151);
        flush();
        expect(seen.endedAt).to.equal(250);
        expect(seen.errors[0].message).to.equal('Request timeout after 100ms');
      });
    });

    for (const [title, options] of Object.entries({
      'when asked not to': { onProgress: () => {}, resetTimeoutOnProgress: false },
      'when progress was not asked for': {},
    })) {
      it(`are not extended ${title}`, () => {
        inVirtualTime(({ at, flush }) => {
          const { connection, peer } = connected();
          const seen = record(connection.request('x', undefined, { timeoutMs: 100, ...options }));
          progressEvery(peer, 50, at, 400);
          flush();
          expect(seen.endedAt).to.equal(100);
        });
      });
    }

    it('are not extended by the progress of others, logs, or other notifications', () => {
      inVirtualTime(({ at, flush }) => {
        const { connection, peer } = connected();
        const seen = record(connection.request('x', undefined, { timeoutMs: 100, onProgress: () => {} }));
        at(90, () => peer.send({ method: 'notifications/progress', params: { progressToken: 9, progress: 1 } }, { method: 'notifications/message', params: {} }, { id: 's', method: 'ping' }));
        flush();
        expect(seen.endedAt).to.equal(100);
      });
    });

    for (const timeoutMs of [0, -1, NaN, '5000' as never]) {
      it(`that make no sense are refused: ${JSON.stringify(timeoutMs)}`, () => {
        inVirtualTime(({ flush }) => {
          const { connection, peer } = connected();
          for (const options of [{ timeoutMs }, { onProgress: () => {}, maxTotalTimeoutMs: timeoutMs }]) {
            const seen = record(connection.request('x', undefined, options));
            expect(seen.errors[0]).to.be.instanceOf(ConfigError);
          }
          expect(() => new Connection(new FakeTransport(), { timeout: timeoutMs })).to.throw(ConfigError);
          flush();
          expect(peer.received).to.deep.equal([]);
        });
      });
    }

    it('leave no timer after the answer, an error, an abort, an unsubscribe or close', async () => {
      const left = await timersLeftBy(() => {
        const { connection, peer } = connected({ ok: () => ({}), bad: ({ id }) => peer.error(id, -1) }, { synchronous: true });
        const controller = new AbortController();
        record(connection.request('ok'));
        record(connection.request('bad'));
        record(connection.request('mute')).unsubscribe();
        record(connection.request('mute', undefined, { signal: controller.signal }));
        controller.abort();
        record(connection.notify('n'));
        record(connection.request('mute'));
        void connection.close();
      });
      expect(left).to.equal(0);
    });
  });

  describe('close [R21]', () => {
    it('rejects everything pending with Transport closed, exactly once, and calls onClose exactly once [B17]', () => {
      inVirtualTime(({ flush }) => {
        const causes: unknown[] = [];
        const { connection, peer } = connected({}, { name: 'files', onClose: (cause) => causes.push(cause) });
        const seen = Array.from({ length: 5 }, () => record(connection.request('x')));
        void connection.close();
        void connection.close();
        peer.close();
        flush();
        for (const one of seen) {
          expect(one).to.deep.include({ values: [], completed: 0, endedAt: 0 });
          expect(one.errors).to.have.length(1);
          expect(one.errors[0]).to.be.instanceOf(ConnectionClosedError);
          expect(one.errors[0]).to.include({ message: 'Transport closed', server: 'files' });
        }
        expect(causes).to.deep.equal([undefined]);
        expect(peer.of('notifications/cancelled')).to.deep.equal([]);
        expect(connection.pendingRequests).to.equal(0);
      });
    });

    it('by the server rejects with what ended it', () => {
      inVirtualTime(({ flush }) => {
        const causes: unknown[] = [];
        const { connection, transport } = byHand({ onClose: (cause) => causes.push(cause) });
        const seen = record(connection.request('x'));
        const cause = new ConnectionClosedError({ exitCode: 78, stderrTail: 'missing API key' });
        transport.ends(cause);
        flush();
        expect(seen.errors).to.have.length(1);
        expect(seen.errors[0]).to.include({ message: 'Transport closed', exitCode: 78, stderrTail: 'missing API key' });
        expect(causes).to.deep.equal([cause]);
      });
    });

    it('still delivers the answers that came before it [R22]', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({
          last: ({ id }) => {
            peer.result(id, { last: true });
            peer.close();
            return undefined;
          },
        });
        const seen = [record(connection.request('last')), record(connection.request('other'))];
        flush();
        expect(seen[0]!.values).to.deep.equal([{ last: true }]);
        expect(seen[1]!.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
      });
    });

    it('inside a handler settles everybody, and later calls fail as not connected', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: ({ id }) => peer.send({ method: 'bye' }, { id, result: {} }) });
        const order: string[] = [];
        connection.onNotification(() => void connection.close());
        const x = record(connection.request('x'));
        const y = record(connection.request('y'));
        connection.state$.subscribe(({ status }) => order.push(status));
        flush();
        expect(x.values.length + x.errors.length).to.equal(1);
        expect(y.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
        expect(order).to.deep.equal(['connected', 'closing', 'closed']);
        expect(record(connection.request('z')).errors[0]).to.be.instanceOf(NotConnectedError);
      });
    });

    it('inside a handler makes a request after it in the same handler fail as not connected [R06]', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected();
        const seen: string[] = [];
        connection.onNotification(() => {
          void connection.close();
          expect(connection.connected).to.equal(false);
          seen.push(...record(connection.request('x')).errors.map(({ message }) => message));
          seen.push(...record(connection.notify('n')).errors.map(({ message }) => message));
        });
        peer.notify('bye');
        flush();
        expect(seen).to.deep.equal(['Transport not connected', 'Transport not connected']);
      });
    });

    it('may be answered with a new request, which fails as not connected', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = connected();
        const seen: string[] = [];
        connection.request('x').subscribe({
          error: () => {
            seen.push(...record(connection.request('x')).errors.map(({ message }) => message));
          },
        });
        void connection.close();
        flush();
        expect(seen).to.deep.equal(['Transport not connected']);
      });
    });
  });

  describe('deliveries', () => {
    it('that fail fail their request, once', () => {
      inVirtualTime(({ flush }) => {
        const { connection, transport } = byHand();
        const seen = [record(connection.request('a')), record(connection.request('b'))];
        const error = new NoResponseError(1);
        transport.failed(0, error);
        transport.failed(0, new Error('again'));
        transport.receives({ id: 1, result: {} });
        expect(seen[0]!.errors).to.deep.equal([error]);
        expect(seen[0]!.errors[0].message).to.equal('No response received for request ID 1');
        expect(seen[1]).to.deep.include({ values: [], errors: [] });
        void connection.close();
        flush();
      });
    });

    it('that fail after the answer change nothing', () => {
      inVirtualTime(({ flush }) => {
        const { connection, transport } = byHand();
        const seen = record(connection.request('a'));
        transport.receives({ id: 1, result: { ok: 1 } });
        transport.failed(0, new Error('late'));
        flush();
        expect(seen).to.deep.include({ values: [{ ok: 1 }], completed: 1, errors: [] });
      });
    });

    it('that fail inside send fail the request, without a cancel', () => {
      inVirtualTime(({ flush }) => {
        const transport = new (class extends FakeTransport {
          protected override send(message: any): void {
            super.send(message);
            if (message.id !== undefined) this.failed(this.sent.length - 1, new Error('refused'), false);
          }
        })();
        const connection = new Connection(transport);
        void connection.connect();
        const seen = record(connection.request('a'));
        expect(seen.errors.map(({ message }) => message)).to.deep.equal(['refused']);
        flush();
        expect(transport.sent).to.have.length(1);
        expect(transport.released).to.deep.equal([]);
      });
    });

    it('of an answer to the server that fail show in diagnostics$', () => {
      inVirtualTime(({ flush }) => {
        const { connection, transport } = byHand();
        const diagnostics = record(connection.diagnostics$);
        transport.receives({ id: 's', method: 'ping' });
        transport.failed(0, new Error('gone'));
        flush();
        expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(['undelivered']);
      });
    });
  });

  describe('callbacks that throw [B94 R03]', () => {
    it('onNotification: the others are told, the stream goes on, the error reaches errors$', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: () => ({}) });
        const errors = record(connection.errors$);
        const seen: string[] = [];
        connection.onNotification(({ method }) => {
          if (method === 'a') throw new Error('first of three');
        });
        connection.onNotification(({ method }) => seen.push(method));
        for (const method of ['a', 'b', 'c']) peer.notify(method);
        const x = record(connection.request('x'));
        flush();
        expect(seen).to.deep.equal(['a', 'b', 'c']);
        expect(errors.values.map(String)).to.deep.equal(['Error: first of three']);
        expect(x.completed).to.equal(1);
      });
    });

    it('onProgress: the call goes on, and its deadline too', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({
          x: ({ id }) => peer.send({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } }, { id, result: { ok: 1 } }),
        });
        const errors = record(connection.errors$);
        const seen = record(
          connection.request('x', undefined, {
            onProgress: () => {
              throw new Error('progress');
            },
          }),
        );
        flush();
        expect(seen.values).to.deep.equal([{ ok: 1 }]);
        expect(errors.values.map(String)).to.deep.equal(['Error: progress']);
      });
    });

    it('onClose: the streams complete all the same', () => {
      inVirtualTime(({ flush }) => {
        const { connection } = connected(
          {},
          {
            onClose: () => {
              throw new Error('close');
            },
          },
        );
        const errors = record(connection.errors$);
        void connection.close();
        flush();
        expect(errors.values.map(String)).to.deep.equal(['Error: close']);
        expect(errors.completed).to.equal(1);
      });
    });

    it('onError is called with what belongs to no single call', () => {
      inVirtualTime(({ flush }) => {
        const seen: unknown[] = [];
        const { connection, transport } = byHand({ onError: (error) => seen.push(String(error)) });
        connection.onNotification(() => {
          throw new Error('callback');
        });
        transport.receives({ method: 'a' });
        transport.reports(new Error('parser'));
        const refused = record(connection.request('x'));
        transport.receives({ id: 1, error: { code: -1, message: 'no' } });
        flush();
        expect(refused.errors).to.have.length(1);
        expect(seen).to.deep.equal(['Error: callback', 'Error: parser']);
      });
    });

    it('onError itself may throw', () => {
      inVirtualTime(({ flush }) => {
        const { connection, transport } = byHand({
          onError: () => {
            throw new Error('onError');
          },
        });
        const errors = record(connection.errors$);
        transport.reports(new Error('parser'));
        transport.receives({ method: 'a' });
        flush();
        expect(errors.values.map(String)).to.include('Error: parser');
        expect(connection.connected).to.equal(true);
      });
    });
  });

  describe('wire$ [B95]', () => {
    const brief = ({ direction, message }: WireRecord) => `${direction === 'out' ? '→' : '←'} ${(message as any).method ?? (message as any).id}`;

    for (const synchronous of [false, true]) {
      it(`shows every message, both ways, in order (${synchronous ? 'synchronous' : 'asynchronous'} peer)`, () => {
        inVirtualTime(({ flush, at }) => {
          const { connection, peer } = connected({ x: ({ id }) => peer.send({ method: 'news' }, { id, result: {} }) }, { synchronous, name: 'files' });
          const wire = record(connection.wire$);
          at(5, () => {
            record(connection.request('x'));
            void connection.notify('n');
          });
          at(9, () => peer.send({ id: 's', method: 'ping' }));
          flush();
          const answered = ['← ping', '→ s'];
          expect(wire.values.map(brief)).to.deep.equal(synchronous ? ['→ x', '← news', '← 1', '→ n', ...answered] : ['→ x', '→ n', '← news', '← 1', ...answered]);
          expect(new Set(wire.values.map(({ server }) => server))).to.deep.equal(new Set(['files']));
          expect(wire.values[0]!.time).to.equal(wire.values.at(-1)!.time - 4);
        });
      });
    }

    it('shows three subscribers one order when the first sends from inside', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: () => ({}), y: () => ({}) }, { synchronous: true });
        const seen: string[][] = [[], [], []];
        seen.forEach((list, index) => {
          connection.wire$.subscribe((entry) => {
            list.push(brief(entry));
            if (index === 0 && list.length === 2) record(connection.request('y'));
            if (index === 0 && list.length === 1) void connection.notify('n');
          });
        });
        record(connection.request('x'));
        flush();
        expect(seen[1]).to.deep.equal(seen[0]);
        expect(seen[2]).to.deep.equal(seen[0]);
        expect(seen[0]!.filter((entry) => entry.startsWith('→')).map((entry) => entry.slice(2))).to.deep.equal(peer.methods);
      });
    });

    it('shows notifications in the order of the wire when a handler calls the server from inside', () => {
      inVirtualTime(({ flush }) => {
        const { connection, peer } = connected({ x: ({ id }) => peer.send({ method: 'b' }, { id, result: {} }) }, { synchronous: true });
        const seen: string[][] = [[], [], []];
        seen.forEach((list, index) => {
          connection.notifications$.subscribe(({ method }) => {
            list.push(method);
            if (index === 0 && method === 'a') record(connection.request('x'));
          });
        });
        peer.send({ method: 'a' }, { method: 'c' });
        flush();
        expect(seen).to.deep.equal([['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c']]);
      });
    });
  });
});
