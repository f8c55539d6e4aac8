import { expect } from 'chai';
import { asyncScheduler } from 'rxjs';
import { memoryStore } from '../../lib/index.ts';
import { Refusal } from '../support/peer.ts';
import { inVirtualTime, record, type VirtualTime } from '../support/test-scheduler.ts';
import { after, dying, entry, initialized, managing, names, serving, tool } from './managed.ts';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('McpManager: calls', () => {
  it('go to the server under the tool’s own name, by exposed name or by address', () => {
    inVirtualTime((time) => {
      const { manager, started, peer, end } = managing(time, { 'my.server': serving(['search']), b: serving(['search']) });
      const tools = record(manager.tools$);
      started();
      const [b, odd] = tools.values.at(-1)!;
      expect([b?.name, odd?.server]).to.deep.equal(['b__search', 'my.server']);
      const seen = [manager.callTool('b__search', { q: 1 }), manager.callTool(odd!.name), manager.callTool({ server: 'my.server', tool: 'search' }, { q: 2 })].map((call$) => record(call$));
      expect(peer('b').of('tools/call')).to.deep.equal([]); // cold
      time.flush();
      for (const each of seen) expect(each).to.deep.include({ values: [text('search')], completed: 1, errors: [] });
      expect(peer('b').of('tools/call').map(({ params }) => params)).to.deep.equal([{ name: 'search', arguments: { q: 1 } }]);
      expect(peer('my.server').of('tools/call')).to.have.length(2);
      end();
    });
  });

  it('go by the names of the tools as they are now, which are made only when something has changed', () => {
    inVirtualTime((time) => {
      let own = Array.from({ length: 200 }, (_, n) => `t${n}`);
      const { manager, started, peer, end } = managing(time, { a: serving([], { 'tools/list': () => ({ tools: own.map((name) => tool(name)) }), 'tools/call': () => text('done') }) });
      started();
      const call = (name: string) => {
        const seen = record(manager.callTool(name));
        time.flush();
        return seen.completed === 1 ? 'done' : String(seen.errors[0]);
      };
      expect(call('a__t199')).to.equal('done');
      const { replace } = String.prototype;
      let replaced = 0;
      String.prototype.replace = function (this: string, ...args: [any, any]) {
        replaced++;
        return replace.apply(this, args);
      };
      try {
        expect(call('a__t7')).to.equal('done');
      } finally {
        String.prototype.replace = replace;
      }
      expect(replaced, 'names made anew').to.be.below(20);
      own = ['t7', 'other'];
      peer('a').notify('notifications/tools/list_changed');
      time.flush();
      expect([call('a__other'), call('a__t7'), call('a__t199')]).to.deep.equal(['done', 'done', 'ToolUnavailableError: The tool "a__t199" is not known']);
      end();
    });
  });

  it('may be followed as events, and are cancelled at the server', () => {
    inVirtualTime((time) => {
      const { manager, started, peer, end } = managing(time, { a: serving(['x', 'mute'], { 'tools/call': ({ params }, its) => (params.name === 'mute' ? undefined : (its.notify('notifications/progress', { progressToken: params._meta.progressToken, progress: 1 }), text('x'))) }) });
      started();
      const events = record(manager.callTool('a__x', {}, { observe: 'events' }));
      const given = record(manager.callTool('a__mute'));
      time.at(5, () => given.unsubscribe());
      time.flush();
      expect(events.values.map(({ type }) => type)).to.deep.equal(['progress', 'result']);
      expect(peer('a').of('notifications/cancelled')).to.have.length(1);
      end();
    });
  });

  it('of what is not there fail at once, and say why', () => {
    inVirtualTime((time) => {
      const { manager, started, end } = managing(time, { off: serving(['x']) }, { source: [[entry('off', { enabled: false })]] });
      started();
      const errors = [manager.callTool('nope'), manager.callTool({ server: 'gone', tool: 'x' }), manager.callTool({ server: 'off', tool: 'x' })].map((call$) => record(call$).errors[0]);
      expect(errors.map(({ name, message }) => `${name}: ${message}`)).to.deep.equal([
        'ToolUnavailableError: The tool "nope" is not known',
        'ServerUnavailableError: The server "gone" is not among the entries',
        'ServerUnavailableError: The server "off" is disabled',
      ]);
      end();
    });
  });

  describe('of deferred tools [R52]', () => {
    /** A store that knows these tools from an earlier start. */
    function knowing(time: VirtualTime, ...listed: readonly object[]) {
      const store = memoryStore();
      const first = managing(time, { a: serving([], { 'tools/list': () => ({ tools: listed }) }) }, { store });
      first.started();
      first.end();
      return store;
    }

    const slow = (time: VirtualTime, ms: number, listed: readonly object[]) => ({ a: serving([], { initialize: after(time, ms, initialized), 'tools/list': () => ({ tools: listed }) }) });

    it('wait for the server, which has shown them from the start', () => {
      inVirtualTime((time) => {
        const store = knowing(time, tool('x'));
        const { manager, peer, end } = managing(time, slow(time, 5_000, [tool('x'), tool('new')]), { store });
        const tools = record(manager.tools$);
        void manager.discoverAndConnect();
        let call = record(manager.callTool('none'));
        time.at(260, () => {
          expect(names(tools.values.at(-1))).to.deep.equal(['(a__x)']);
          call = record(manager.callTool('a__x'));
        });
        time.at(4_000, () => {
          expect(peer('a').of('tools/call')).to.deep.equal([]);
        });
        time.flush();
        expect(call).to.deep.include({ values: [text('x')], errors: [] });
        expect(names(tools.values.at(-1))).to.deep.equal(['a__new', 'a__x']);
        end();
      });
    });

    it('fail when the tool is gone, or has another input schema: nothing was called', () => {
      inVirtualTime((time) => {
        const store = knowing(time, tool('gone'), tool('changed'), tool('same', { inputSchema: { type: 'object', properties: { a: {}, b: {} } } }));
        const now = [tool('changed', { inputSchema: { type: 'object', required: ['q'] } }), tool('same', { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'new' })];
        const { manager, peer, end } = managing(time, slow(time, 1_000, now), { store });
        void manager.discoverAndConnect();
        let seen = [record(manager.callTool('none'))];
        time.at(300, () => {
          seen = ['a__gone', 'a__changed', 'a__same'].map((name) => record(manager.callTool(name)));
        });
        time.flush();
        expect(seen.map(({ errors: [error] }) => error?.reason)).to.deep.equal(['gone', 'changed', undefined]);
        expect(seen[0]?.errors[0].message).to.equal('The tool "gone" of the server "a" was listed from the cache, and the server no longer has it');
        expect(seen[2]?.values).to.deep.equal([text('same')]);
        expect(peer('a').of('tools/call')).to.have.length(1);
        end();
      });
    });

    it('wait no longer than their own deadline, in which the call itself must end too', () => {
      inVirtualTime((time) => {
        const store = knowing(time, tool('x'));
        const { manager, close, end } = managing(time, { a: serving(['x'], { initialize: after(time, 1_000, initialized), 'tools/call': () => undefined }) }, { store });
        void manager.discoverAndConnect();
        const seen: { at: number; error: Error }[] = [];
        const call = (timeoutMs: number) => {
          const start = time.now();
          manager.callTool('a__x', {}, { timeoutMs }).subscribe({
            error: (error: unknown) => {
              seen.push({ at: time.now() - start, error: error as Error });
            },
          });
        };
        time.at(300, () => {
          call(500);
          call(5_000);
        });
        time.at(10_000, close);
        time.flush();
        expect(seen.map(({ at, error }) => [at, error.name])).to.deep.equal([[500, 'ServerUnavailableError'], [5_000, 'RequestTimeoutError']]);
        expect(seen[0]?.error.message).to.equal('The server "a" is not ready in time');
        end();
      });
    });

    it('can be given up while they wait, with the caller’s own reason', () => {
      inVirtualTime((time) => {
        const store = knowing(time, tool('x'));
        const { manager, peer, end } = managing(time, slow(time, 1_000, [tool('x')]), { store });
        void manager.discoverAndConnect();
        const controller = new AbortController();
        const reason = new Error('enough');
        let seen = record(manager.callTool('none'));
        time.at(300, () => {
          seen = record(manager.callTool('a__x', {}, { signal: controller.signal }));
        });
        time.at(400, () => {
          controller.abort(reason);
        });
        time.flush();
        expect(seen.errors).to.deep.equal([reason]);
        expect(peer('a').of('tools/call')).to.deep.equal([]);
        end();
      });
    });

    it('fail as soon as their server has failed for good, or is removed', () => {
      inVirtualTime((time) => {
        const store = knowing(time, tool('x'));
        const { manager, phase, end } = managing(time, { a: dying }, { store, healing: { maxAttempts: 1, random: () => 0.5 } });
        const start = time.now();
        void manager.discoverAndConnect();
        let seen = record(manager.callTool('none'));
        time.at(260, () => {
          seen = record(manager.callTool('a__x', {}, { timeoutMs: 600_000 }));
        });
        time.flush();
        expect(phase('a')).to.equal('stopped');
        expect(seen.errors[0].message).to.equal('The server "a" has stopped: Transport closed');
        expect(time.now() - start).to.be.below(600_000);
        end();
      });
    });

    it('are not shown when they are from too long ago, of another format, or empty', () => {
      inVirtualTime((time) => {
        const now = asyncScheduler.now();
        const day = 24 * 3_600_000;
        const kept = { result: { format: 1, items: [tool('x')] }, askedAt: now, ttlMs: 30 * day };
        for (const odd of [{ ...kept, askedAt: now - 31 * day }, { ...kept, result: { ...kept.result, format: 0 } }, { ...kept, result: { format: 1, items: 7 } }, { ...kept, result: { format: 1, items: [] } }, 'x', null]) {
          const { manager, end, close } = managing(time, slow(time, 1_000, [tool('y')]), { store: { get: () => [odd as never], set: () => [undefined] } });
          const tools = record(manager.tools$);
          void manager.discoverAndConnect();
          time.at(2_000, close);
          time.flush();
          expect(tools.values.map(names)).to.deep.equal([[], ['a__y'], []]); // none once it is closed
          end();
        }
      });
    });
  });

  describe('whose connection is lost [R53 B79]', () => {
    /** Takes a call, and ends before it answers; counts what it took. */
    const dropping = (counts: { taken: number }, listed = [tool('send')]) => (n: number) =>
      serving([], {
        'tools/list': () => ({ tools: listed }),
        'tools/call': (_, peer) => {
          counts.taken++;
          if (n === 0) peer.close();
          return n === 0 ? undefined : text('done');
        },
      });

    it('are not made again: they may have run', () => {
      inVirtualTime((time) => {
        const counts = { taken: 0 };
        const { manager, started, phase, end } = managing(time, { a: dropping(counts) });
        started();
        const seen = record(manager.callTool('a__send'));
        time.flush();
        expect(seen.errors[0]).to.include({ name: 'OutcomeUnknownError', server: 'a', method: 'tools/call' });
        expect(seen.errors[0].message).to.equal('The connection to "a" was lost during tools/call; it may have run: Transport closed');
        expect([counts.taken, phase('a')]).to.deep.equal([1, 'ready']);
        end();
      });
    });

    for (const [title, annotations, times] of [
      ['idempotent', { idempotentHint: true }, 2],
      ['read-only', { readOnlyHint: true }, 2],
      ['neither', { destructiveHint: false }, 1],
    ] as const) {
      it(`of a tool that is ${title}: made again ${times - 1} times, if the caller wants that`, () => {
        inVirtualTime((time) => {
          const counts = { taken: 0 };
          const { manager, started, end } = managing(time, { a: dropping(counts, [tool('send', { annotations })]) }, { replayIdempotent: true });
          started();
          const seen = record(manager.callTool('a__send'));
          time.flush();
          expect(counts.taken).to.equal(times);
          expect(seen.values.length + seen.errors.length).to.equal(1);
          end();
        });
      });
    }

    it('wait for the next connection when they come while there is none', () => {
      inVirtualTime((time) => {
        const { manager, started, peer, servers, end } = managing(time, { a: serving(['x']) });
        started();
        peer('a').close();
        let seen = record(manager.callTool('none'));
        time.at(10, () => {
          seen = record(manager.callTool('a__x'));
        });
        time.flush();
        expect(seen).to.deep.include({ values: [text('x')], errors: [] });
        expect(servers.a?.peers.map((one) => one.of('tools/call').length)).to.deep.equal([0, 1]);
        end();
      });
    });

    it('what the server says itself is the answer, not a loss', () => {
      inVirtualTime((time) => {
        let taken = 0;
        const { manager, started, end } = managing(
          time,
          {
            a: serving(['x'], {
              'tools/call': () => {
                taken++;
                throw new Refusal(-32602, 'no');
              },
            }),
          },
          { replayIdempotent: true },
        );
        started();
        const seen = record(manager.callTool('a__x'));
        time.flush();
        expect([seen.errors[0].name, taken]).to.deep.equal(['RpcError', 1]);
        end();
      });
    });
  });
});
