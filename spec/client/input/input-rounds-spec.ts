import { expect } from 'chai';
import { defer, firstValueFrom, map, NEVER, Observable, switchMap, throwError, timer } from 'rxjs';
import { AbortError, ConnectionClosedError, ProtocolError, RequestTimeoutError, RpcError } from '../../../lib/errors.ts';
import { connect, createClient, InputNotSupportedError, InputRoundsError, withElicitation, withRoots, withSampling } from '../../../lib/index.ts';
import type { ClientFeature } from '../../../lib/client/feature.ts';
import { modernScript, ScriptedServer, type Peer, type Reaction } from '../../support/peer.ts';
import { inVirtualTime, record } from '../../support/test-scheduler.ts';
import { form, readyClient } from './ready-client.ts';

/** What a state may look like; nobody but the server understands it. */
const STATE = 'a\u0000 é==\u2028"}';
const DONE = { content: [{ type: 'text', text: 'done' }] };

const askName = { method: 'elicitation/create', params: form() };
const asking = (more: object = { inputRequests: { name: askName }, requestState: STATE }) => ({ resultType: 'input_required', ...more });

/** Asks for input n times, then is done. */
function asksTimes(n: number, more?: object): Reaction {
  let asked = 0;
  return () => (asked++ < n ? asking(more) : { resultType: 'complete', ...DONE });
}

const paramsOf = (peer: Peer, method = 'tools/call'): any[] => peer.of(method).map(({ params: { _meta, ...params } }) => params);
const agree = () => withElicitation(() => [{ action: 'accept' }]);

describe('input that a call asks for', () => {
  for (const [method, params] of [
    ['tools/call', { name: 'x', arguments: { a: 1 } }],
    ['prompts/get', { name: 'x', arguments: { a: '1' } }],
    ['resources/read', { uri: 'x:/y' }],
  ] as const) {
    it(`${method} is sent again with it, as a new request, its state byte for byte [B26]`, () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, modernScript({ [method]: asksTimes(1) }), [agree()]);
        const seen = record(client.request(method as string, params));
        time.flush();
        expect(seen).to.deep.include({ values: [{ resultType: 'complete', ...DONE }], completed: 1, errors: [] });
        const answer = { action: 'accept', content: { name: 'Ada' } };
        expect(paramsOf(server.peer, method)).to.deep.equal([params, { ...params, inputResponses: { name: answer }, requestState: STATE }]);
        const [first, second] = server.peer.of(method);
        expect(second.id).not.to.equal(first.id);
        void client.close();
      });
    });
  }

  it('keeps one round from the next: each gets what the last one asked for and no more [B26]', () => {
    inVirtualTime((time) => {
      const rounds = [
        asking({ inputRequests: { a: askName } }), // no state
        asking({ requestState: '' }), // nothing to ask, an empty state
        asking({ inputRequests: {}, requestState: 'third' }),
        DONE, // no resultType: complete
      ];
      const { client, server } = readyClient(time, modernScript({ 'tools/call': () => rounds.shift() }), [agree()]);
      const seen = record(client.callTool('x'));
      time.flush();
      expect(seen.values).to.deep.equal([DONE]);
      const call = { name: 'x', arguments: {} };
      expect(paramsOf(server.peer)).to.deep.equal([
        call,
        { ...call, inputResponses: { a: { action: 'accept', content: { name: 'Ada' } } } },
        { ...call, requestState: '' },
        { ...call, inputResponses: {}, requestState: 'third' },
      ]);
      void client.close();
    });
  });

  it('comes from every feature that has it, asked at once, under the keys of the server [B26]', () => {
    inVirtualTime((time) => {
      const message = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' } as const;
      const requests = JSON.parse('{"__proto__":{"method":"roots/list"},"2":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}') as object;
      const features = [
        withElicitation((params, origin) => timer(20).pipe(map(() => ({ action: 'accept', content: { name: `${params.message} ${origin?.method}` } })))),
        withSampling(() => timer(30).pipe(map(() => message))),
        withRoots([{ uri: 'file:///a' }]),
      ] as const;
      const script = modernScript({ 'tools/call': asksTimes(1, { inputRequests: { ...requests, name: askName } }) });
      const { client, server } = readyClient(time, script, features);
      const seen = record(client.callTool('x'));
      time.flush();
      expect(seen).to.deep.include({ completed: 1, errors: [] });
      expect(seen.endedAt).to.be.within(30, 35);
      const { inputResponses } = paramsOf(server.peer)[1];
      expect(Object.entries(inputResponses as object)).to.have.deep.members([
        ['__proto__', { roots: [{ uri: 'file:///a' }] }],
        ['2', message],
        ['name', { action: 'accept', content: { name: 'Who are you? tools/call' } }],
      ]);
      void client.close();
    });
  });

  it('stays with its call when two run at once, and off every other [B26]', () => {
    inVirtualTime((time) => {
      const script = modernScript({
        'tools/call': ({ params }) =>
          params.inputResponses === undefined && params.name !== 'c' ? asking({ inputRequests: { [`of ${params.name}`]: { method: 'elicitation/create', params: { ...form(), message: params.name } } }, requestState: params.name }) : DONE,
      });
      const late = withElicitation(({ message }) => timer(message === 'a' ? 20 : 10).pipe(map(() => ({ action: 'accept', content: { name: message } }))));
      const { client, server } = readyClient(time, script, [late]);
      const seen = ['a', 'b', 'c'].map((name) => record(client.callTool(name)));
      time.flush();
      for (const one of seen) expect(one).to.deep.include({ completed: 1, errors: [] });
      expect(paramsOf(server.peer).map(({ name, inputResponses, requestState }) => [name, inputResponses, requestState])).to.deep.equal([
        ['a', undefined, undefined],
        ['b', undefined, undefined],
        ['c', undefined, undefined],
        ['b', { 'of b': { action: 'accept', content: { name: 'b' } } }, 'b'],
        ['a', { 'of a': { action: 'accept', content: { name: 'a' } } }, 'a'],
      ]);
      void client.close();
    });
  });

  it('begins anew when the call is subscribed again [B26]', () => {
    inVirtualTime((time) => {
      const { client, server } = readyClient(time, modernScript({ 'tools/call': ({ params }) => (params.requestState === undefined ? asking() : DONE) }), [agree()]);
      const call$ = client.callTool('x');
      record(call$);
      time.flush();
      const again = record(call$);
      time.flush();
      expect(again.values).to.deep.equal([DONE]);
      expect(paramsOf(server.peer).map(({ requestState }) => requestState)).to.deep.equal([undefined, STATE, undefined, STATE]);
      void client.close();
    });
  });

  it('lets progress and logs of all rounds pass [B26]', () => {
    inVirtualTime((time) => {
      let asked = 0;
      const script = modernScript({
        'tools/call': ({ id, params }, peer) => {
          peer.notify('notifications/progress', { progressToken: params._meta.progressToken, progress: ++asked });
          peer.result(id, asked < 3 ? asking() : DONE);
          return undefined;
        },
      });
      const { client, server } = readyClient(time, script, [agree()]);
      const heard: number[] = [];
      const seen = record(client.callTool('x', {}, { observe: 'events', onProgress: ({ progress }) => heard.push(progress) }));
      time.flush();
      expect(seen.values.map((event) => (event.type === 'progress' ? event.progress.progress : event.type))).to.deep.equal([1, 2, 3, 'result']);
      expect(heard).to.deep.equal([1, 2, 3]);
      expect(new Set(server.peer.of('tools/call').map(({ params }) => params._meta.progressToken)).size).to.equal(3);
      void client.close();
    });
  });

  describe('is bounded', () => {
    it('the answer to the eighth round still counts [B26]', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, modernScript({ 'tools/call': asksTimes(8) }), [agree()]);
        const seen = record(client.callTool('x'));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect(server.peer.of('tools/call')).to.have.length(9);
        void client.close();
      });
    });

    it('a ninth is refused, and nobody is asked [B26]', () => {
      inVirtualTime((time) => {
        let asked = 0;
        const counting = withElicitation(() => [{ action: 'accept', content: { name: String(++asked) } }]);
        const { client, server } = readyClient(time, modernScript({ 'tools/call': asksTimes(9) }), [counting]);
        const seen = record(client.callTool('x'));
        time.flush();
        expect(seen.values).to.deep.equal([]);
        expect(seen.errors[0]).to.be.instanceOf(InputRoundsError).and.deep.include({ name: 'InputRoundsError', method: 'tools/call', rounds: 8 });
        expect(server.peer.of('tools/call')).to.have.length(9);
        expect(asked).to.equal(8);
        void client.close();
      });
    });

    it('by maxRounds of the first feature that says it [B26]', () => {
      inVirtualTime((time) => {
        const features = [agree(), withSampling(() => NEVER, { maxRounds: 1 }), withRoots([], { maxRounds: 5 })] as const;
        const { client, server } = readyClient(time, modernScript({ 'tools/call': asksTimes(2, { requestState: 's' }) }), features);
        const seen = record(client.callTool('x'));
        time.flush();
        expect(seen.errors[0]).to.include({ name: 'InputRoundsError', rounds: 1 });
        expect(server.peer.of('tools/call')).to.have.length(2);
        void client.close();
      });
    });

    for (const maxRounds of [-1, 1.5, NaN, Infinity]) {
      it(`maxRounds ${maxRounds} is refused`, () => {
        expect(() => withRoots([], { maxRounds })).to.throw('maxRounds must be a whole number');
      });
    }
  });

  describe('that cannot be given', () => {
    const failures: [title: string, result: object, error: new (...args: never[]) => Error, message: RegExp][] = [
      ['of a kind that was not declared', asking({ inputRequests: { a: askName, b: { method: 'sampling/createMessage', params: {} } } }), InputNotSupportedError, /sampling\/createMessage/],
      ['of a kind that is no own one', asking({ inputRequests: { a: { method: 'toString' } } }), InputNotSupportedError, /toString/],
      ['by a mode that was not declared', asking({ inputRequests: { b: { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://x' } } } }), InputNotSupportedError, /mode "url"/],
      ['by a mode that was not declared, beside one that was', asking({ inputRequests: { a: askName, b: { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://x' } } } }), InputNotSupportedError, /mode "url"/],
      ['that is no request', asking({ inputRequests: { a: 'what?' } }), ProtocolError, /"a" is no request/],
      ['that is no list of requests', asking({ inputRequests: [] }), ProtocolError, /inputRequests/],
      ['that is not said', asking({}), ProtocolError, /does not say which/],
    ];
    for (const [title, result, error, message] of failures) {
      it(`${title}, fails the call; nobody is asked [B26]`, () => {
        inVirtualTime((time) => {
          let asked = 0;
          const forms = withElicitation(() => [{ action: asked++ === 0 ? 'accept' : 'cancel' }], { modes: ['form'] });
          const { client, server } = readyClient(time, modernScript({ 'tools/call': () => result }), [forms]);
          const seen = record(client.callTool('x'));
          time.flush();
          expect(seen.errors[0]).to.be.instanceOf(error);
          expect(seen.errors[0].message).to.match(message);
          expect(seen.values).to.deep.equal([]);
          expect(asked).to.equal(0);
          expect(server.peer.of('tools/call')).to.have.length(1);
          void client.close();
        });
      });
    }

    for (const method of ['tools/list', 'prompts/list', 'x/y']) {
      it(`${method} must not ask for any [B26]`, () => {
        inVirtualTime((time) => {
          const { client, server } = readyClient(time, modernScript({ [method]: () => asking() }), [agree()]);
          const seen = record(client.request(method, {}));
          time.flush();
          expect(seen.errors[0]).to.be.instanceOf(ProtocolError);
          expect(server.peer.of(method)).to.have.length(1);
          void client.close();
        });
      });
    }

    const mine = new Error('mine');
    const handlers: [title: string, handler: () => any, error: (error: any) => boolean][] = [
      ['throws', () => { throw mine; }, (error) => error === mine],
      ['errors', () => throwError(() => mine), (error) => error === mine],
      ['refuses with an RpcError', () => throwError(() => new RpcError(-1, 'User rejected')), (error) => error instanceof RpcError && error.code === -1],
      ['completes empty', () => [], (error) => error instanceof ProtocolError],
    ];
    for (const [title, handler, isRight] of handlers) {
      it(`because its handler ${title}, fails the call with that; the others are let go [B26]`, () => {
        inVirtualTime((time) => {
          let live = 0;
          const waiting = withSampling(() => new Observable(() => { live++; return () => live--; }));
          const script = modernScript({ 'tools/call': asksTimes(1, { inputRequests: { s: { method: 'sampling/createMessage', params: {} }, e: askName } }) });
          const { client, server, errors } = readyClient(time, script, [withElicitation(handler), waiting]);
          const seen = record(client.callTool('x'));
          time.flush();
          expect(seen.errors).to.have.length(1);
          expect(isRight(seen.errors[0])).to.equal(true);
          expect(live).to.equal(0);
          expect(server.peer.of('tools/call')).to.have.length(1);
          expect(errors.values).to.deep.equal([]);
          void client.close();
        });
      });
    }
  });

  describe('takes its time', () => {
    /** Somebody who thinks, and is watched. */
    function thinker(ms = Infinity) {
      const seen = { live: 0, feature: undefined as unknown as ClientFeature };
      const answer$ = ms === Infinity ? NEVER : timer(ms).pipe(map(() => ({ action: 'accept' as const })));
      seen.feature = withElicitation(() => new Observable((subscriber) => {
        seen.live++;
        subscriber.add(() => {
          seen.live--;
        });
        subscriber.add(answer$.subscribe(subscriber));
      }));
      return seen;
    }

    it('which is not taken from the deadline of the call; each round has its own [B26]', () => {
      inVirtualTime((time) => {
        let n = 0;
        const script = modernScript({
          'tools/call': ({ id }, peer) => {
            const isLast = ++n === 3;
            time.at(80, () => peer.result(id, isLast ? DONE : asking()));
            return undefined;
          },
        });
        const { client } = readyClient(time, script, [thinker(3_600_000).feature]);
        const seen = record(client.callTool('x', {}, { timeoutMs: 100, maxTotalTimeoutMs: 100 }));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect(seen.times[0]).to.be.at.least(2 * 3_600_000 + 240);
        void client.close();
      });
    });

    it('a round without an answer times out as a request does [B26]', () => {
      inVirtualTime((time) => {
        const script = modernScript({ 'tools/call': ({ params }) => (params.requestState === undefined ? asking() : undefined) });
        const { client } = readyClient(time, script, [thinker(500).feature]);
        const seen = record(client.callTool('x', {}, { timeoutMs: 100 }));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(RequestTimeoutError);
        expect(seen.endedAt).to.be.within(600, 620);
        void client.close();
      });
    });

    it('unsubscribing meanwhile ends everything [B26]', () => {
      inVirtualTime((time) => {
        const person = thinker(100);
        const { client, server } = readyClient(time, modernScript({ 'tools/call': asksTimes(1) }), [person.feature]);
        const seen = record(client.callTool('x'));
        time.at(50, () => {
          expect(person.live).to.equal(1);
          seen.unsubscribe();
          expect(person.live).to.equal(0);
        });
        time.flush();
        expect(server.peer.methods.filter((method) => method !== 'server/discover')).to.deep.equal(['tools/call']);
        void client.close();
      });
    });

    it('unsubscribing in a later round cancels its request [B26]', () => {
      inVirtualTime((time) => {
        const script = modernScript({ 'tools/call': ({ params }) => (params.requestState === undefined ? asking() : undefined) });
        const { client, server } = readyClient(time, script, [agree()]);
        const seen = record(client.callTool('x'));
        time.at(50, () => {
          seen.unsubscribe();
        });
        time.flush();
        const [, second] = server.peer.of('tools/call');
        expect(server.peer.of('notifications/cancelled').map(({ params }) => params.requestId)).to.deep.equal([second.id]);
        void client.close();
      });
    });

    it('a signal or abort$ meanwhile fails the call with its reason, counted from the start [B26]', () => {
      inVirtualTime((time) => {
        const person = thinker(30);
        const { client } = readyClient(time, modernScript({ 'tools/call': () => asking() }), [person.feature]);
        const reason = new Error('enough');
        const controller = new AbortController();
        const bySignal = record(client.callTool('x', {}, { signal: controller.signal }));
        let started = 0;
        const byStream = record(client.callTool('x', {}, { abort$: defer(() => (started++, timer(100))) }));
        time.at(50, () => {
          controller.abort(reason);
        });
        time.flush();
        expect(bySignal).to.deep.include({ errors: [reason], endedAt: 50 });
        expect(byStream.errors[0]).to.be.instanceOf(AbortError);
        expect(byStream.endedAt).to.equal(100);
        expect(started).to.equal(1);
        expect(person.live).to.equal(0);
        const early = record(client.callTool('x', {}, { signal: controller.signal }));
        expect(early.errors).to.deep.equal([reason]);
        void client.close();
      });
    });

    it('closing the client meanwhile fails the call, and nobody is asked any longer [B26]', () => {
      inVirtualTime((time) => {
        const person = thinker();
        const { client } = readyClient(time, modernScript({ 'tools/call': () => asking() }), [person.feature]);
        const seen = record(client.callTool('x'));
        time.at(50, () => client.close());
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(ConnectionClosedError);
        expect(seen.endedAt).to.equal(50);
        expect(person.live).to.equal(0);
      });
    });
  });

  it('goes through interceptors that stand between: they see every round [B26]', () => {
    inVirtualTime((time) => {
      const methods: unknown[] = [];
      const watcher: ClientFeature = { name: 'watcher', intercept: ({ method, params, options }, next) => (methods.push(params?.requestState), next({ method, params, options: { ...options, meta: {} } })) };
      const script = modernScript({ 'tools/call': asksTimes(1, { inputRequests: { n: askName, r: { method: 'roots/list' } }, requestState: 's' }) });
      const { client } = readyClient(time, script, [agree(), watcher, withRoots([])]);
      const seen = record(client.callTool('x'));
      time.flush();
      expect(seen).to.deep.include({ completed: 1, errors: [] });
      expect(methods).to.deep.equal([undefined, 's']);
      void client.close();
    });
  });

  it('works with a server that answers inside next()', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(modernScript({ 'tools/call': asksTimes(3) }), { synchronous: true });
      const client = createClient(server.open, { features: [agree()] });
      record(client.connect());
      time.flush();
      const seen = record(client.callTool('x'));
      expect(seen).to.deep.include({ completed: 1, errors: [] });
      expect(seen.values).to.have.length(1);
      expect(client.connected).to.equal(true);
      void client.close();
    });
  });

  it('may be given by a Promise', async () => {
    const server = new ScriptedServer(modernScript({ 'tools/call': asksTimes(1) }), { synchronous: true });
    const call$ = connect(server.open, { features: [withElicitation(() => Promise.resolve({ action: 'decline' }))] }).pipe(switchMap((client) => client.callTool('x')));
    expect(await firstValueFrom(call$)).to.deep.include(DONE);
    expect(paramsOf(server.peer)[1].inputResponses).to.deep.equal({ name: { action: 'decline' } });
  });
});
