// A server that does what a test says, on the real clock and in virtual time.
import { expect } from 'chai';
import { filter, firstValueFrom, lastValueFrom, merge, of, take, timer, map, toArray } from 'rxjs';
import { ConfigError, ConnectionClosedError, createClient, createManager, NetworkError, RpcError, withElicitation, withLiveViews, withRoots, type ClientOptions } from '../../lib/index.ts';
import { collect, outcome, runMcpMarbles, scriptedEntries, scriptedServer, withScriptedServers, type ScriptedServer, type ScriptedServerOptions } from '../../lib/testing.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

/** A client of a server, connected; closed again by whoever uses it. */
async function using(options: ScriptedServerOptions, use: (server: ScriptedServer, client: ReturnType<typeof createClient>) => Promise<void>, clientOptions: ClientOptions = {}): Promise<void> {
  const server = scriptedServer(options);
  const client = createClient(server.open, clientOptions);
  expect((await outcome(client.connect())).error).to.equal(undefined);
  try {
    await use(server, client);
  } finally {
    await outcome(client.close());
  }
}

describe('scriptedServer()', () => {
  for (const era of ['legacy', 'modern'] as const) {
    describe(`of the ${era} era`, () => {
      it('opens by itself, and says what it offers', () =>
        using({ era, tools: [tool('echo')], serverInfo: { name: 'mine', version: '7' }, instructions: 'be brief' }, async (server, client) => {
          expect(client.serverInfo).to.deep.equal({ name: 'mine', version: '7' });
          expect(client.instructions).to.equal('be brief');
          expect(client.protocolVersion).to.equal(era === 'legacy' ? '2025-11-25' : '2026-07-28');
          expect(client.capabilities).to.deep.equal({ tools: { listChanged: true } });
          expect(await lastValueFrom(client.listTools())).to.deep.equal([tool('echo')]);
          expect(server.unexpected).to.deep.equal([]);
        }));

      it('answers with a result, or with what a function makes of the params', () =>
        using({ era }, async (server, client) => {
          server.when('tools/call', { name: 'fixed' }).answer(text('fixed'));
          server.when('tools/call', { name: 'echo' }).answer(({ arguments: args }) => text(String(args?.text)));
          server.when('tools/call', { name: 'later' }).answer(() => timer(1).pipe(map(() => text('later'))));
          for (const [name, expected] of [['fixed', 'fixed'], ['echo', 'hello'], ['later', 'later']] as const) {
            expect(await lastValueFrom(client.callTool(name, { text: 'hello' }))).to.deep.equal(text(expected));
          }
        }));

      it('answers with errors: those written, and those that a function throws', () =>
        using({ era }, async (server, client) => {
          server.when('prompts/get').fail(-32602, 'no such prompt', { name: 'x' });
          server.when('resources/read', { uri: 'a:b' }).answer(() => {
            throw new RpcError(-32002, 'gone');
          });
          server.when('resources/read', { uri: 'a:c' }).answer(() => {
            throw new TypeError('a mistake');
          });
          expect((await outcome(client.getPrompt('x'))).error).to.deep.include({ code: -32602, detail: 'no such prompt', data: { name: 'x' } });
          expect((await outcome(client.readResource('a:b'))).error).to.deep.include({ code: -32002, detail: 'gone' });
          expect((await outcome(client.readResource('a:c'))).error).to.deep.include({ code: -32603, detail: 'a mistake' });
        }));

      it('refuses what nothing was written for, and remembers it', () =>
        using({ era, tools: [] }, async (server, client) => {
          server.when('tools/call', { name: 'known' }).answer(text('yes'));
          expect((await outcome(client.callTool('unknown'))).error).to.be.instanceOf(RpcError).and.deep.include({ code: -32601 });
          expect((await outcome(client.listPrompts())).error).to.deep.include({ code: -32601 });
          expect(server.unexpected.map(({ method }) => method)).to.deep.equal(['tools/call', 'prompts/list']);
          expect(server.receivedOf('tools/call')).to.have.length(1);
        }));

      it('takes rules with a number first, as written, then the newest of the others', () =>
        using({ era }, async (server, client) => {
          server.when('tools/call').answer(text('old'));
          server.when('tools/call').once().answer(text('first')).when('tools/call').times(2).answer(text('then'));
          server.when('tools/call', ({ name }) => name === 'x').answer(text('new'));
          const texts = [];
          for (let n = 0; n < 4; n++) texts.push(await lastValueFrom(client.callTool('x')));
          expect(texts).to.deep.equal(['first', 'then', 'then', 'new'].map(text));
        }));

      it('plays its steps in the order in which they are written, and stops when it is cancelled', () => {
        runMcpMarbles({ era, client: { features: [] } }, ({ client, server, expectObservable }) => {
          server.when('tools/call').after(2).progress({ progress: 1 }).log('info', 'half').after(3).answer(text('done'));
          const events$ = client.callTool('x', {}, { observe: 'events' }).pipe(map((event) => event.type));
          expectObservable(events$).toBe('--p--(r|)', { p: 'progress', r: 'result' });
          expectObservable(events$, '^--!').toBe('--p', { p: 'progress' });
          expectObservable(client.logs$.pipe(map(({ data }) => data))).toBe('--(hh)', { h: 'half' });
        });
      });

      it('sends no progress to who asked for none, and nothing about a call that was cancelled', () => {
        runMcpMarbles({ era }, ({ client, server, expectObservable }) => {
          server.when('tools/call').progress({ progress: 1 }).after(5).answer(text('done'));
          expectObservable(client.callTool('x')).toBe('-----(r|)', { r: text('done') });
          expectObservable(client.callTool('x'), '^-!').toBe('');
          expectObservable(merge(client.notifications$, client.diagnostics$)).toBe('');
        });
      });

      it('can be silent, and can die', () =>
        using({ era }, async (server, client) => {
          server.when('tools/call', { name: 'silent' }).silent();
          server.when('tools/call', { name: 'deadly' }).close();
          const silent = collect(client.callTool('silent'));
          expect((await outcome(client.callTool('deadly'))).error).to.be.instanceOf(ConnectionClosedError);
          expect(silent.error).to.be.instanceOf(ConnectionClosedError);
          expect(server.connections.map(({ closed }) => closed)).to.deep.equal([true]);
        }));

      it('makes a new connection each time a client connects', () =>
        using({ era, tools: [tool('a')] }, async (server, client) => {
          server.close();
          await firstValueFrom(client.state$.pipe(take(2), toArray()));
          await outcome(client.connect());
          expect(await lastValueFrom(client.listTools())).to.deep.equal([tool('a')]);
          expect(server.connections.map(({ closed }) => closed)).to.deep.equal([true, false]);
          expect(server.connection.received.at(-1)).to.have.property('method', 'tools/list');
        }));

      it('is not there while it is stopped', () =>
        using({ era }, async (server, client) => {
          const cause = new NetworkError('http://test', 'ECONNREFUSED', undefined, undefined);
          server.stop(cause);
          expect((await outcome(client.connect())).error).to.equal(cause);
          server.start();
          expect((await outcome(client.connect())).error).to.equal(undefined);
        }));

      it('tells of changes to what it offers, to who wants to know', () => {
        const lists = { tools: [tool('a')], prompts: [{ name: 'p' }], resources: [{ uri: 'a:1', name: '1' }], resourceTemplates: [] };
        runMcpMarbles({ era, ...lists, client: { features: [withLiveViews()] } }, ({ client, server, advance }) => {
          server.when('resources/read').answer(({ uri }) => ({ contents: [{ uri, text: `read ${server.receivedOf('resources/read').length}` }] }));
          const seen = [client.tools$, client.prompts$, client.resources$, client.resourceTemplates$, client.resource$('a:1')].map((list$) => collect<any>(list$));
          advance(1_000);
          const updated = collect(client.notifications$.pipe(filter(({ method }) => method === 'notifications/resources/updated'), map(({ params }) => params?.uri)));
          server.setTools([tool('b')]);
          server.setPrompts([]);
          server.setResources([]);
          server.setResourceTemplates([{ uriTemplate: 'a:{x}', name: 'x' }]);
          server.resourceUpdated('a:1');
          server.resourceUpdated('a:2');
          advance(1_000);
          expect(seen.slice(0, 4).map(({ values }) => values)).to.deep.equal([
            [[tool('a')], [tool('b')]],
            [[{ name: 'p' }], []],
            [[{ uri: 'a:1', name: '1' }], []],
            [[], [{ uriTemplate: 'a:{x}', name: 'x' }]],
          ]);
          expect(updated.values).to.deep.equal(['a:1']); // a:2 is nobody's
          expect(seen[4]?.values.at(-1).contents[0].text).to.equal(`read ${server.receivedOf('resources/read').length}`);
          expect(server.receivedOf('resources/read')).to.have.length.above(1);
          for (const view of seen) view.unsubscribe();
          advance(1_000);
          const before = server.received.length;
          const notifications = collect(client.notifications$);
          server.setTools([]);
          server.resourceUpdated('a:1');
          advance(1_000);
          expect(server.received).to.have.length(before); // nobody fetches
          expect(notifications.values.map(({ method }) => method)).to.deep.equal(era === 'legacy' ? ['notifications/tools/list_changed'] : []);
          expect(server.unexpected).to.deep.equal([]);
        });
      });

      it('sends any notification, and anything else', () =>
        using({ era }, async (server, client) => {
          const all = Promise.all([firstValueFrom(client.notifications$), firstValueFrom(client.diagnostics$.pipe(take(2), toArray()))]);
          server.notify('notifications/message', { level: 'info', data: 'all' });
          server.connection.send({ id: 99, result: {} });
          server.connection.send({ neither: true });
          const [notification, odd] = await all;
          expect(notification).to.deep.equal({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'all' } });
          expect(odd.map(({ kind }) => kind)).to.deep.equal(['unmatched-answer', 'not-json-rpc']);
        }));

      it('hands over copies, as a wire does', () =>
        using({ era }, async (server, client) => {
          const result = text('first');
          server.when('tools/call').answer(result);
          const args = { list: [1] };
          const got = await lastValueFrom(client.callTool('x', args));
          args.list.push(2);
          expect(got).to.deep.equal(result);
          expect(got === (result as object)).to.equal(false);
          expect((server.receivedOf('tools/call')[0] as any).params.arguments).to.deep.equal({ list: [1] });
          expect((await outcome(client.callTool('x', { n: 1n }))).error).to.be.instanceOf(ConfigError);
        }));
    });
  }

  it('asks the client, and gets its answers', () =>
    using(
      { era: 'legacy' },
      async (server) => {
        expect(await lastValueFrom(server.request('elicitation/create', { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }))).to.deep.equal({ action: 'accept', content: { name: 'Ada' } });
        expect(await lastValueFrom(server.request('roots/list'))).to.deep.equal({ roots: [{ uri: 'file:///a' }] });
        expect((await outcome(server.request('sampling/createMessage'))).error).to.be.instanceOf(RpcError).and.deep.include({ code: -32601 });
      },
      { features: [withElicitation(() => [{ action: 'accept', content: { name: 'Ada' } }]), withRoots([{ uri: 'file:///a' }] as never)] },
    ));

  it('takes a question back, and gets none answered once the connection is over', () =>
    runMcpMarbles({ era: 'legacy', client: { requestHandlers: { 'x/ask': () => timer(5).pipe(map(() => ({}))) } } }, ({ server, when, expectObservable, expectOutbound }) => {
      expectObservable(server.request('x/ask'), '^--!').toBe('');
      expectObservable(server.request('x/ask')).toBe('-----(r|)', { r: {} });
      expectObservable(server.request('x/ask'), '-------^').toBe('--------#', undefined, new ConnectionClosedError());
      when('--------c', { c: () => { server.close(); } });
      expectOutbound('-----r', { r: { id: 'server-2', result: {} } });
    }));

  it('has no requests of its own in the modern era, and says so', () => {
    expect(collect(scriptedServer().request('roots/list')).error).to.be.instanceOf(ConfigError).with.property('message').that.includes('input_required');
  });

  it('says that nobody has connected', () => {
    expect(() => scriptedServer().connection).to.throw(ConfigError, 'No client has connected');
  });

  it('asks by results of the kind input_required, in the modern era', () =>
    using(
      {},
      async (server, client) => {
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
        server.when('tools/call').once().answer({ resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } } } });
        server.when('tools/call').answer(({ inputResponses }: any) => text(inputResponses.who.content.name));
        expect(await lastValueFrom(client.callTool('greet'))).to.deep.equal(text('Ada'));
      },
      { features: [withElicitation(() => of({ action: 'accept', content: { name: 'Ada' } }))] },
    ));

  it('is one of many for the manager of an application', async () => {
    const servers = { one: scriptedServer({ tools: [tool('a')] }), two: scriptedServer({ era: 'legacy', tools: [tool('b')] }) };
    servers.two.when('tools/call').answer(text('two'));
    const manager = createManager([scriptedEntries(servers)], { client: { features: [withScriptedServers()] } });
    await outcome(manager.discoverAndConnect());
    const tools = await firstValueFrom(manager.tools$);
    expect(tools.map(({ name }) => name)).to.deep.equal(['one__a', 'two__b']);
    expect(await lastValueFrom(manager.callTool('two__b'))).to.deep.equal(text('two'));
    await outcome(manager.close());
    expect(servers.two.connections.map(({ closed }) => closed)).to.deep.equal([true]);
  });
});
