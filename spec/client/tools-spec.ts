import { expect } from 'chai';
import { asapScheduler, asyncScheduler, observeOn, of, take } from 'rxjs';
import { allPages, uniqueItems } from '../../lib/client/paging.ts';
import { throwOnToolError, ToolError } from '../../lib/client/tool-error.ts';
import { PartialListError, ProtocolError, RequestTimeoutError, RpcError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import { legacyScript, Refusal, ScriptedServer, type Reaction } from '../support/peer.ts';
import { inVirtualTime, record, testScheduler, type VirtualTime } from '../support/test-scheduler.ts';
import type { CallToolResult } from '../../lib/wire/mcp/tools.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A client, and a server whose tools/list and tools/call react like this. */
function withTools(time: VirtualTime, reactions: Record<string, Reaction>, options: { synchronous?: boolean } = {}) {
  const server = new ScriptedServer(legacyScript(reactions), options);
  const client = createClient(server.open);
  void client.connect();
  time.flush();
  return { server, client, cursors: () => server.peer.of('tools/list').map(({ params }) => params?.cursor) };
}

/** Serves pages by cursor; each page is its tools and the next cursor. */
const pages = (byCursor: Record<string, [names: string[], next?: unknown]>): Reaction => ({ params }) => {
  const [names, next] = byCursor[params?.cursor === undefined ? 'first' : `cursor:${params.cursor}`] ?? [[]];
  return { tools: names.map(tool), ...(next === undefined ? {} : { nextCursor: next }) };
};

const three = pages({ first: [['a', 'b'], 'p2'], 'cursor:p2': [[], 'p3'], 'cursor:p3': [['c']] });
const names = (values: any[]): unknown => values.map((value) => (Array.isArray(value) ? value.map(({ name }) => name) : value.name));

describe('listTools', () => {
  it('gives all tools of all pages in one array, each page asked for with the cursor before', () => {
    inVirtualTime((time) => {
      const { client, cursors } = withTools(time, { 'tools/list': three });
      const seen = record(client.listTools());
      time.flush();
      expect(names(seen.values)).to.deep.equal([['a', 'b', 'c']]);
      expect(seen.completed).to.equal(1);
      expect(cursors()).to.deep.equal([undefined, 'p2', 'p3']);
      void client.close();
    });
  });

  it('gives each page as it comes', () => {
    inVirtualTime((time) => {
      const { client } = withTools(time, { 'tools/list': three });
      const seen = record(client.listTools({ observe: 'pages' }));
      time.flush();
      expect(names(seen.values)).to.deep.equal([['a', 'b'], [], ['c']]);
      void client.close();
    });
  });

  for (const synchronous of [false, true]) {
    it(`gives one tool at a time, and asks for no page that nobody wants (${synchronous ? 'synchronous' : 'asynchronous'} peer)`, () => {
      inVirtualTime((time) => {
        const { client, cursors, server } = withTools(time, { 'tools/list': three }, { synchronous });
        const all = record(client.listTools({ observe: 'items' }));
        time.flush();
        expect(names(all.values)).to.deep.equal(['a', 'b', 'c']);
        const before = cursors().length;
        const two = record(client.listTools({ observe: 'items' }).pipe(take(2)));
        const page = record(client.listTools({ observe: 'pages' }).pipe(take(1)));
        time.flush();
        expect(names(two.values)).to.deep.equal(['a', 'b']);
        expect(names(page.values)).to.deep.equal([['a', 'b']]);
        expect(cursors().slice(before)).to.deep.equal([undefined, undefined]);
        expect(server.peer.of('notifications/cancelled'), 'of a page never asked for').to.deep.equal([]);
        void client.close();
      });
    });
  }

  it('cancels the page it waits for when unsubscribed', () => {
    inVirtualTime((time) => {
      const { client, server } = withTools(time, { 'tools/list': ({ params }) => (params?.cursor === undefined ? { tools: [tool('a')], nextCursor: 'p2' } : undefined) });
      const seen = record(client.listTools());
      time.at(10, () => seen.unsubscribe());
      time.flush();
      expect(server.peer.of('notifications/cancelled')).to.have.length(1);
      expect(seen.values).to.deep.equal([]);
      void client.close();
    });
  });

  describe('that breaks off at a later page', () => {
    const refusing: Reaction = ({ params }) => {
      if (params?.cursor !== undefined) throw new Refusal(-32602, 'Invalid cursor');
      return { tools: [tool('a')], nextCursor: 'p2' };
    };

    it('fails with the reason, and what had come by then', () => {
      inVirtualTime((time) => {
        const { client } = withTools(time, { 'tools/list': refusing });
        const seen = record(client.listTools());
        time.flush();
        const [error] = seen.errors;
        expect(error).to.be.instanceOf(PartialListError).with.property('message', 'MCP error -32602: Invalid cursor');
        expect(error.cause).to.be.instanceOf(RpcError).with.property('code', -32602);
        expect(error.items).to.deep.equal([tool('a')]);
        void client.close();
      });
    });

    it('page by page fails with the reason alone: the rest was handed out', () => {
      inVirtualTime((time) => {
        const { client } = withTools(time, { 'tools/list': refusing });
        const seen = record(client.listTools({ observe: 'pages' }));
        time.flush();
        expect(seen.values).to.deep.equal([[tool('a')]]);
        expect(seen.errors[0]).to.be.instanceOf(RpcError);
        void client.close();
      });
    });

    it('because the caller aborts, fails with the caller’s own reason', () => {
      inVirtualTime((time) => {
        const { client, server } = withTools(time, { 'tools/list': ({ params }) => (params?.cursor === undefined ? { tools: [tool('a')], nextCursor: 'p2' } : undefined) });
        const controller = new AbortController();
        const reason = new Error('enough');
        const seen = record(client.listTools({ signal: controller.signal }));
        time.at(10, () => {
          controller.abort(reason);
        });
        time.flush();
        expect(seen.errors).to.deep.equal([reason]);
        expect(server.peer.of('notifications/cancelled')).to.have.length(1);
        void client.close();
      });
    });
  });

  describe('has bounds', () => {
    /** A page a tick later, each with one tool more. */
    const endless = (ms: number): Record<string, Reaction> => {
      let n = 0;
      return {
        'tools/list': ({ id }, peer) => {
          asyncScheduler.schedule(() => {
            peer.result(id, { tools: [tool(`t${++n}`)], nextCursor: String(n) });
          }, ms);
          return undefined;
        },
      };
    };

    it('one deadline for all pages: maxTotalTimeoutMs', () => {
      inVirtualTime((time) => {
        const { client, server } = withTools(time, endless(40));
        const seen = record(client.listTools({ timeoutMs: 50, maxTotalTimeoutMs: 100 }));
        time.flush();
        expect(seen.endedAt).to.equal(100);
        expect(seen.errors[0].cause).to.be.instanceOf(RequestTimeoutError).with.property('message', 'Request timeout after 100ms');
        expect(seen.errors[0].items).to.have.length(2);
        expect(server.peer.of('notifications/cancelled')).to.have.length(1);
        void client.close();
      });
    });

    it('ten times the deadline of one request when nobody says otherwise', () => {
      inVirtualTime((time) => {
        const { client } = withTools(time, endless(40));
        const pages = record(client.listTools({ timeoutMs: 50, observe: 'pages' }));
        time.flush();
        expect(pages.values).to.have.length(12);
        expect([pages.endedAt, ...pages.errors.map(String)]).to.deep.equal([500, 'RequestTimeoutError: Request timeout after 500ms']);
        void client.close();
      });
    });

    it('most pages and most items', () => {
      inVirtualTime((time) => {
        const { client, server } = withTools(time, endless(1));
        const pages = record(client.listTools({ maxPages: 3 }));
        time.flush();
        expect(server.peer.of('tools/list')).to.have.length(3);
        const items = record(client.listTools({ maxItems: 2 }));
        time.flush();
        expect(server.peer.of('tools/list')).to.have.length(6);
        expect([...pages.errors, ...items.errors].map((error) => [error.message, error.items.length])).to.deep.equal([
          ["The server's list has more than 3 pages", 3],
          ["The server's list has more than 2 items", 2],
        ]);
        void client.close();
      });
    });

    it('that make sense', () => {
      inVirtualTime((time) => {
        const { client, server } = withTools(time, {});
        const seen = [{ maxPages: 0 }, { maxItems: -1 }, { maxItems: NaN }, { maxPages: '3' as never }].map((limits) => record(client.listTools(limits)));
        time.flush();
        expect(seen.map(({ errors: [error] }) => error.message)).to.deep.equal([
          'maxPages must be a number above 0; got 0',
          'maxItems must be a number above 0; got -1',
          'maxItems must be a number above 0; got NaN',
          'maxPages must be a number above 0; got 3',
        ]);
        expect(server.peer.of('tools/list')).to.have.length(0);
        void client.close();
      });
    });
  });

  describe('cursors [B86]', () => {
    it('an empty one is a cursor: it is sent, and page 2 comes', () => {
      inVirtualTime((time) => {
        const { client, cursors } = withTools(time, { 'tools/list': pages({ first: [['a'], ''], 'cursor:': [['b']] }) });
        const seen = record(client.listTools());
        time.flush();
        expect(names(seen.values)).to.deep.equal([['a', 'b']]);
        expect(cursors()).to.deep.equal([undefined, '']);
        void client.close();
      });
    });

    it('an empty one that comes again ends the list after one extra request', () => {
      inVirtualTime((time) => {
        const { client, cursors } = withTools(time, { 'tools/list': pages({ first: [['a'], ''], 'cursor:': [['a'], ''] }) });
        const seen = record(client.listTools());
        time.flush();
        expect(seen.completed).to.equal(1);
        expect((names(seen.values) as string[][])[0]).to.include('a');
        expect(cursors()).to.deep.equal([undefined, '']);
        void client.close();
      });
    });

    it('null ends the list, and so does what is no text', () => {
      inVirtualTime((time) => {
        for (const end of [null, 7, {}, false]) {
          const { client, cursors } = withTools(time, { 'tools/list': pages({ first: [['a'], end] }) });
          const seen = record(client.listTools());
          time.flush();
          expect(names(seen.values)).to.deep.equal([['a']]);
          expect(cursors()).to.deep.equal([undefined]);
          void client.close();
        }
      });
    });

    it('that go in a circle end the list', () => {
      inVirtualTime((time) => {
        const { client, cursors } = withTools(time, { 'tools/list': pages({ first: [['a'], 'x'], 'cursor:x': [['b'], 'y'], 'cursor:y': [['c'], 'x'] }) });
        const seen = record(client.listTools());
        time.flush();
        expect(names(seen.values)).to.deep.equal([['a', 'b', 'c']]);
        expect(cursors()).to.deep.equal([undefined, 'x', 'y']);
        void client.close();
      });
    });

    it('without end are an error after 1,000 pages', () => {
      inVirtualTime(({ flush }) => {
        let asked = 0;
        const seen = record(allPages(() => of({ nextCursor: `${++asked}` }).pipe(observeOn(asapScheduler))));
        flush();
        expect(seen.errors[0]).to.be.instanceOf(ProtocolError);
        expect(asked).to.equal(1_000);
        expect(seen.values).to.have.length(1_000);
      });
    });
  });

  it('one odd tool hides none of the others [B89]', () => {
    inVirtualTime((time) => {
      const deep: Record<string, unknown> = {};
      let inner = deep;
      for (let i = 0; i < 200; i++) inner = inner.properties = {};
      const odd = [null, 7, 'x', [], {}, { name: 7 }, { title: 'nameless' }];
      const strange = [{ name: 'noSchema' }, { name: 'boolean', inputSchema: true }, { name: 'ref', inputSchema: { $ref: '#/$defs/Missing' } }, { name: 'deep', inputSchema: deep, extra: 1 }, { name: '' }];
      const { client } = withTools(time, { 'tools/list': () => ({ tools: [tool('a'), ...odd, ...strange, tool('z')] }) });
      const seen = record(client.listTools());
      time.flush();
      expect(names(seen.values)).to.deep.equal([['a', 'noSchema', 'boolean', 'ref', 'deep', '', 'z']]);
      expect(seen.values[0]!.find(({ name }) => name === 'deep')).to.deep.equal({ name: 'deep', inputSchema: deep, extra: 1 });
      void client.close();
    });
  });

  for (const result of [{}, { tools: null }, { tools: {} }, { tools: 'none' }, null, []]) {
    it(`takes a result without a list as an empty one: ${JSON.stringify(result)}`, () => {
      inVirtualTime((time) => {
        const { client } = withTools(time, { 'tools/list': ({ id }, peer) => peer.result(id, result) });
        const seen = record(client.listTools());
        time.flush();
        expect(seen).to.deep.include({ values: [[]], errors: [], completed: 1 });
        void client.close();
      });
    });
  }

  it('passes options on to every page', () => {
    inVirtualTime((time) => {
      const { client } = withTools(time, { 'tools/list': ({ params }) => (params?.cursor === undefined ? { tools: [], nextCursor: 'p2' } : undefined) });
      const seen = record(client.listTools({ timeoutMs: 25 }));
      time.flush();
      expect(seen.errors.map(({ message }) => message)).to.deep.equal(['Request timeout after 25ms']);
      void client.close();
    });
  });
});

describe('allPages', () => {
  it('asks for a page when the one before has come, and unsubscribes from the one it waits for', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const first$ = cold(' --a|', { a: { nextCursor: '2' } });
      const second$ = cold('  --b|', { b: { nextCursor: '3' } });
      const third$ = cold('     ----c|', { c: {} });
      const firstSubs = '  ^-!     '; // a page is done with its value
      const secondSubs = ' --^-!   ';
      const thirdSubs = '  ----^-! ';
      const unsub = '      ------! ';
      const expected = '   --a-b-- ';
      const pages$ = allPages((cursor) => (cursor === undefined ? first$ : cursor === '2' ? second$ : third$));
      expectObservable(pages$, unsub).toBe(expected, { a: { nextCursor: '2' }, b: { nextCursor: '3' } });
      expectSubscriptions(first$.subscriptions).toBe(firstSubs);
      expectSubscriptions(second$.subscriptions).toBe(secondSubs);
      expectSubscriptions(third$.subscriptions).toBe(thirdSubs);
    });
  });

  it('starts afresh with each subscription', () => {
    const asked: unknown[] = [];
    const pages$ = allPages((cursor) => {
      asked.push(cursor);
      return of(cursor === undefined ? { nextCursor: 'x' } : {});
    });
    record(pages$);
    record(pages$);
    expect(asked).to.deep.equal([undefined, 'x', undefined, 'x']);
  });
});

describe('uniqueItems', () => {
  const items = (tools: unknown) => record(of({ tools }).pipe(uniqueItems('tools', 'name'))).values;

  it('takes what has a name', () => {
    expect(items([{ name: 'a' }, null, { name: null }, { name: 'b', x: 1 }])).to.deep.equal([[{ name: 'a' }, { name: 'b', x: 1 }]]);
    expect(items(undefined)).to.deep.equal([[]]);
    expect(items({ 0: { name: 'a' }, length: 1 })).to.deep.equal([[]]);
  });

  it('takes every name once, over all pages, and afresh with each subscription [B86]', () => {
    const pages$ = of({ tools: [{ name: 'a' }, { name: 'a' }] }, null as never, { tools: [{ name: 'b' }, { name: 'a' }] }).pipe(uniqueItems('tools', 'name'));
    for (const seen of [record(pages$), record(pages$)]) expect(seen.values).to.deep.equal([[{ name: 'a' }], [], [{ name: 'b' }]]);
  });
});

describe('callTool', () => {
  const content = [{ type: 'text', text: 'done' }];

  it('sends name and arguments, and emits the result', () => {
    inVirtualTime((time) => {
      const { client, server } = withTools(time, { 'tools/call': () => ({ content, structuredContent: { n: 1 }, private: 'kept' }) });
      const seen = [record(client.callTool('add', { a: 1 })), record(client.callTool('none'))];
      time.flush();
      expect(seen[0]!.values).to.deep.equal([{ content, structuredContent: { n: 1 }, private: 'kept' }]);
      expect(server.peer.of('tools/call').map(({ params }) => params)).to.deep.equal([
        { name: 'add', arguments: { a: 1 } },
        { name: 'none', arguments: {} },
      ]);
      void client.close();
    });
  });

  it('is cold: twice subscribed, twice called', () => {
    inVirtualTime((time) => {
      const { client, server } = withTools(time, { 'tools/call': () => ({ content }) });
      const call$ = client.callTool('x');
      expect(server.peer.of('tools/call')).to.have.length(0);
      record(call$);
      record(call$);
      time.flush();
      expect(server.peer.of('tools/call')).to.have.length(2);
      void client.close();
    });
  });

  it('emits progress and the result as one stream of events', () => {
    inVirtualTime((time) => {
      const { client, server } = withTools(time, {
        'tools/call': ({ id }, peer) => {
          time.at(10, () => peer.notify('notifications/progress', { progressToken: id, progress: 1, message: 'half' }));
          time.at(20, () => peer.result(id, { content }));
          return undefined;
        },
      });
      const called: number[] = [];
      const start = time.now();
      const seen = record(client.callTool('x', {}, { observe: 'events', onProgress: ({ progress }) => called.push(progress) }));
      time.flush();
      expect(seen.values).to.deep.equal([
        { type: 'progress', progress: { progressToken: 3, progress: 1, message: 'half' } },
        { type: 'result', result: { content } },
      ]);
      expect(seen.times).to.deep.equal([10, 20]);
      expect(start).to.be.at.least(0);
      expect(called).to.deep.equal([1]);
      expect(server.peer.of('tools/call')[0].params._meta).to.deep.equal({ progressToken: 3 });
      void client.close();
    });
  });

  it('asks for no progress when nobody wants it', () => {
    inVirtualTime((time) => {
      const { client, server } = withTools(time, { 'tools/call': () => ({ content }) });
      record(client.callTool('x', {}));
      time.flush();
      expect(server.peer.of('tools/call')[0].params).not.to.have.property('_meta');
      void client.close();
    });
  });

  it('cancels at the server when unsubscribed [R43]', () => {
    inVirtualTime((time) => {
      const { client, server } = withTools(time, {});
      const seen = record(client.callTool('x'));
      time.at(5, () => seen.unsubscribe());
      time.flush();
      expect(server.peer.of('notifications/cancelled').map(({ params }) => params.requestId)).to.deep.equal([3]);
      void client.close();
    });
  });

  it('a result with isError is a result, unless throwOnToolError() is asked', () => {
    inVirtualTime((time) => {
      const failed = { content: [{ type: 'text', text: 'disk' }, { type: 'image', data: '', mimeType: 'x' }, { type: 'text', text: 'full' }], isError: true };
      const { client } = withTools(time, { 'tools/call': ({ params }) => (params.name === 'bad' ? failed : { content, isError: false }) });
      const plain = record(client.callTool('bad'));
      const thrown = record(client.callTool('bad').pipe(throwOnToolError()));
      const good = record(client.callTool('good').pipe(throwOnToolError()));
      time.flush();
      expect(plain.values).to.deep.equal([failed]);
      expect(thrown.values).to.deep.equal([]);
      expect(thrown.errors[0]).to.be.instanceOf(ToolError);
      expect(thrown.errors[0]).to.include({ name: 'ToolError', message: 'disk\nfull' });
      expect(thrown.errors[0].result).to.deep.equal(failed);
      expect(good.values).to.deep.equal([{ content, isError: false }]);
      void client.close();
    });
  });

  for (const result of [{ isError: true }, { isError: true, content: null }, { isError: true, content: [null, 7, { type: 'text' }, {}] }]) {
    it(`throwOnToolError() takes odd content: ${JSON.stringify(result)}`, () => {
      const seen = record(of(result as unknown as CallToolResult).pipe(throwOnToolError()));
      expect(seen.errors[0]).to.be.instanceOf(ToolError);
      expect(seen.errors[0].message).to.be.a('string').that.is.not.empty;
    });
  }
});
