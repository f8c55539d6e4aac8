import { expect } from 'chai';
import { defer, throwError } from 'rxjs';
import { createClient, keyvStore, memoryStore, withCache, type CacheOptions, type CacheStore, type McpClient } from '../../lib/index.ts';
import { modernScript, Refusal, ScriptedServer, type Script } from '../support/peer.ts';
import { inVirtualTime, record, type Recorded, type VirtualTime } from '../support/test-scheduler.ts';

const tools = (ttlMs: unknown, more: object = {}): Script => ({ 'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }], ttlMs, ...more }) });

interface Cached {
  readonly client: McpClient;
  readonly server: ScriptedServer;
  /** How often the server was asked for its tools. */
  readonly asked: () => number;
}

/** Runs a spec over clients with a cache each; a second one may share the store. */
function cached(script: Script, options: CacheOptions | readonly CacheOptions[], spec: (time: VirtualTime, ...clients: Cached[]) => void): void {
  inVirtualTime((time) => {
    const all = [options].flat().map((each): Cached => {
      const server = new ScriptedServer(modernScript(script));
      const client = createClient(server.open, { features: [withCache(each)] });
      record(client.connect());
      return { client, server, asked: () => server.methods.filter((method) => method === 'tools/list').length };
    });
    time.flush();
    spec(time, ...all);
    for (const { client } of all) void client.close();
    time.flush();
  });
}

describe('withCache()', () => {
  it('answers from what the server said for as long as it said, then asks again', () => {
    cached(tools(1_000), {}, ({ at, flush }, { client, asked }) => {
      const seen: number[] = [];
      for (const ms of [0, 500, 990, 1_100]) {
        at(ms, () => {
          record(client.listTools());
        });
        at(ms + 5, () => seen.push(asked()));
      }
      flush();
      expect(seen).to.deep.equal([1, 1, 1, 2]);
    });
  });

  for (const ttlMs of [0, -1, undefined, null, 'long', Number.NaN]) {
    it(`keeps nothing for a ttlMs of ${String(ttlMs)}`, () => {
      cached(tools(ttlMs), {}, ({ flush }, { client, asked }) => {
        record(client.listTools());
        flush();
        record(client.listTools());
        flush();
        expect(asked()).to.equal(2);
      });
    });
  }

  it('gives what it keeps synchronously, as the same events as a call', () => {
    cached(tools(1_000), {}, ({ flush }, { client }) => {
      record(client.listTools());
      flush();
      const again = record(client.request('tools/list'));
      expect(again.values).to.have.length(1);
      expect(again.completed).to.equal(1);
    });
  });

  it('forgets a list when the server announces a change, also one that came while it was fetched', () => {
    cached(tools(1_000_000), {}, ({ flush }, { client, server, asked }) => {
      record(client.listTools());
      flush();
      server.peer.notify('notifications/tools/list_changed');
      flush();
      record(client.listTools());
      server.peer.notify('notifications/tools/list_changed');
      flush();
      record(client.listTools());
      flush();
      expect(asked()).to.equal(3);
    });
  });

  it('asks in any case with cache: "bypass", and keeps what it hears', () => {
    cached(tools(1_000), {}, ({ flush }, { client, asked }) => {
      for (const cache of ['use', 'bypass', 'use'] as const) {
        record(client.listTools({ cache }));
        flush();
      }
      expect(asked()).to.equal(2);
    });
  });

  it('keeps pages apart, and calls of tools not at all', () => {
    const script: Script = {
      'tools/list': ({ params }) => (params?.cursor === undefined ? { tools: [{ name: 'a' }], nextCursor: '2', ttlMs: 1_000 } : { tools: [{ name: 'b' }], ttlMs: 1_000 }),
      'tools/call': () => ({ content: [], ttlMs: 1_000 }),
    };
    cached(script, {}, ({ flush }, { client, server, asked }) => {
      for (let i = 0; i < 2; i++) {
        record(client.listTools());
        record(client.callTool('a'));
        flush();
      }
      expect(asked()).to.equal(2);
      expect(server.methods.filter((method) => method === 'tools/call')).to.have.length(2);
    });
  });

  for (const [cacheScope, second] of [
    ['private', 1],
    [undefined, 1],
    ['public', 0],
  ] as const) {
    it(`shares what is ${String(cacheScope)} ${second === 0 ? 'between' : 'not between'} principals [B87]`, () => {
      const store = memoryStore();
      cached(tools(1_000, { cacheScope }), [{ store, principal: 'ann' }, { store, principal: () => 'bob' }, { store, principal: 'ann' }], ({ flush }, ann, bob, again) => {
        for (const { client } of [ann, bob, again]) {
          record(client.listTools());
          flush();
        }
        expect([ann.asked(), bob.asked(), again.asked()]).to.deep.equal([1, second, 0]);
      });
    });
  }

  it('lets a stale result stand in when the server cannot be asked, if told to, but not for its errors or an abort', () => {
    let react: () => object | undefined = () => ({ tools: [{ name: 'a' }], ttlMs: 100 });
    cached({ 'tools/list': () => react() }, { staleIfErrorMs: 1_000 }, ({ at, flush }, { client }) => {
      const list = (ms: number, options: object, change?: typeof react): Recorded<unknown> => {
        const seen: Recorded<unknown>[] = [];
        at(ms, () => {
          react = change ?? react;
          seen.push(record<unknown>(client.listTools({ timeoutMs: 10, ...options })));
        });
        return new Proxy({} as Recorded<unknown>, { get: (_, key) => seen[0]?.[key as keyof Recorded<unknown>] });
      };
      const silent = (): undefined => undefined;
      const refused = (): never => {
        throw new Refusal(-32000, 'busy');
      };
      list(0, {});
      const asked = [
        list(200, {}, refused),
        list(300, {}, silent),
        list(400, { abort$: throwError(() => new Error('gone')) }),
        list(1_500, {}),
      ];
      flush();
      expect(asked.map(({ values, errors }) => errors[0]?.message ?? values.length)).to.deep.equal(['MCP error -32000: busy', 1, 'gone', 'Request timeout after 10ms']);
    });
  });

  it('works without a store that fails', () => {
    const broken: CacheStore = { get: () => defer(() => { throw new Error('down'); }), set: () => throwError(() => new Error('down')) };
    cached(tools(1_000), { store: broken }, ({ flush }, { client, asked }) => {
      for (let i = 0; i < 2; i++) {
        const seen = record(client.listTools());
        flush();
        expect(seen.values).to.have.length(1);
      }
      expect(asked()).to.equal(2);
    });
  });
});

describe('stores', () => {
  it('in memory drop the longest unused', () => {
    const store = memoryStore(2);
    const entry = { result: {}, askedAt: 0, ttlMs: 1 };
    for (const key of ['a', 'b']) record(defer(() => store.set(key, entry)));
    record(defer(() => store.get('a')));
    record(defer(() => store.set('c', entry)));
    expect(['a', 'b', 'c'].map((key) => record(defer(() => store.get(key))).values[0] !== undefined)).to.deep.equal([true, false, true]);
  });

  it('over Keyv pass the time to live, and what is to be kept beyond it', async () => {
    const set: unknown[][] = [];
    const store = keyvStore({ get: () => Promise.resolve('entry'), set: (...args) => Promise.resolve(set.push(args)) }, 500);
    expect(await store.get('k')).to.equal('entry');
    await store.set('k', { result: {}, askedAt: 0, ttlMs: 100 });
    expect(set).to.deep.equal([['k', { result: {}, askedAt: 0, ttlMs: 100 }, 600]]);
  });
});
