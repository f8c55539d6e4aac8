import '@angular/compiler'; // first: what follows is compiled when it is loaded
import { createEnvironmentInjector, EnvironmentInjector, Injector, runInInjectionContext, signal, type Type } from '@angular/core';
import { expect } from 'chai';
import { BehaviorSubject, firstValueFrom } from 'rxjs';
import { injectMcp, provideMcp, withMcpOptions, type McpRef } from '../../lib/angular.ts';
import { ConfigError, memoryStore, withElicitation, type CacheEntry, type ServerEntry } from '../../lib/index.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { legacyScript, type ScriptedServer } from '../support/peer.ts';
import { component, endApps, inPage, server, start } from './app.ts';

const initialized = (capabilities: object) => ({ initialize: ({ params }: any) => ({ protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 's', version: '1' } }) });
const legacy = (script = {}, tools?: string[]) => server(legacyScript(script), tools);
const providing = ({ open }: ScriptedServer, ...options: Parameters<typeof withMcpOptions>[0][]) => provideMcp({ open }, ...options.map(withMcpOptions));

inPage('injectMcp()', () => {
  afterEach(endApps);

  it('connects when it is first asked for, and once', async () => {
    const one = legacy();
    const { mcp, run } = await start([providing(one)]);
    expect(run(injectMcp)).to.equal(mcp);
    await until(() => mcp.status() === 'ready');
    expect(one.peers).to.have.length(1);
    expect(mcp.servers().map(({ name, state }) => `${name} ${state.phase}`)).to.deep.equal(['mcp ready']);
  });

  it('connects nothing in an application that does not ask', async () => {
    class Quiet {
      readonly isQuiet = true;
    }
    const one = legacy();
    const { stable } = await start([providing(one)], component('quiet', Quiet));
    await stable();
    expect(one.peers).to.be.empty;
  });

  it('says what is missing where nothing was provided', async () => {
    const { run } = await start([]);
    expect(() => run(injectMcp)).to.throw('provideMcp()');
    expect(() => injectMcp()).to.throw('NG0203');
  });

  it('shows the tools in a template, and follows them', async () => {
    const names = ['echo'];
    const one = legacy({
      ...initialized({ tools: { listChanged: true } }),
      'tools/list': () => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    });
    class Page {
      mcp = injectMcp();
    }
    const { text } = await start([providing(one)], component('@for (one of mcp.tools(); track one.name) {<i>{{ one.tool.name }} </i>}', Page));
    await until(() => text() === 'echo ');
    names.push('sum');
    one.peer.notify('notifications/tools/list_changed');
    await until(() => text() === 'echo sum ');
  });

  it('asks for a list when its signal is first read', async () => {
    const one = legacy({
      ...initialized({ tools: {}, prompts: {}, resources: {} }),
      'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
      'resources/list': () => ({ resources: [{ name: 'r', uri: 'x:r' }] }),
    });
    const { mcp } = await start([providing(one)]);
    await until(() => mcp.status() === 'ready');
    expect(one.methods).to.not.include('prompts/list').and.not.include('resources/list');
    await until(() => mcp.prompts().length + mcp.resources().length === 2);
    expect(mcp.prompts()).to.deep.equal([{ server: 'mcp', prompt: { name: 'greet' } }]);
    expect(mcp.resources()).to.deep.equal([{ server: 'mcp', resource: { name: 'r', uri: 'x:r' } }]);
    expect(one.methods.filter((method) => method === 'prompts/list')).to.have.length(1);
  });

  it('keeps the latest 200 logs, from when they are first read', async () => {
    const one = legacy();
    const { mcp } = await start([providing(one)]);
    await until(() => mcp.status() === 'ready');
    expect(mcp.logs()).to.deep.equal([]);
    for (let n = 1; n <= 203; n++) one.peer.notify('notifications/message', { level: 'info', data: n });
    await until(() => mcp.logs().at(-1)?.log.data === 203);
    expect(mcp.logs()).to.have.length(200);
    expect(mcp.logs()[0]).to.deep.equal({ server: 'mcp', log: { level: 'info', data: 4 } });
  });

  it('shows questions to the user until they are answered or withdrawn', async () => {
    const one = legacy();
    const { mcp } = await start([providing(one, { client: { features: [withElicitation('stream')] } })]);
    expect(mcp.elicitations()).to.deep.equal([]);
    await until(() => mcp.status() === 'ready');
    for (const id of ['first', 'second']) {
      one.peer.send({ id, method: 'elicitation/create', params: { message: id, requestedSchema: { type: 'object', properties: {} } } });
    }
    await until(() => mcp.elicitations().length === 2);
    expect(mcp.elicitations().map(({ elicitation }) => elicitation.params.message)).to.deep.equal(['first', 'second']);
    mcp.elicitations()[0]!.elicitation.accept({ name: 'Ada' });
    await until(() => mcp.elicitations().length === 1);
    expect(mcp.elicitations()[0]!.elicitation.params.message).to.equal('second');
    await until(() => one.peer.received.find(({ id, result }) => id === 'first' && result.content.name === 'Ada'));
    one.peer.notify('notifications/cancelled', { requestId: 'second' });
    await until(() => mcp.elicitations().length === 0);
  });

  it('tells what is wrong with a server, and that it is back', async () => {
    let isDown = true;
    const one = legacy({ initialize: (message: any) => (isDown ? { protocolVersion: '1999-01-01' } : initialized({ tools: {} }).initialize(message)) });
    const { mcp } = await start([providing(one, { healing: {} })]);
    await until(() => mcp.error() !== undefined);
    expect(mcp.status()).to.not.equal('ready');
    expect(mcp.servers()[0]?.state.cause).to.equal(mcp.error());
    isDown = false;
    mcp.manager.reconnect('mcp');
    await until(() => mcp.status() === 'ready' && mcp.error() === undefined);
  });

  it('calls tools of one server by their own names; many need the names of the list, or the server', async () => {
    const one = await start([providing(legacy())]);
    const { values } = await outcome(one.mcp.callTool('echo', { a: 1 }));
    expect(values.map(({ content }) => content)).to.deep.equal([[{ type: 'text', text: 'echo {"a":1}' }]]);
    const many = await start([provideMcp({ servers: [[]] })]);
    expect((await errorOf(many.mcp.callTool('echo', {}))).name).to.equal('ToolUnavailableError');
    expect(await errorOf(many.mcp.resource$('x:r'))).to.be.instanceOf(ConfigError);
    expect(many.mcp.client()).to.equal(undefined);
  });

  it('gives the client, and tells progress when asked to', async () => {
    const one = legacy({
      'tools/call': ({ params: { _meta } }: any, peer: any) => {
        peer.notify('notifications/progress', { progressToken: _meta.progressToken, progress: 1, total: 2 });
        return { content: [] };
      },
    });
    const { mcp } = await start([providing(one)]);
    const { values } = await outcome(mcp.callTool('echo', {}, { observe: 'events' }));
    expect(values.map(({ type }) => type)).to.include.members(['progress', 'result']);
    expect(mcp.client()?.serverInfo?.name).to.equal('legacy');
    expect(mcp.client('mcp')).to.equal(mcp.client());
  });

  it('a call counts as a pending task until it ends, however it ends', async () => {
    const one = legacy({ 'tools/call': () => undefined });
    const { mcp, ref } = await start([providing(one)]);
    await until(() => mcp.status() === 'ready');
    let isStable = false;
    ref.isStable.subscribe((now) => (isStable = now));
    await until(() => isStable);
    const calling = mcp.callTool('echo', {}).subscribe();
    await until(() => one.peer.of('tools/call').length === 1);
    expect(isStable).to.equal(false);
    calling.unsubscribe();
    await until(() => isStable);
    await until(() => one.peer.of('notifications/cancelled').length === 1);
  });

  it('is followed by servers that come and go', async () => {
    const entries$ = new BehaviorSubject<ServerEntry[]>([]);
    const { mcp } = await start([provideMcp(() => ({ servers: entries$ }), withMcpOptions({ gateMs: 0 }))]);
    expect(mcp.status()).to.equal('waiting');
    entries$.next([{ name: 'gone', enabled: false, config: { type: 'http', url: 'http://127.0.0.1:1/' } as never }]);
    await until(() => mcp.servers().length === 1);
    expect(mcp.status()).to.equal('disabled');
    entries$.next([]);
    await until(() => mcp.servers().length === 0);
  });

  describe('ends', () => {
    it('with the application', async () => {
      const one = legacy();
      const { mcp, ref } = await start([providing(one)]);
      await until(() => mcp.status() === 'ready');
      let isDone = false;
      mcp.manager.servers$.subscribe({ complete: () => (isDone = true) });
      ref.destroy();
      await until(() => one.peers.every(({ closed }) => closed) && isDone);
      expect(one.peers).to.have.length(1);
    });

    it('with an application that is destroyed while it connects', async () => {
      const one = legacy({ initialize: () => undefined });
      const { mcp, ref } = await start([providing(one)]);
      expect(mcp.status()).to.not.equal('ready');
      await until(() => one.methods.includes('initialize'));
      ref.destroy();
      await until(() => one.peer.closed);
    });

    it('with the component that provides it; each has its own', async () => {
      const one = legacy();
      const isShown = signal(true);
      class Part {
        mcp = injectMcp();
      }
      const part = component('{{ mcp.status() }} ', Part, { selector: 'part', providers: [providing(one)] });
      class Page {
        isShown = isShown;
      }
      const page = component('@if (isShown()) {<part /><part />}', Page, { imports: [part] });
      const { text } = await start([], page);
      await until(() => text() === 'ready ready ');
      expect(one.peers).to.have.length(2);
      isShown.set(false);
      await until(() => one.peers.every(({ closed }) => closed));
    });

    it('with the injector of a route', async () => {
      const one = legacy();
      const { ref } = await start([]);
      const route = createEnvironmentInjector([providing(one)], ref.injector.get(EnvironmentInjector));
      const mcp = runInInjectionContext(route.get(Injector), injectMcp);
      await until(() => mcp.status() === 'ready');
      route.destroy();
      await until(() => one.peer.closed);
    });
  });

  it('two applications in one page have nothing in common', async () => {
    const servers = [legacy({}, ['left']), legacy({}, ['right'])];
    class Page {
      mcp: McpRef = injectMcp();
    }
    const page = (): Type<unknown> => component('{{ mcp.tools()[0]?.tool?.name }}', class extends Page {});
    const [left, right] = [await start([providing(servers[0]!)], page()), await start([providing(servers[1]!)], page())];
    await until(() => left.text() === 'left' && right.text() === 'right');
    left.ref.destroy();
    await until(() => servers[0]!.peer.closed);
    expect(servers[1]!.peer.closed).to.equal(false);
    expect((await firstValueFrom(right.mcp.callTool('right'))).content).to.have.length(1);
  });

  it('keeps the lists in the store that is given, too', async () => {
    const kept: CacheEntry[] = [];
    const store = memoryStore();
    const { mcp, ref } = await start([providing(legacy(), { store: { get: store.get, set: (key, entry) => (kept.push(entry), store.set(key, entry)) } })]);
    await until(() => mcp.tools().length === 1);
    expect(kept.filter((entry) => JSON.stringify(entry).includes('"name":"echo"'))).to.have.length(1);
    ref.destroy();
    const slow = await start([providing(legacy({ initialize: () => undefined }), { store })]);
    await until(() => slow.mcp.tools().length === 1);
    expect(slow.mcp.tools()[0]).to.include({ deferred: true });
  });
});
