import { expect } from 'chai';
import { take, type Observable } from 'rxjs';
import { RpcError } from '../../lib/errors.ts';
import { createClient, type McpClient } from '../../lib/index.ts';
import { legacyScript, modernScript, Refusal, ScriptedServer, type Reaction, type Script } from '../support/peer.ts';
import { inVirtualTime, record, type VirtualTime } from '../support/test-scheduler.ts';

/** A client, and a server that reacts like this. */
function connectedTo(time: VirtualTime, reactions: Record<string, Reaction>, script: (more: Script) => Script = legacyScript) {
  const server = new ScriptedServer(script(reactions));
  const client = createClient(server.open);
  void client.connect();
  time.flush();
  return { server, client, params: (method: string) => server.peer.of(method).map(({ params }) => params) };
}

/** Serves three pages, the second empty; the third begins with what was listed before. */
const paged = (key: string, idKey: string): Reaction => ({ params }) => {
  const item = (id: string) => ({ name: `the ${id}`, [idKey]: id, extra: { of: id } });
  if (params?.cursor === undefined) return { [key]: [item('a'), item('b')], nextCursor: 'p2' };
  if (params.cursor === 'p2') return { [key]: [], nextCursor: 'p3' };
  return { [key]: [item('b'), item('c'), { title: 'nameless' }, null] };
};

for (const [name, method, key, idKey] of [
  ['listPrompts', 'prompts/list', 'prompts', 'name'],
  ['listResources', 'resources/list', 'resources', 'uri'],
  ['listResourceTemplates', 'resources/templates/list', 'resourceTemplates', 'uriTemplate'],
] as const) {
  describe(name, () => {
    const list = (client: McpClient, options?: object) => client[name](options as { observe: 'all' }) as Observable<any>;
    const ids = (values: any[]): unknown => values.map((value) => (Array.isArray(value) ? value.map((item) => item[idKey]) : value[idKey]));

    it('gives all of all pages in one array, each once, as the server describes them [B86]', () => {
      inVirtualTime((time) => {
        const { client, params } = connectedTo(time, { [method]: paged(key, idKey) });
        const seen = record(list(client));
        time.flush();
        expect(ids(seen.values)).to.deep.equal([['a', 'b', 'c']]);
        expect(seen.values[0][0]).to.deep.equal({ name: 'the a', [idKey]: 'a', extra: { of: 'a' } });
        expect(seen.completed).to.equal(1);
        expect(params(method)).to.deep.equal([undefined, { cursor: 'p2' }, { cursor: 'p3' }]);
        void client.close();
      });
    });

    it('gives each page as it comes, or one item at a time', () => {
      inVirtualTime((time) => {
        const { client } = connectedTo(time, { [method]: paged(key, idKey) });
        const pages = record(list(client, { observe: 'pages' }));
        const items = record(list(client, { observe: 'items' }));
        time.flush();
        expect(ids(pages.values)).to.deep.equal([['a', 'b'], [], ['c']]);
        expect(ids(items.values)).to.deep.equal(['a', 'b', 'c']);
        void client.close();
      });
    });

    it('asks for no page that nobody wants', () => {
      inVirtualTime((time) => {
        const { client, params } = connectedTo(time, { [method]: paged(key, idKey) });
        const seen = record(list(client, { observe: 'items' }).pipe(take(2)));
        time.flush();
        expect(ids(seen.values)).to.deep.equal(['a', 'b']);
        expect(params(method)).to.have.length(1);
        void client.close();
      });
    });

    it('is cold, fails with the error of a page, and cancels the one it waits for', () => {
      inVirtualTime((time) => {
        const { client, server, params } = connectedTo(time, {
          [method]: ({ params: asked }) => {
            if (asked?.cursor === 'bad') throw new Refusal(-32602, 'Invalid cursor');
            return asked?.cursor === undefined ? { [key]: [], nextCursor: server.peer.of(method).length > 1 ? 'mute' : 'bad' } : undefined;
          },
        });
        const list$ = list(client);
        expect(params(method)).to.deep.equal([]);
        const failed = record(list$);
        time.flush();
        expect(failed.values).to.deep.equal([]);
        expect(failed.errors[0]).to.be.instanceOf(RpcError).with.property('code', -32602);
        const left = record(list$);
        time.at(10, () => left.unsubscribe());
        time.flush();
        expect(server.peer.of('notifications/cancelled').map(({ params: { requestId } }) => requestId)).to.deep.equal([server.peer.of(method).at(-1).id]);
        void client.close();
      });
    });

    it('passes options on', () => {
      inVirtualTime((time) => {
        const { client, params } = connectedTo(time, { [method]: () => undefined });
        const seen = record(list(client, { timeoutMs: 25, meta: { trace: 'x' } }));
        time.flush();
        expect(seen.errors.map(({ message }) => message)).to.deep.equal(['Request timeout after 25ms']);
        expect(params(method)).to.deep.equal([{ _meta: { trace: 'x' } }]);
        void client.close();
      });
    });
  });
}

describe('readResource', () => {
  const contents = [{ uri: 'file:///a', text: 'A', mimeType: 'text/plain' }, { uri: 'file:///a/b', blob: 'QUI=' }];

  it('sends the URI as it is, and emits all contents', () => {
    inVirtualTime((time) => {
      const { client, params } = connectedTo(time, { 'resources/read': () => ({ contents, private: 'kept' }) });
      const seen = [record(client.readResource('file:///a b?c#é')), record(client.readResource('', { meta: { trace: 'x' } }))];
      expect(params('resources/read')).to.deep.equal([]);
      time.flush();
      for (const each of seen) expect(each).to.deep.include({ values: [{ contents, private: 'kept' }], completed: 1 });
      expect(params('resources/read')).to.deep.equal([{ uri: 'file:///a b?c#é' }, { uri: '', _meta: { trace: 'x' } }]);
      void client.close();
    });
  });

  it('is cold, fails as the server says, and cancels', () => {
    inVirtualTime((time) => {
      let refuses = true;
      const { client, server } = connectedTo(time, {
        'resources/read': () => {
          if (refuses) throw new Refusal(-32002, 'Resource not found', { uri: 'x' });
          return undefined;
        },
      });
      const read$ = client.readResource('x');
      const failed = record(read$);
      time.flush();
      expect(failed.errors[0]).to.deep.include({ code: -32002, data: { uri: 'x' } });
      refuses = false;
      const left = record(read$);
      time.at(5, () => left.unsubscribe());
      time.flush();
      expect(server.peer.of('resources/read')).to.have.length(2);
      expect(server.peer.of('notifications/cancelled')).to.have.length(1);
      void client.close();
    });
  });
});

describe('getPrompt', () => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'hi' } }];

  it('sends the name, and arguments if there are any', () => {
    inVirtualTime((time) => {
      const { client, params } = connectedTo(time, { 'prompts/get': () => ({ messages }) });
      const seen = [record(client.getPrompt('plain')), record(client.getPrompt('filled', { n: '1' })), record(client.getPrompt('none', {}, { meta: { trace: 'x' } }))];
      time.flush();
      for (const each of seen) expect(each).to.deep.include({ values: [{ messages }], completed: 1 });
      expect(params('prompts/get')).to.deep.equal([{ name: 'plain' }, { name: 'filled', arguments: { n: '1' } }, { name: 'none', arguments: {}, _meta: { trace: 'x' } }]);
      void client.close();
    });
  });

  it('passes options on', () => {
    inVirtualTime((time) => {
      const { client } = connectedTo(time, { 'prompts/get': () => undefined });
      const seen = record(client.getPrompt('slow', undefined, { timeoutMs: 25 }));
      time.flush();
      expect(seen.errors.map(({ message }) => message)).to.deep.equal(['Request timeout after 25ms']);
      void client.close();
    });
  });
});

describe('complete', () => {
  it('sends what is to be completed as it is given', () => {
    inVirtualTime((time) => {
      const completion = { values: ['Paris', 'Parma'], total: 7, hasMore: true };
      const { client, params } = connectedTo(time, { 'completion/complete': () => ({ completion }) });
      const prompt = { ref: { type: 'ref/prompt', name: 'travel' }, argument: { name: 'city', value: 'Par' }, context: { arguments: { country: 'IT' } } } as const;
      const template = { ref: { type: 'ref/resource', uri: 'file:///{path}' }, argument: { name: 'path', value: '' } } as const;
      const seen = [record(client.complete(prompt)), record(client.complete(template, { meta: { trace: 'x' } }))];
      time.flush();
      for (const each of seen) expect(each).to.deep.include({ values: [{ completion }], completed: 1 });
      expect(params('completion/complete')).to.deep.equal([prompt, { ...template, _meta: { trace: 'x' } }]);
      void client.close();
    });
  });
});

describe('lists on the modern revision', () => {
  it('send what each request says there', () => {
    inVirtualTime((time) => {
      const { client, params } = connectedTo(time, { 'resources/list': paged('resources', 'uri'), 'prompts/get': () => ({ messages: [] }) }, modernScript);
      record(client.listResources());
      record(client.getPrompt('plain'));
      time.flush();
      expect(params('resources/list').map(({ cursor }) => cursor)).to.deep.equal([undefined, 'p2', 'p3']);
      for (const { _meta } of [...params('resources/list'), ...params('prompts/get')]) {
        expect(_meta).to.include({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
      }
      void client.close();
    });
  });
});
