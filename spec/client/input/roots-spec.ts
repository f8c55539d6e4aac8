import { expect } from 'chai';
import { BehaviorSubject, concat, merge, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { withRoots, type Root } from '../../../lib/index.ts';
import { legacyScript, modernScript, type Peer } from '../../support/peer.ts';
import { inVirtualTime, record } from '../../support/test-scheduler.ts';
import { answersOf, readyClient } from './ready-client.ts';

const a: Root = { uri: 'file:///a', name: 'A' };
const b: Root = { uri: 'file:///b' };
const changesOf = (peer: Peer): number => peer.of('notifications/roots/list_changed').length;
const ask = (id: number) => ({ id, method: 'roots/list' });

describe('withRoots', () => {
  it('a list: answers with it, and declares that it does not change', () => {
    inVirtualTime((time) => {
      const { client, server } = readyClient(time, legacyScript(), [withRoots([a, b])]);
      server.peer.send(ask(1), ask(2));
      time.flush();
      expect(answersOf(server)).to.deep.equal([1, 2].map((id) => ({ id, result: { roots: [a, b] } })));
      expect(server.peer.of('initialize')[0].params.capabilities).to.deep.equal({ roots: {} });
      expect(changesOf(server.peer)).to.equal(0);
      void client.close();
    });
  });

  it('an Observable: answers with its latest value, and announces each change', () => {
    inVirtualTime((time) => {
      const roots$ = new BehaviorSubject([a]);
      const { client, server } = readyClient(time, legacyScript(), [withRoots(roots$)]);
      expect(server.peer.of('initialize')[0].params.capabilities).to.deep.equal({ roots: { listChanged: true } });
      time.at(10, () => server.peer.send(ask(1)));
      time.at(20, () => { roots$.next([a, b]); });
      time.at(30, () => server.peer.send(ask(2)));
      time.at(40, () => { roots$.next([]); });
      time.at(50, () => server.peer.send(ask(3)));
      time.flush();
      expect(server.peer.methods.slice(2)).to.deep.equal([
        'notifications/initialized',
        { answer: 1 },
        'notifications/roots/list_changed',
        { answer: 2 },
        'notifications/roots/list_changed',
        { answer: 3 },
      ]);
      expect(answersOf(server).map(({ result }) => result.roots)).to.deep.equal([[a], [a, b], []]);
      void client.close();
    });
  });

  it('subscribes once, while connected only', () => {
    inVirtualTime((time) => {
      let live = 0;
      let total = 0;
      const roots$ = new Observable<Root[]>((subscriber) => {
        live++;
        total++;
        subscriber.next([a]);
        return () => live--;
      });
      const { client, server } = readyClient(time, legacyScript(), [withRoots(roots$)]);
      server.peer.send(ask(1), ask(2));
      time.flush();
      expect([live, total]).to.deep.equal([1, 1]);
      server.peer.close();
      time.flush();
      expect([live, total]).to.deep.equal([0, 1]);
      record(client.reconnect());
      time.flush();
      expect([live, total]).to.deep.equal([1, 2]);
      expect(changesOf(server.peer)).to.equal(0);
      void client.close();
      expect(live).to.equal(0);
      time.flush();
      expect([live, total]).to.deep.equal([0, 2]);
    });
  });

  it('that says nothing yet: the server waits for its first value', () => {
    inVirtualTime((time) => {
      const roots$ = new Subject<Root[]>();
      const { client, server } = readyClient(time, legacyScript(), [withRoots(roots$)]);
      server.peer.send(ask(1));
      time.at(10, () => { expect(answersOf(server)).to.deep.equal([]); });
      time.at(20, () => { roots$.next([b]); });
      time.at(30, () => server.peer.send(ask(2)));
      time.flush();
      expect(answersOf(server).map(({ id, result }) => [id, result.roots])).to.deep.equal([[1, [b]], [2, [b]]]);
      expect(changesOf(server.peer)).to.equal(0);
      void client.close();
      time.flush();
      expect(roots$.observed).to.equal(false);
    });
  });

  for (const [title, end$] of [['completes', of()], ['errors', throwError(() => new Error('watcher died'))]] as const) {
    it(`that ${title}: the latest value stays, and the client goes on`, () => {
      inVirtualTime((time) => {
        const { client, server, errors } = readyClient(time, legacyScript(), [withRoots(concat(of([a], [b]), end$))]);
        server.peer.send(ask(1));
        time.flush();
        expect(answersOf(server)).to.deep.equal([{ id: 1, result: { roots: [b] } }]);
        expect(errors.values).to.deep.equal([]);
        expect(client.connected).to.equal(true);
        void client.close();
      });
    });
  }

  it('that errors before its first value: -32603, and the error reaches errors$', () => {
    inVirtualTime((time) => {
      const { client, server, errors } = readyClient(time, legacyScript(), [withRoots(throwError(() => new Error('no watcher')))]);
      server.peer.send(ask(1));
      time.flush();
      expect(answersOf(server)[0].error.code).to.equal(-32603);
      expect(errors.values.map(String)).to.deep.equal(['Error: no watcher']);
      expect(client.connected).to.equal(true);
      void client.close();
    });
  });

  it('reports an error to whoever takes it', () => {
    inVirtualTime((time) => {
      const { client } = readyClient(time, legacyScript(), []);
      const oh = new Error('oh');
      const reported: unknown[] = [];
      const extend = withRoots(merge(of([a]), throwError(() => oh))).extend as (...args: unknown[]) => object;
      extend(client, (error: unknown) => reported.push(error));
      expect(reported).to.deep.equal([oh]);
      void client.close();
    });
  });

  it('on 2026-07-28: gives the latest value to calls that ask, and announces nothing', () => {
    inVirtualTime((time) => {
      const roots$ = new BehaviorSubject([a]);
      const asks = { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } } };
      const { client, server } = readyClient(time, modernScript({ 'tools/call': ({ params }) => (params.inputResponses ? { content: [] } : asks) }), [withRoots(roots$)]);
      roots$.next([b]);
      const seen = record(client.callTool('x'));
      time.flush();
      expect(seen.completed).to.equal(1);
      expect(server.peer.of('tools/call')[1].params.inputResponses).to.deep.equal({ r: { roots: [b] } });
      expect(changesOf(server.peer)).to.equal(0);
      void client.close();
      expect(roots$.observed).to.equal(false);
    });
  });

  it('serves two clients from one feature, each for as long as it lasts', () => {
    inVirtualTime((time) => {
      const roots$ = new BehaviorSubject([a]);
      const feature = withRoots(merge(roots$, NEVER));
      const [one, two] = [readyClient(time, legacyScript(), [feature]), readyClient(time, legacyScript(), [feature])];
      void one.client.close();
      time.flush();
      roots$.next([b]);
      two.server.peer.send(ask(1));
      time.flush();
      expect(changesOf(one.server.peer)).to.equal(0);
      expect(changesOf(two.server.peer)).to.equal(1);
      expect(answersOf(two.server)).to.deep.equal([{ id: 1, result: { roots: [b] } }]);
      void two.client.close();
      expect(roots$.observed).to.equal(false);
    });
  });
});
