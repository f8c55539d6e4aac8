import '@angular/compiler'; // first: what follows is compiled when it is loaded
import { signal } from '@angular/core';
import { expect } from 'chai';
import { mcpResource, mcpTool, provideMcp, type McpToolRef } from '../../lib/angular.ts';
import type { JsonObject } from '../../lib/index.ts';
import { until } from '../support/outcome.ts';
import { legacyScript, Refusal } from '../support/peer.ts';
import { component, endApps, inPage, server, start } from './app.ts';

const texts = (resource: McpToolRef) => resource.value()?.content.map((block) => (block as { text: string }).text);

inPage('mcpTool()', () => {
  afterEach(endApps);

  /** An application with one call in it, of a tool that ends when told to. */
  async function calling(first: JsonObject | undefined, reaction: (message: any, peer: any) => object | undefined = () => undefined) {
    const one = server(legacyScript({ 'tools/call': reaction }), ['echo', 'other']);
    const app = await start([provideMcp({ open: one.open })]);
    const args = signal(first);
    const tool = signal('echo');
    const resource = app.run(() => mcpTool({ tool, args }));
    const sent = () => one.peers.flatMap((peer) => peer.of('tools/call'));
    const cancelled = () => one.peers.flatMap((peer) => peer.of('notifications/cancelled').map(({ params }) => params.requestId));
    const answer = (n: number, text: string) => one.peer.result(sent()[n].id, { content: [{ type: 'text', text }] });
    return { ...app, one, args, tool, resource, sent, cancelled, answer };
  }

  it('has the shape of a Resource', async () => {
    const { args, resource, answer, sent } = await calling(undefined);
    expect(resource.status()).to.equal('idle');
    expect([resource.isLoading(), resource.value(), resource.error(), resource.hasValue(), resource.reload()]).to.deep.equal([false, undefined, undefined, false, false]);
    args.set({ a: 1 });
    await until(() => sent().length === 1);
    expect([resource.status(), resource.isLoading(), resource.hasValue()]).to.deep.equal(['loading', true, false]);
    answer(0, 'done');
    await until(() => resource.status() === 'resolved');
    expect([texts(resource), resource.isLoading(), resource.hasValue(), resource.error()]).to.deep.equal([['done'], false, true, undefined]);
  });

  it('calls nothing without arguments', async () => {
    const { one, resource, mcp, stable } = await calling(undefined);
    await until(() => mcp.status() === 'ready');
    await stable();
    expect(one.methods).to.not.include('tools/call');
    expect(resource.status()).to.equal('idle');
  });

  it('calls again when arguments or tool change, and cancels what is under way', async () => {
    const { args, tool, resource, sent, cancelled, answer } = await calling({ a: 1 });
    await until(() => sent().length === 1);
    args.set({ a: 2 });
    await until(() => sent().length === 2 && cancelled().length === 1);
    expect(cancelled()).to.deep.equal([sent()[0].id]);
    tool.set('other');
    await until(() => sent().length === 3 && cancelled().length === 2);
    expect(sent().map(({ params }) => [params.name, params.arguments])).to.deep.equal([['echo', { a: 1 }], ['echo', { a: 2 }], ['other', { a: 2 }]]);
    answer(0, 'too late');
    answer(2, 'right');
    await until(() => resource.status() === 'resolved');
    expect(texts(resource)).to.deep.equal(['right']);
  });

  it('cancels when the arguments are taken back', async () => {
    const { args, resource, sent, cancelled } = await calling({});
    await until(() => sent().length === 1);
    args.set(undefined);
    await until(() => cancelled().length === 1);
    expect(resource.status()).to.equal('idle');
  });

  it('calls again on reload', async () => {
    const { resource, sent, answer } = await calling({ a: 1 });
    await until(() => sent().length === 1);
    expect(resource.reload()).to.equal(false);
    answer(0, 'first');
    await until(() => resource.status() === 'resolved');
    expect(resource.reload()).to.equal(true);
    await until(() => sent().length === 2);
    expect(resource.status()).to.equal('reloading');
    answer(1, 'second');
    await until(() => texts(resource)?.[0] === 'second');
  });

  it('tells progress and logs of the call, from the start with each call', async () => {
    const { args, resource, sent, one } = await calling({ a: 1 });
    await until(() => sent().length === 1);
    const { progressToken } = sent()[0].params._meta;
    one.peer.notify('notifications/progress', { progressToken, progress: 1, total: 3, message: 'one' });
    await until(() => resource.progress() !== undefined);
    expect(resource.progress()).to.include({ progress: 1, total: 3, message: 'one' });
    expect(resource.logs()).to.deep.equal([]);
    args.set({ a: 2 });
    await until(() => sent().length === 2);
    expect(resource.progress()).to.equal(undefined);
  });

  it('has an answer with isError as its value, and a refusal as its error', async () => {
    const wrong = await calling({}, () => ({ content: [], isError: true }));
    await until(() => wrong.resource.status() === 'resolved');
    expect(wrong.resource.value()?.isError).to.equal(true);
    const refused = await calling({}, () => {
      throw new Refusal(-32602, 'no such thing');
    });
    await until(() => refused.resource.status() === 'error');
    expect(refused.resource.error()).to.include({ name: 'RpcError', message: 'MCP error -32602: no such thing' });
    expect([refused.resource.hasValue(), refused.resource.isLoading()]).to.deep.equal([false, false]);
  });

  it('cancels when it is destroyed, and calls no more', async () => {
    const { resource, args, sent, cancelled, stable } = await calling({});
    await until(() => sent().length === 1);
    resource.destroy();
    await until(() => cancelled().length === 1);
    args.set({ again: true });
    await stable();
    expect(sent()).to.have.length(1);
  });

  it('cancels when its view goes', async () => {
    const one = server(legacyScript({ 'tools/call': () => undefined }));
    const isShown = signal(true);
    class Part {
      call = mcpTool({ tool: 'echo', args: () => ({}) });
    }
    class Page {
      isShown = isShown;
    }
    const part = component('{{ call.status() }}', Part, { selector: 'part' });
    const { text } = await start([provideMcp({ open: one.open })], component('@if (isShown()) {<part />}', Page, { imports: [part] }));
    await until(() => one.peers[0]?.of('tools/call').length === 1);
    expect(text()).to.equal('loading');
    isShown.set(false);
    await until(() => one.peer.of('notifications/cancelled').length === 1);
    expect(one.peer.closed).to.equal(false);
  });

  it('keeps the application from being stable until there is a result', async () => {
    const { ref, sent, answer } = await calling({});
    await until(() => sent().length === 1);
    let isStable: boolean | undefined;
    ref.isStable.subscribe((now) => (isStable = now));
    expect(isStable).to.equal(false);
    answer(0, 'done');
    await until(() => isStable);
  });

  it('takes an injector, and without one wants an injection context', async () => {
    const { injector } = await start([provideMcp({ open: server(legacyScript()).open })]);
    const options = { tool: 'echo', args: () => ({ b: 2 }) };
    const resource = mcpTool({ ...options, injector });
    await until(() => texts(resource)?.[0] === 'echo {"b":2}');
    expect(() => mcpTool(options)).to.throw('NG0203');
    expect(() => mcpResource({ uri: () => 'x:r' })).to.throw('NG0203');
  });
});

inPage('mcpResource()', () => {
  afterEach(endApps);

  async function reading(first: string | undefined) {
    let version = 1;
    const one = server(
      legacyScript({
        initialize: ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: { resources: { subscribe: true } }, serverInfo: { name: 's', version: '1' } }),
        'resources/read': ({ params: { uri } }) => {
          if (uri === 'x:none') throw new Refusal(-32002, 'none');
          return { contents: [{ uri, text: `${uri} ${version}` }] };
        },
        'resources/subscribe': () => ({}),
        'resources/unsubscribe': () => ({}),
      }),
    );
    const app = await start([provideMcp({ open: one.open })]);
    const uri = signal(first);
    const resource = app.run(() => mcpResource({ uri }));
    const text = () => (resource.hasValue() ? (resource.value().contents[0] as { text: string }).text : undefined);
    const change = () => {
      version++;
      one.peer.notify('notifications/resources/updated', { uri: uri() });
    };
    return { ...app, one, uri, resource, text, change };
  }

  it('reads, and reads again when the server says so', async () => {
    const { text, change, resource } = await reading('x:a');
    await until(() => text() === 'x:a 1');
    change();
    await until(() => text() === 'x:a 2');
    expect(resource.status()).to.equal('resolved');
  });

  it('leaves one resource for another', async () => {
    const { text, uri, one } = await reading('x:a');
    await until(() => text() === 'x:a 1');
    uri.set('x:b');
    await until(() => text() === 'x:b 1' && one.peer.of('resources/unsubscribe').length === 1);
    expect(one.peer.of('resources/unsubscribe')[0].params.uri).to.equal('x:a');
    uri.set(undefined);
    await until(() => one.peer.of('resources/unsubscribe').length === 2);
  });

  it('reads nothing without a URI, and has what went wrong as its error', async () => {
    const { resource, uri, one, mcp } = await reading(undefined);
    await until(() => mcp.status() === 'ready');
    expect(resource.status()).to.equal('idle');
    expect(one.methods).to.not.include('resources/read');
    uri.set('x:none');
    await until(() => resource.status() === 'error');
    expect(resource.error()?.message).to.equal('MCP error -32002: none');
  });
});
