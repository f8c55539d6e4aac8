import { expect } from 'chai';
import { concat, NEVER, of, Subject, throwError, timer, map } from 'rxjs';
import { memoryStore, withElicitation, type PendingElicitation } from '../../lib/index.ts';
import type { ServerEntry } from '../../lib/manager/server-entry.ts';
import { Refusal } from '../support/peer.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';
import { after, entry, initialized, managing, names, serving, tool } from './managed.ts';

describe('McpManager', () => {
  describe('starting [R50 R54]', () => {
    it('connects nothing before it is asked to', () => {
      inVirtualTime((time) => {
        const { manager, starts, states, end } = managing(time, { a: serving(['x']) });
        const tools = record(manager.tools$);
        time.flush();
        expect(starts('a')).to.equal(0);
        expect(states.values).to.deep.equal([[]]);
        expect(tools.values).to.deep.equal([]);
        end();
      });
    });

    it('connects all side by side, and tells what becomes of each as it happens [B81]', () => {
      inVirtualTime((time) => {
        const refusing = serving([], {
          initialize: () => {
            throw new Refusal(-32603, 'not today');
          },
        });
        const { manager, phases, close, end } = managing(time, {
          quick: serving(['search', 'fetch']),
          slow: serving(['crawl'], { initialize: after(time, 20_000, initialized) }),
          mute: serving([], { initialize: () => undefined }),
          refusing,
        });
        const results = record(manager.discoverAndConnect());
        const again = record(manager.discoverAndConnect());
        const tools = record(manager.tools$);
        time.at(1_000, () => {
          expect(results.values.map(({ server, status }) => `${server} ${status}`)).to.deep.equal(['quick ready', 'refusing failed']);
          expect(results.values[1]).to.have.property('error').with.property('message', 'MCP error -32603: not today');
          expect(names(tools.values.at(-1))).to.deep.equal(['quick__fetch', 'quick__search']);
        });
        time.at(30_000, () => {
          expect(names(tools.values.at(-1))).to.deep.equal(['quick__fetch', 'quick__search', 'slow__crawl']);
        });
        time.at(65_000, () => {
          expect(results.values.map(({ server, status }) => `${server} ${status}`)).to.deep.equal(['quick ready', 'refusing failed', 'slow ready', 'mute failed']);
          expect(results.completed).to.equal(1);
          expect(again.values).to.deep.equal(results.values);
          expect(phases()).to.include({ quick: 'ready', slow: 'ready' });
          close();
        });
        time.flush();
        end();
      });
    });

    it('shows no tools before the gate opens: when all are ready, or after 250 ms', () => {
      inVirtualTime((time) => {
        const both = { a: serving(['x'], { initialize: after(time, 50, initialized) }), b: serving(['y'], { initialize: after(time, 100, initialized) }) };
        const quick = managing(time, both);
        const tools = record(quick.manager.tools$);
        void quick.manager.discoverAndConnect();
        time.at(99, () => {
          expect(tools.values).to.deep.equal([]);
        });
        time.flush();
        expect(tools.values.map(names)).to.deep.equal([['a__x', 'b__y']]);
        quick.end();

        const start = time.now();
        const slow = managing(time, { a: serving(['x']), b: serving(['y'], { initialize: after(time, 1_000, initialized) }) });
        const seen = record(slow.manager.tools$);
        void slow.manager.discoverAndConnect();
        time.flush();
        expect(seen.values.map(names)).to.deep.equal([['a__x'], ['a__x', 'b__y']]);
        expect(seen.times[0]).to.equal(250);
        expect(time.now() - start).to.be.at.least(1_000);
        slow.end();
      });
    });

    it('has a cap on attempts at once; the others wait for their turn', () => {
      inVirtualTime((time) => {
        const slow = () => serving(['x'], { initialize: after(time, 100, initialized) });
        const { manager, phases, end } = managing(time, { a: slow(), b: slow(), c: slow() }, { maxConcurrentConnects: 2 });
        void manager.discoverAndConnect();
        time.at(50, () => {
          expect(phases()).to.deep.equal({ a: 'connecting', b: 'connecting', c: 'waiting' });
        });
        time.at(150, () => {
          expect(phases()).to.deep.equal({ a: 'ready', b: 'ready', c: 'connecting' });
        });
        time.flush();
        expect(phases()).to.deep.equal({ a: 'ready', b: 'ready', c: 'ready' });
        end();
      });
    });

    it('leaves a server alone that is disabled, that has an entry which cannot be used, or that is refused', () => {
      inVirtualTime((time) => {
        const problem = new Error('the variable TOKEN is missing');
        const source = [[entry('off', { enabled: false }), { name: 'bad', problem }, entry('no'), entry('yes')]];
        const asked: string[] = [];
        const consent = ({ name }: ServerEntry) => {
          asked.push(name);
          return timer(5).pipe(map(() => name === 'yes'));
        };
        const { started, phases, starts, manager, end } = managing(time, { off: serving([]), bad: serving([]), no: serving([]), yes: serving(['x']) }, { source, consent });
        expect(started().values.map(({ server, status }) => `${server} ${status}`)).to.have.members(['off failed', 'bad failed', 'no failed', 'yes ready']);
        expect(phases()).to.deep.equal({ off: 'disabled', bad: 'broken', no: 'refused', yes: 'ready' });
        expect(manager.statusOf('bad')?.state.cause).to.equal(problem);
        expect(asked).to.have.members(['no', 'yes']);
        expect(starts('off') + starts('no')).to.equal(0);
        end();
      });
    });

    it('a source that fails is the error of the start; one that fails later changes nothing', () => {
      inVirtualTime((time) => {
        const failure = new Error('no such file');
        const failed = managing(time, { a: serving([]) }, { source: throwError(() => failure) });
        expect(failed.started().errors).to.deep.equal([failure]);
        failed.end();
        const later = managing(time, { a: serving(['x']) }, { source: concat(of([entry('a')]), throwError(() => failure)) });
        expect(later.started().values).to.have.length(1);
        expect(later.errors.values).to.deep.equal([{ server: '', error: failure }]);
        expect(later.phase('a')).to.equal('ready');
        later.end();
      });
    });

    it('two entries of one name are an error that names it', () => {
      inVirtualTime((time) => {
        const { started, end } = managing(time, { a: serving([]) }, { source: [[entry('a'), entry('a')]] });
        expect(started().errors[0]).to.have.property('message', 'Two entries are named "a"; names must be unique');
        end();
      });
    });

    it('no entries at all open the gate, and complete', () => {
      inVirtualTime((time) => {
        const { started, manager, end } = managing(time, {}, { source: [[]] });
        const tools = record(manager.tools$);
        expect(started()).to.deep.include({ values: [], completed: 1 });
        expect(tools.values).to.deep.equal([[]]);
        end();
      });
    });
  });

  describe('one server [R51]', () => {
    it('connectToServer() connects again what is there, and adds what is not', () => {
      inVirtualTime((time) => {
        const { manager, started, starts, phase, end } = managing(time, { a: serving(['x']), b: serving(['y']) }, { source: [[entry('a')]] });
        started();
        const again = record(manager.connectToServer('a'));
        const added = record(manager.connectToServer('b', entry('b')));
        const unknown = record(manager.connectToServer('c'));
        time.flush();
        expect([starts('a'), starts('b')]).to.deep.equal([2, 1]);
        expect(again.values.at(-1)).to.deep.equal({ server: 'a', status: 'ready', tools: 1 });
        expect(added.values).to.deep.equal([{ server: 'b', status: 'ready', tools: 1 }]);
        expect(unknown.errors[0]).to.have.property('message', 'The server "c" is not among the entries');
        expect([phase('a'), phase('b')]).to.deep.equal(['ready', 'ready']);
        end();
      });
    });

    it('can be disabled and enabled; its tools go and come', () => {
      inVirtualTime((time) => {
        const { manager, started, phase, starts, peer, end } = managing(time, { a: serving(['x']), b: serving(['y']) });
        const tools = record(manager.tools$);
        started();
        manager.disable('a');
        time.flush();
        expect([phase('a'), peer('a').closed, names(tools.values.at(-1))]).to.deep.equal(['disabled', true, ['b__y']]);
        manager.enable('a');
        manager.enable('a');
        time.flush();
        expect([phase('a'), starts('a'), names(tools.values.at(-1))]).to.deep.equal(['ready', 2, ['a__x', 'b__y']]);
        end();
      });
    });

    it('that was refused is asked about anew when it is enabled', () => {
      inVirtualTime((time) => {
        let answer = false;
        let asked = 0;
        const { manager, started, phase, end } = managing(time, { a: serving(['x']) }, { consent: () => [(asked++, answer)] });
        started();
        expect(phase('a')).to.equal('refused');
        answer = true;
        manager.enable('a');
        time.flush();
        expect([phase('a'), asked]).to.deep.equal(['ready', 2]);
        manager.disable('a');
        manager.enable('a');
        time.flush();
        expect([phase('a'), asked]).to.deep.equal(['ready', 2]); // agreed once, agreed
        end();
      });
    });

    it('shows the tools its entry allows and does not deny', () => {
      inVirtualTime((time) => {
        const source = [[entry('a', { tools: { allow: ['read_*', 'list'], deny: ['*_secret', 'list?'] } })]];
        const { manager, started, end } = managing(time, { a: serving(['read_file', 'read_secret', 'write', 'list', 'lists', 'x/read_a']) }, { source });
        const tools = record(manager.tools$);
        started();
        expect(names(tools.values.at(-1))).to.deep.equal(['a__list', 'a__read_file']);
        expect(manager.statusOf('a')?.tools).to.equal(2);
        const hidden = record(manager.callTool({ server: 'a', tool: 'write' }));
        time.flush();
        expect(hidden.errors[0]).to.include({ name: 'ToolUnavailableError', reason: 'hidden' });
        end();
      });
    });
  });

  describe('entries that change', () => {
    it('are a diff: who stays in the same words keeps the connection', () => {
      inVirtualTime((time) => {
        const source = new Subject<readonly ServerEntry[]>();
        const { manager, states, starts, peer, phases, end } = managing(time, { a: serving(['x']), b: serving(['y']), c: serving(['z']) }, { source });
        const tools = record(manager.tools$);
        void manager.discoverAndConnect();
        source.next([entry('a'), entry('b')]);
        time.flush();
        source.next([entry('c'), { ...entry('a') }, entry('b', { tools: { deny: ['none'] } })]);
        time.flush();
        expect([starts('a'), starts('b'), starts('c')]).to.deep.equal([1, 2, 1]);
        source.next([entry('c'), entry('a', { title: 'An A', warnings: ['odd'], shadows: [{ host: 'x', scope: 'user' }] }), entry('b', { tools: { deny: ['none'] } })]);
        time.flush();
        expect([starts('a'), starts('b'), starts('c')]).to.deep.equal([1, 2, 1]); // other words for the same
        expect(states.values.at(-1)?.[0]).to.deep.include({ name: 'a', title: 'An A', warnings: ['odd'] });
        source.next([entry('c')]);
        time.flush();
        expect([peer('a').closed, peer('b').closed, peer('c').closed]).to.deep.equal([true, true, false]);
        expect(phases()).to.deep.equal({ a: undefined, b: undefined, c: 'ready' });
        expect(states.values.at(-1)?.map(({ name }) => name)).to.deep.equal(['c']);
        expect(tools.values.map(names)).to.deep.equal([['a__x', 'b__y'], ['a__x', 'b__y', 'c__z'], ['c__z']]);
        end();
      });
    });

    it('that are removed while they connect, or wait for the next try, do not come back', () => {
      inVirtualTime((time) => {
        const source = new Subject<readonly ServerEntry[]>();
        const { manager, starts, peer, end } = managing(time, { slow: serving(['x'], { initialize: after(time, 100, initialized) }), gone: serving(['y']) }, { source });
        void manager.discoverAndConnect();
        source.next([entry('slow'), entry('gone')]);
        time.at(50, () => {
          peer('gone').close();
        });
        time.at(60, () => {
          source.next([]);
        });
        time.flush();
        expect([starts('slow'), starts('gone')]).to.deep.equal([1, 1]);
        expect(peer('slow').closed).to.equal(true);
        end();
      });
    });
  });

  describe('what all servers do', () => {
    it('is one stream each, and everything says whose it is', () => {
      inVirtualTime((time) => {
        const all = { tools: {}, prompts: {}, resources: {} };
        const full = (n: string) =>
          serving([n], {
            initialize: ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: all, serverInfo: { name: n, version: '1' } }),
            'prompts/list': () => ({ prompts: [{ name: `p${n}` }] }),
            'resources/list': () => ({ resources: [{ name: 'r', uri: `file:///${n}` }] }),
            'resources/templates/list': () => ({ resourceTemplates: [{ name: 't', uriTemplate: `file:///${n}/{x}` }] }),
          });
        const { manager, started, peer, end } = managing(time, { a: full('a'), b: full('b') });
        const prompts = record(manager.prompts$);
        const resources = record(manager.resources$);
        const templates = record(manager.resourceTemplates$);
        const notifications = record(manager.notifications$);
        const logs = record(manager.logs$);
        const diagnostics = record(manager.diagnostics$);
        started();
        expect(prompts.values.at(-1)).to.deep.equal([{ server: 'a', prompt: { name: 'pa' } }, { server: 'b', prompt: { name: 'pb' } }]);
        expect(resources.values.at(-1)?.map(({ server, resource }) => `${server} ${resource.uri}`)).to.deep.equal(['a file:///a', 'b file:///b']);
        expect(templates.values.at(-1)?.map(({ server, resourceTemplate }) => `${server} ${resourceTemplate.uriTemplate}`)).to.deep.equal(['a file:///a/{x}', 'b file:///b/{x}']);
        peer('b').notify('notifications/message', { level: 'info', data: 'hello' });
        peer('a').notify('notifications/x');
        peer('a').result(99);
        time.flush();
        expect(notifications.values.map(({ server, notification }) => `${server} ${notification.method}`)).to.deep.equal(['b notifications/message', 'a notifications/x']);
        expect(logs.values).to.deep.equal([{ server: 'b', log: { level: 'info', data: 'hello' } }]);
        expect(diagnostics.values.map(({ server, diagnostic }) => `${server} ${diagnostic.kind}`)).to.deep.equal(['a unmatched-answer']);
        end();
        expect([prompts, resources, templates, notifications, logs, diagnostics].map(({ completed }) => completed)).to.deep.equal([1, 1, 1, 1, 1, 1]);
      });
    });

    it('prompts and resources are shown from the cache too, while their server starts', () => {
      inVirtualTime((time) => {
        const store = memoryStore();
        const script = (n: number, ms: number) =>
          serving([], {
            initialize: after(time, ms, ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: { prompts: {}, resources: {} }, serverInfo: { name: 'a', version: '1' } })),
            'prompts/list': () => ({ prompts: [{ name: `p${n}` }] }),
            'resources/list': () => ({ resources: [{ name: 'r', uri: `file:///${n}` }] }),
          });
        const first = managing(time, { a: script(1, 1) }, { store });
        record(first.manager.prompts$);
        record(first.manager.resources$);
        first.started();
        first.end();
        const second = managing(time, { a: script(2, 5_000) }, { store });
        const prompts = record(second.manager.prompts$);
        const resources = record(second.manager.resources$);
        void second.manager.discoverAndConnect();
        time.at(300, () => {
          expect(prompts.values.at(-1)).to.deep.equal([{ server: 'a', prompt: { name: 'p1' } }]);
          expect(resources.values.at(-1)?.[0]?.resource.uri).to.equal('file:///1');
        });
        time.at(6_000, () => {
          expect(prompts.values.at(-1)).to.deep.equal([{ server: 'a', prompt: { name: 'p2' } }]);
          expect(resources.values.at(-1)?.[0]?.resource.uri).to.equal('file:///2');
        });
        time.flush();
        second.end();
      });
    });

    it('questions to the user come with their server, and one that nobody listens to is cancelled', () => {
      inVirtualTime((time) => {
        const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
        const client = { features: [withElicitation('stream')] };
        const { manager, started, peer, end } = managing(time, { a: serving([]), b: serving([]) }, { client });
        started();
        const ask = (name: string) => {
          peer(name).send({ id: 's', method: 'elicitation/create', params: form });
          time.flush();
          return peer(name).received.at(-1).result;
        };
        expect(ask('a')).to.deep.equal({ action: 'cancel' });
        const seen: string[] = [];
        const listening = manager.elicitations$.subscribe(({ server, elicitation }: { server: string; elicitation: PendingElicitation }) => {
          seen.push(server);
          elicitation.decline();
        });
        expect(ask('b')).to.deep.equal({ action: 'decline' });
        expect(seen).to.deep.equal(['b']);
        listening.unsubscribe();
        end();
      });
    });

    it('a burst of announcements costs two fetches, one from inside each answer no endless loop, one after removal nothing [B84]', () => {
      inVirtualTime((time) => {
        let listed = 0;
        const { manager, peer, close, end } = managing(time, {
          burst: serving(['x'], { 'tools/list': () => ({ tools: [tool(`t${++listed}`)] }) }),
          loop: serving(['y'], { 'tools/list': (_, its) => (its.notify('notifications/tools/list_changed'), { tools: [tool('y')] }) }),
        });
        const tools = record(manager.tools$);
        const start = record(manager.discoverAndConnect());
        time.at(1_000, () => {
          for (let n = 0; n < 50; n++) peer('burst').notify('notifications/tools/list_changed');
        });
        time.at(5_000, () => {
          expect(listed).to.be.at.most(3);
          expect(names(tools.values.at(-1))).to.deep.equal([`burst__t${listed}`, 'loop__y']);
          expect(peer('loop').of('tools/list').length).to.be.at.most(26); // one each 200 ms
          expect(tools.values).to.have.length.at.most(3);
          expect(start.completed).to.equal(1);
          close();
        });
        time.flush();
        end();
      });
    });

    it('a list that cannot be fetched is told of, and fetched again later', () => {
      inVirtualTime((time) => {
        let asked = 0;
        const { manager, phase, errors, end } = managing(time, {
          a: serving([], {
            'tools/list': () => {
              if (++asked < 3) throw new Refusal(-32603, 'busy');
              return { tools: [tool('x')] };
            },
          }),
        });
        const tools = record(manager.tools$);
        record(manager.discoverAndConnect());
        time.flush();
        expect([phase('a'), asked, names(tools.values.at(-1))]).to.deep.equal(['ready', 3, ['a__x']]);
        expect(errors.values.map(({ server, error }) => `${server} ${String(error)}`)).to.deep.equal(['a RpcError: MCP error -32603: busy', 'a RpcError: MCP error -32603: busy']);
        end();
      });
    });
  });

  describe('closing', () => {
    it('ends everything at any time: idle, connecting, ready, reconnecting; twice is once', () => {
      inVirtualTime((time) => {
        const { manager, peer, close, end } = managing(time, { slow: serving([], { initialize: () => undefined }), ready: serving(['x']), lost: serving(['y']) });
        const results = record(manager.discoverAndConnect());
        time.at(300, () => {
          peer('lost').close();
        });
        time.at(400, () => {
          close();
          close();
        });
        time.flush();
        end();
        expect(results.values.map(({ server }) => server)).to.have.members(['ready', 'lost']);
        const late = [record(manager.discoverAndConnect()), record(manager.connectToServer('ready'))];
        time.flush();
        expect(late[1]?.errors[0]).to.have.property('name', 'NotConnectedError');
      });
    });

    it('subscribers of lists leave nothing behind', () => {
      inVirtualTime((time) => {
        const { manager, started, end } = managing(time, { a: serving(['x']) });
        started();
        for (let n = 0; n < 100; n++) {
          const seen = [manager.tools$, manager.prompts$, manager.servers$].map((list$) => record<unknown>(list$));
          time.flush();
          for (const each of seen) {
            expect(each.values).to.have.length(1);
            each.unsubscribe();
          }
        }
        end();
      });
    });
  });

  it('keeps the store of lists apart by entry and principal [B87]', () => {
    inVirtualTime((time) => {
      const keys = new Set<string>();
      const inner = memoryStore();
      const store = { get: (key: string) => (keys.add(key), inner.get(key)), set: inner.set };
      for (const principal of ['ann', 'bob']) {
        for (const source of [[[entry('a')]], [[entry('a', { tools: { deny: ['q'] } })]]]) {
          const { started, end } = managing(time, { a: serving(['x']) }, { store, principal, source });
          started();
          end();
        }
      }
      expect(keys.size).to.equal(4);
      for (const key of keys) expect(key).to.match(/^\["tools","a","[0-9a-f]{64}","(ann|bob)"\]$/);
    });
  });

  it('says nothing of secrets in what it keeps', () => {
    inVirtualTime((time) => {
      const written: string[] = [];
      const store = { get: () => [undefined], set: (key: string, value: object) => [void written.push(key + JSON.stringify(value))] };
      const secret = { ...entry('a'), config: { type: 'stdio', name: 'a', env: { TOKEN: 's3cret' } } };
      const { started, end } = managing(time, { a: serving(['x']) }, { store, source: [[secret]] });
      started();
      expect(written).to.have.length(1);
      expect(written.join()).to.not.include('s3cret');
      end();
    });
  });

  it('a store that never answers holds nothing up', () => {
    inVirtualTime((time) => {
      const { started, phase, end } = managing(time, { a: serving(['x']) }, { store: { get: () => NEVER, set: () => NEVER } });
      expect(started().values).to.have.length(1);
      expect(phase('a')).to.equal('ready');
      end();
    });
  });
});
