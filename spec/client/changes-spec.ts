import { expect } from 'chai';
import { take } from 'rxjs';
import { createClient, withCache, withLiveViews, type ClientOptions } from '../../lib/index.ts';
import { legacyScript, modernScript, Refusal, ScriptedServer, type Peer, type Reaction, type Script } from '../support/peer.ts';
import { inVirtualTime, record, type VirtualTime } from '../support/test-scheduler.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const URI = 'file:///a';
const everything = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true } };

/** Lists whose one item tells how often the list was asked for. */
function lists(): Record<string, Reaction> {
  const asked: Record<string, number> = {};
  const next = ({ method, params }: any) => (asked[`${method} ${params?.uri}`] = (asked[`${method} ${params?.uri}`] ?? 0) + 1);
  return {
    'tools/list': (message) => ({ tools: [{ name: `tool ${next(message)}` }] }),
    'prompts/list': (message) => ({ prompts: [{ name: `prompt ${next(message)}` }] }),
    'resources/list': (message) => ({ resources: [{ name: 'resource', uri: `file:///${next(message)}` }] }),
    'resources/templates/list': (message) => ({ resourceTemplates: [{ name: 'template', uriTemplate: `file:///{x}/${next(message)}` }] }),
    'resources/read': (message) => ({ contents: [{ uri: message.params.uri, text: `read ${next(message)}` }] }),
  };
}

/** A client with live views, connected. */
function withViews(time: VirtualTime, script: Script | ((n: number) => Script), options: ClientOptions & { synchronous?: boolean } = {}) {
  const { synchronous = false, ...rest } = options;
  const server = new ScriptedServer(script, { synchronous });
  const client = createClient(server.open, { ...rest, features: [withLiveViews()] as const });
  void client.connect();
  time.flush();
  expect(client.connected).to.equal(true);
  const start = time.now();
  return {
    server,
    client,
    /** Milliseconds since it was connected. */
    since: () => time.now() - start,
    /** The methods that came after connecting, over all connections. */
    sent: () => server.methods.filter((method) => !['server/discover', 'initialize', 'notifications/initialized'].includes(method as string)),
    /** Everything over all connections. */
    all: (method: string) => server.peers.flatMap((peer) => peer.of(method)),
  };
}

const legacy = (more: Script = {}, capabilities: object = everything): Script =>
  legacyScript({
    ...lists(),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    initialize: ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'legacy', version: '1' } }),
    ...more,
  });

/** Acknowledges a listen request, or this part of it. */
const acknowledge = (message: any, peer: Peer, notifications: object = message.params.notifications) =>
  peer.notify('notifications/subscriptions/acknowledged', { _meta: { [SUBSCRIPTION]: message.id }, notifications });

const modern = (more: Script = {}, capabilities: object = everything): Script =>
  modernScript({
    ...lists(),
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities }),
    'subscriptions/listen': (message, peer) => acknowledge(message, peer),
    ...more,
  });

const listens = (messages: any[]) => messages.map(({ params }) => params.notifications);
/** A change, as the newest listen request of a peer announces it. */
const changed = (peer: Peer, method: string, params: object = {}, id: unknown = peer.of('subscriptions/listen').at(-1)?.id) =>
  peer.notify(`notifications/${method}`, { ...params, _meta: { [SUBSCRIPTION]: id } });
const drop = (peer: Peer, id: unknown = peer.of('subscriptions/listen').at(-1)?.id) => peer.notify('notifications/cancelled', { requestId: id });

describe('live views of a legacy server', () => {
  it('ask for nothing while nobody is subscribed', () => {
    inVirtualTime((time) => {
      const { client, server, sent } = withViews(time, legacy());
      void client.resource$(URI);
      server.peer.notify('notifications/tools/list_changed');
      time.flush();
      expect(sent()).to.deep.equal([]);
      void client.close();
    });
  });

  for (const [view, interest, method] of [
    ['tools$', 'tools', 'tools/list'],
    ['prompts$', 'prompts', 'prompts/list'],
    ['resources$', 'resources', 'resources/list'],
    ['resourceTemplates$', 'resources', 'resources/templates/list'],
  ] as const) {
    it(`${view} follows the announcements of its own list, and no others`, () => {
      inVirtualTime((time) => {
        const { client, server, sent } = withViews(time, legacy());
        const seen = record<any[]>(client[view]);
        const others = ['tools', 'prompts', 'resources'].filter((other) => other !== interest);
        for (const [n, other] of others.entries()) time.at(1_000 + 1_000 * n, () => server.peer.notify(`notifications/${other}/list_changed`));
        time.at(3_000, () => server.peer.notify('notifications/resources/updated', { uri: 'file:///1' }));
        time.at(4_000, () => server.peer.notify(`notifications/${interest}/list_changed`));
        time.flush();
        expect(sent()).to.deep.equal([method, method]);
        expect(seen.values.map((items) => items.length)).to.deep.equal([1, 1]);
        expect(seen.times).to.deep.equal([0, 4_000]);
        seen.unsubscribe();
        server.peer.notify(`notifications/${interest}/list_changed`);
        time.flush();
        expect(sent()).to.have.length(2);
        void client.close();
      });
    });
  }

  it('wait for the client to be connected', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(legacy());
      const client = createClient(server.open, { features: [withLiveViews()] });
      const seen = record(client.tools$);
      time.flush();
      expect(server.peers).to.deep.equal([]);
      void client.connect();
      time.flush();
      expect(seen.values).to.have.length(1);
      void client.close();
      time.flush();
      expect(seen).to.deep.include({ completed: 1, errors: [] });
    });
  });

  for (const synchronous of [false, true]) {
    it(`a server that announces a change before each answer is no endless loop, and its last list is seen [B84] (${synchronous ? 'synchronous' : 'asynchronous'} peer)`, () => {
      inVirtualTime((time) => {
        let asked = 0;
        const { client, all } = withViews(
          time,
          legacy({
            'tools/list': (_, peer) => {
              peer.notify('notifications/tools/list_changed');
              return { tools: [{ name: `tool ${++asked}` }] };
            },
          }),
          { synchronous },
        );
        const seen = record(client.tools$);
        time.at(60_000, () => seen.unsubscribe());
        time.flush();
        expect(all('tools/list')).to.have.length.within(100, 301);
        void client.close();
      });
    });
  }

  it('empty lists for undeclared capabilities, without asking', () => {
    inVirtualTime((time) => {
      const { client, sent } = withViews(time, legacy({}, { logging: {} }));
      const seen = [client.tools$, client.prompts$, client.resources$, client.resourceTemplates$].map((view$) => record<unknown[]>(view$));
      time.flush();
      for (const view of seen) expect(view).to.deep.include({ values: [[]], errors: [], completed: 0 });
      expect(sent()).to.deep.equal([]);
      void client.close();
    });
  });

  describe('resource$', () => {
    it('subscribes at the server before it reads, reads again when the resource is updated, and unsubscribes at the end', () => {
      inVirtualTime((time) => {
        const { client, server, sent } = withViews(time, legacy({ 'resources/subscribe': ({ id }, peer) => time.at(50, () => peer.result(id)) }));
        const seen = record(client.resource$(URI));
        time.at(1_000, () => server.peer.notify('notifications/resources/updated', { uri: 'file:///other' }));
        time.at(2_000, () => server.peer.notify('notifications/resources/list_changed'));
        time.at(3_000, () => server.peer.notify('notifications/resources/updated', { uri: URI }));
        time.flush();
        expect(seen.times).to.deep.equal([50, 3_000]);
        expect(seen.values.map(({ contents }) => contents[0])).to.deep.equal([{ uri: URI, text: 'read 1' }, { uri: URI, text: 'read 2' }]);
        seen.unsubscribe();
        time.flush();
        expect(sent()).to.deep.equal(['resources/subscribe', 'resources/read', 'resources/read', 'resources/unsubscribe']);
        expect(server.peer.of('resources/subscribe')[0].params).to.deep.equal({ uri: URI });
        expect(server.peer.of('resources/unsubscribe')[0].params).to.deep.equal({ uri: URI });
        void client.close();
      });
    });

    it('is one subscription at the server for all who share it', () => {
      inVirtualTime((time) => {
        const { client, server, sent } = withViews(time, legacy());
        const view$ = client.resource$(URI);
        const seen = [record(view$), record(view$)];
        time.flush();
        seen[0]!.unsubscribe();
        time.flush();
        server.peer.notify('notifications/resources/updated', { uri: URI });
        time.flush();
        expect(sent()).to.deep.equal(['resources/subscribe', 'resources/read', 'resources/read']);
        expect(seen.map(({ values }) => values.length)).to.deep.equal([1, 2]);
        seen[1]!.unsubscribe();
        time.flush();
        expect(sent().at(-1)).to.equal('resources/unsubscribe');
        void client.close();
      });
    });

    for (const capabilities of [{ resources: {} }, { resources: { subscribe: false } }, {}]) {
      it(`only reads where the server watches nothing: ${JSON.stringify(capabilities)}`, () => {
        inVirtualTime((time) => {
          const { client, server, sent } = withViews(time, legacy({}, capabilities));
          const seen = record(client.resource$(URI));
          time.at(1_000, () => server.peer.notify('notifications/resources/updated', { uri: URI }));
          time.flush();
          seen.unsubscribe();
          time.flush();
          expect(seen.values, 'it is believed when it tells all the same').to.have.length(2);
          expect(sent()).to.deep.equal(['resources/read', 'resources/read']);
          void client.close();
        });
      });
    }

    it('reads where the server refuses to watch', () => {
      inVirtualTime((time) => {
        const refuse = () => {
          throw new Refusal(-32602, 'not this one');
        };
        const { client, sent } = withViews(time, legacy({ 'resources/subscribe': refuse, 'resources/unsubscribe': refuse }));
        const seen = record(client.resource$(URI));
        const errors = record(client.errors$);
        time.flush();
        expect(seen).to.deep.include({ errors: [] });
        expect(seen.values).to.have.length(1);
        seen.unsubscribe();
        time.flush();
        expect(errors.values).to.deep.equal([]);
        expect(sent().slice(0, 2)).to.deep.equal(['resources/subscribe', 'resources/read']);
        void client.close();
      });
    });

    it('a read that fails is its error; the next subscriber tries again', () => {
      inVirtualTime((time) => {
        let gone = true;
        const { client, all } = withViews(
          time,
          legacy({
            'resources/read': () => {
              if (gone) throw new Refusal(-32002, 'Resource not found');
              return { contents: [] };
            },
          }),
        );
        const view$ = client.resource$(URI);
        const failed = record(view$);
        time.flush();
        expect(failed.errors.map(({ code }) => code)).to.deep.equal([-32002]);
        gone = false;
        const seen = record(view$);
        time.flush();
        expect(seen).to.deep.include({ values: [{ contents: [] }], errors: [] });
        expect([all('resources/subscribe').length, all('resources/unsubscribe').length]).to.deep.equal([2, 1]);
        void client.close();
      });
    });

    it('leaving before the server watches asks nothing more of it', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, legacy({ 'resources/subscribe': () => undefined }));
        const seen = record(client.resource$(URI));
        time.at(10, () => seen.unsubscribe());
        time.flush();
        expect(server.peer.of('resources/read')).to.deep.equal([]);
        expect(server.peer.of('notifications/cancelled')).to.have.length(1);
        expect(client).to.have.property('connected', true);
        void client.close();
      });
    });

    it('subscribes and reads again on a new connection', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, legacy());
        const seen = record(client.resource$(URI));
        time.flush();
        void client.reconnect();
        time.flush();
        expect(server.peers).to.have.length(2);
        expect(server.peer.methods.slice(-2)).to.deep.equal(['resources/subscribe', 'resources/read']);
        expect(seen).to.deep.include({ errors: [], completed: 0 });
        server.peer.notify('notifications/resources/updated', { uri: URI });
        time.flush();
        expect(seen.values.map(({ contents }) => (contents[0] as any).text)).to.deep.equal(['read 1', 'read 2', 'read 3']);
        void client.close();
      });
    });
  });
});

describe('live views of a modern server', () => {
  it('ask for nothing, and listen to nothing, while nobody is subscribed', () => {
    inVirtualTime((time) => {
      const { client, sent } = withViews(time, modern());
      void client.resource$(URI);
      time.flush();
      expect(sent()).to.deep.equal([]);
      void client.close();
    });
  });

  it('what is wanted in one go is listened to with one request, and fetched once it is acknowledged', () => {
    inVirtualTime((time) => {
      const { client, server, sent } = withViews(time, modern({ 'subscriptions/listen': (message, peer) => time.at(70, () => acknowledge(message, peer)) }));
      const seen = [client.tools$, client.prompts$, client.resources$, client.resourceTemplates$, client.resource$(URI), client.resource$('file:///b')].map((view$) => record<unknown>(view$));
      time.flush();
      expect(sent()[0]).to.equal('subscriptions/listen');
      expect(listens(server.peer.of('subscriptions/listen'))).to.deep.equal([
        { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: [URI, 'file:///b'] },
      ]);
      expect(sent().slice(1)).to.have.members(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read', 'resources/read']);
      for (const view of seen) expect(view.times).to.deep.equal([70]);
      void client.close();
    });
  });

  it('what one resource is watched for by two is asked for once', () => {
    inVirtualTime((time) => {
      const { client, server } = withViews(time, modern());
      const seen = [record(client.resource$(URI)), record(client.resource$(URI))];
      time.flush();
      seen[0]!.unsubscribe();
      time.flush();
      expect(listens(server.peer.of('subscriptions/listen')).every(({ resourceSubscriptions }) => String(resourceSubscriptions) === URI)).to.equal(true);
      changed(server.peer, 'resources/updated', { uri: URI });
      time.flush();
      expect((seen[1]!.values.at(-1) as any).contents[0].text).to.equal(`read ${server.peer.of('resources/read').length}`);
      void client.close();
    });
  });

  it('each follows the announcements of what it shows, and no others', () => {
    inVirtualTime((time) => {
      const { client, server, all } = withViews(time, modern());
      record(client.tools$);
      record(client.prompts$);
      record(client.resource$(URI));
      time.flush();
      const counts = () => ['tools/list', 'prompts/list', 'resources/read'].map((method) => all(method).length);
      expect(counts()).to.deep.equal([1, 1, 1]);
      for (const [method, params, expected] of [
        ['tools/list_changed', {}, [2, 1, 1]],
        ['prompts/list_changed', {}, [2, 2, 1]],
        ['resources/updated', { uri: URI }, [2, 2, 2]],
        ['resources/updated', { uri: 'file:///other' }, [2, 2, 2]],
        ['resources/list_changed', {}, [2, 2, 2]],
      ] as const) {
        changed(server.peer, method, params);
        time.flush();
        expect(counts(), method).to.deep.equal(expected);
      }
      void client.close();
    });
  });

  it('the filter follows what is wanted: one request open at a time, the one before cancelled', () => {
    inVirtualTime((time) => {
      const { client, server } = withViews(time, modern());
      const tools = record(client.tools$);
      let prompts = tools as ReturnType<typeof record<unknown>>;
      time.at(1_000, () => (prompts = record(client.prompts$)));
      time.at(2_000, () => tools.unsubscribe());
      time.at(3_000, () => prompts.unsubscribe());
      time.flush();
      const { received } = server.peer;
      const talk = received.filter(({ method }) => ['subscriptions/listen', 'notifications/cancelled'].includes(method));
      const [first, second, third] = server.peer.of('subscriptions/listen').map(({ id }) => id as number);
      expect(talk.map(({ params: { notifications, requestId } }) => notifications ?? requestId)).to.deep.equal([
        { toolsListChanged: true },
        first,
        { toolsListChanged: true, promptsListChanged: true },
        second,
        { promptsListChanged: true },
        third,
      ]);
      void client.close();
    });
  });

  it('nobody hears of changes once all have left, and the next one listens afresh', () => {
    inVirtualTime((time) => {
      const { client, server, all } = withViews(time, modern());
      const seen = record(client.tools$);
      time.flush();
      const [old] = server.peer.of('subscriptions/listen');
      seen.unsubscribe();
      time.flush();
      changed(server.peer, 'tools/list_changed', {}, old.id);
      time.flush();
      expect(all('tools/list')).to.have.length(1);
      record(client.tools$);
      time.flush();
      expect(all('subscriptions/listen')).to.have.length(2);
      expect(all('tools/list')).to.have.length(2);
      void client.close();
    });
  });

  it('1,000 who come and go leave no listen request and no timer', () => {
    inVirtualTime((time) => {
      const { client, server } = withViews(time, modern());
      for (let n = 0; n < 1_000; n++) record(client.tools$).unsubscribe();
      const start = time.now();
      time.flush();
      expect(time.now()).to.equal(start);
      expect(server.peer.of('subscriptions/listen')).to.deep.equal([]);
      void client.close();
    });
  });

  it('a part that is not acknowledged is fetched all the same, once', () => {
    inVirtualTime((time) => {
      const { client, all } = withViews(time, modern({ 'subscriptions/listen': (message, peer) => acknowledge(message, peer, { promptsListChanged: true }) }));
      const seen = record(client.tools$);
      record(client.prompts$);
      time.at(600_000, () => seen.unsubscribe());
      time.flush();
      expect(seen).to.deep.include({ errors: [], completed: 0 });
      expect(seen.values).to.have.length(1);
      expect(all('tools/list')).to.have.length(1);
      void client.close();
    });
  });

  it('leaving the rest as it is wanted opens nothing anew', () => {
    inVirtualTime((time) => {
      const { client, all } = withViews(time, modern());
      const resources = record(client.resources$);
      const templates = record(client.resourceTemplates$);
      time.flush();
      expect(all('subscriptions/listen')).to.have.length(1);
      templates.unsubscribe();
      time.flush();
      expect(all('subscriptions/listen')).to.have.length(1);
      expect(all('resources/list')).to.have.length(1);
      resources.unsubscribe();
      void client.close();
    });
  });

  it('what is cached may serve the first fetch, and none after: a change may have been missed', () => {
    inVirtualTime((time) => {
      let listed = 0;
      const server = new ScriptedServer(modern({ 'tools/list': () => ({ tools: [{ name: `t${++listed}` }], ttlMs: 3_600_000 }) }));
      const client = createClient(server.open, { features: [withLiveViews(), withCache()] as const });
      void client.connect();
      record(client.listTools());
      time.flush();
      const seen = record(client.tools$);
      time.flush();
      expect(seen.values).to.deep.equal([[{ name: 't1' }]]);
      expect(listed).to.equal(1);
      void client.reconnect();
      time.flush();
      expect(seen.values.at(-1)).to.deep.equal([{ name: 't2' }]);
      record(client.listTools());
      time.flush();
      expect(listed).to.equal(2);
      seen.unsubscribe();
      void client.close();
    });
  });

  it('notifications of another subscription, and of none, are not heard [B69]', () => {
    inVirtualTime((time) => {
      const { client, server, all } = withViews(time, modern());
      const seen = record(client.tools$);
      time.flush();
      const id: number = server.peer.of('subscriptions/listen')[0].id;
      for (const foreign of [id + 1, String(id), null]) changed(server.peer, 'tools/list_changed', {}, foreign);
      server.peer.notify('notifications/tools/list_changed');
      server.peer.notify('notifications/tools/list_changed', { _meta: 7 });
      drop(server.peer, id + 1);
      server.peer.notify('notifications/cancelled');
      time.flush();
      expect(all('tools/list')).to.have.length(1);
      expect(all('subscriptions/listen')).to.have.length(1);
      expect(seen.values).to.have.length(1);
      void client.close();
    });
  });

  it('where the server refuses to listen the views fetch once, and stay', () => {
    inVirtualTime((time) => {
      const { client, all } = withViews(time, modern({
        'subscriptions/listen': () => {
          throw new Refusal(-32601, 'Method not found');
        },
      }));
      const seen = record(client.tools$);
      time.at(600_000, () => undefined);
      time.flush();
      expect(seen).to.deep.include({ errors: [], completed: 0 });
      expect(seen.values).to.have.length(1);
      expect([all('tools/list').length, all('subscriptions/listen').length]).to.deep.equal([1, 1]);
      void client.close();
    });
  });

  it('a result ends the subscription in good order: it is not opened again [B69]', () => {
    inVirtualTime((time) => {
      const { client, server, all } = withViews(time, modern());
      const seen = record(client.tools$);
      time.at(1_000, () => {
        const [{ id }] = server.peer.of('subscriptions/listen');
        server.peer.result(id, { resultType: 'complete', _meta: { [SUBSCRIPTION]: id } });
      });
      time.at(600_000, () => undefined);
      time.flush();
      expect(seen).to.deep.include({ errors: [], completed: 0 });
      expect([all('tools/list').length, all('subscriptions/listen').length]).to.deep.equal([1, 1]);
      void client.close();
    });
  });

  it('an open subscription outlives the deadline of calls', () => {
    inVirtualTime((time) => {
      const { client, server, all } = withViews(time, modern(), { timeout: 1_000 });
      const seen = record(client.tools$);
      time.at(3_600_000, () => changed(server.peer, 'tools/list_changed'));
      time.flush();
      expect(seen.times).to.deep.equal([0, 3_600_000]);
      expect(all('subscriptions/listen')).to.have.length(1);
      expect(all('notifications/cancelled')).to.deep.equal([]);
      void client.close();
    });
  });

  describe('a subscription that is dropped [B69]', () => {
    /** A server that drops each subscription when asked to, and the milliseconds at which it was asked to listen. */
    function dropping(time: VirtualTime, react: (message: any, peer: Peer, n: number) => void) {
      const times: number[] = [];
      const views = withViews(time, modern({
        'subscriptions/listen': (message, peer) => {
          times.push(views.since());
          react(message, peer, times.length);
          return undefined;
        },
      }));
      return { ...views, times };
    }
    const gaps = (times: number[]) => times.slice(1).map((ms, i) => ms - times[i]!);

    it('is opened again after 1 s, 2 s … 30 s, and refetched after each acknowledgement', () => {
      inVirtualTime((time) => {
        const { client, times, all } = dropping(time, (message, peer) => {
          acknowledge(message, peer);
          drop(peer, message.id);
        });
        const seen = record(client.tools$);
        time.at(200_000, () => seen.unsubscribe());
        time.flush();
        expect(gaps(times)).to.deep.equal([1, 2, 4, 8, 16, 30, 30, 30, 30, 30].map((s) => 1_000 * s));
        expect(all('tools/list')).to.have.length(times.length);
        expect(seen).to.deep.include({ times, errors: [], completed: 0 });
        void client.close();
      });
    });

    it('is not refetched without an acknowledgement', () => {
      inVirtualTime((time) => {
        const { client, times, all } = dropping(time, (message, peer, n) => {
          if (n === 1) acknowledge(message, peer);
          drop(peer, message.id);
        });
        const seen = record(client.tools$);
        time.at(100_000, () => seen.unsubscribe());
        time.flush();
        expect(gaps(times)).to.deep.equal([1, 2, 4, 8, 16, 30, 30].map((s) => 1_000 * s));
        expect(all('tools/list')).to.have.length(1);
        void client.close();
      });
    });

    it('a change begins the backoff afresh', () => {
      inVirtualTime((time) => {
        const { client, times } = dropping(time, (message, peer, n) => {
          acknowledge(message, peer);
          if (n === 4) changed(peer, 'tools/list_changed', {}, message.id);
          drop(peer, message.id);
        });
        const seen = record(client.tools$);
        time.at(14_500, () => seen.unsubscribe());
        time.flush();
        expect(gaps(times)).to.deep.equal([1_000, 2_000, 4_000, 1_000, 2_000, 4_000]);
        void client.close();
      });
    });

    it('so does a long life, but not an acknowledgement and a short one', () => {
      inVirtualTime((time) => {
        const { client, times } = dropping(time, (message, peer, n) => {
          acknowledge(message, peer);
          time.at(n === 3 ? 60_000 : 5_000, () => drop(peer, message.id));
        });
        const seen = record(client.tools$);
        time.at(84_000, () => seen.unsubscribe());
        time.flush();
        expect(gaps(times)).to.deep.equal([6_000, 7_000, 61_000, 7_000]);
        void client.close();
      });
    });

    it('what is never acknowledged is dropped after 30 s, cancelled, and tried again', () => {
      inVirtualTime((time) => {
        const { client, times, all, server } = dropping(time, (message, peer, n) => n === 2 && acknowledge(message, peer));
        const seen = record(client.tools$);
        time.flush();
        expect(times).to.deep.equal([0, 31_000]);
        expect(server.peer.of('notifications/cancelled').map(({ params }) => params.requestId)).to.deep.equal([server.peer.of('subscriptions/listen')[0].id]);
        expect(all('tools/list')).to.have.length(2); // nobody waits for a second try; what was missed meanwhile is caught up on
        expect(seen.times).to.deep.equal([30_000, 31_000]);
        void client.close();
      });
    });

    it('waiting without an acknowledgement is no long life: the backoff grows', () => {
      inVirtualTime((time) => {
        const { client, times } = dropping(time, () => {});
        const seen = record(client.tools$);
        time.at(129_000, () => seen.unsubscribe());
        time.flush();
        expect(gaps(times)).to.deep.equal([31_000, 32_000, 34_000]);
        void client.close();
      });
    });

    it('a refusal after that is the end of it, and the views stay', () => {
      inVirtualTime((time) => {
        const { client, times, all } = dropping(time, (message, peer, n) => {
          if (n === 2) throw new Refusal(-32603, 'no more');
          acknowledge(message, peer);
          drop(peer, message.id);
        });
        const seen = record(client.tools$);
        time.at(600_000, () => seen.unsubscribe());
        time.flush();
        expect(times).to.deep.equal([0, 1_000]);
        expect(all('tools/list')).to.have.length(2);
        expect(seen.errors).to.deep.equal([]);
        void client.close();
      });
    });

    it('unsubscribing ends the wait before the next try', () => {
      inVirtualTime((time) => {
        const { client, times, since } = dropping(time, (message, peer) => drop(peer, message.id));
        const seen = record(client.tools$);
        time.at(1_500, () => seen.unsubscribe());
        time.flush();
        expect(times).to.deep.equal([0, 1_000]);
        expect(since()).to.equal(1_500);
        void client.close();
      });
    });
  });
});

for (const [era, script, first] of [
  ['legacy', legacy, 'tools/list'],
  ['modern', modern, 'subscriptions/listen'],
] as const) {
  describe(`live views over reconnects, ${era}`, () => {
    /** Numbered by connection. */
    const numbered = (n: number) => script({ 'tools/list': () => ({ tools: [{ name: `connection ${n + 1}` }] }) });
    const names = (values: any[]) => values.map((tools) => tools.map(({ name }: any) => name));

    it('reconnect() listens and fetches again; nobody notices but by the value', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, numbered);
        const seen = record(client.tools$);
        time.at(1_000, () => void client.reconnect());
        time.flush();
        expect(server.peers).to.have.length(2);
        for (const method of new Set([first, 'tools/list'])) expect(server.peers.map((peer) => peer.of(method).length), method).to.deep.equal([1, 1]);
        expect(names(seen.values)).to.deep.equal([['connection 1'], ['connection 2']]);
        expect(seen).to.deep.include({ errors: [], completed: 0 });
        if (era === 'legacy') server.peer.notify('notifications/tools/list_changed');
        else changed(server.peer, 'tools/list_changed');
        time.flush();
        expect(server.peer.of('tools/list')).to.have.length(2);
        void client.close();
      });
    });

    it('a connection that is lost is no error, and connect() listens and fetches again', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, numbered);
        const seen = record(client.tools$);
        time.at(1_000, () => server.peer.close());
        time.at(2_000, () => {
          expect(client.connected).to.equal(false);
          void client.connect();
        });
        time.flush();
        expect(server.peers).to.have.length(2);
        expect(names(seen.values)).to.deep.equal([['connection 1'], ['connection 2']]);
        expect(seen).to.deep.include({ errors: [], completed: 0 });
        void client.close();
      });
    });

    it('a connection that is lost during a fetch is no error either', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, (n) => (n === 0 ? script({ 'tools/list': () => undefined }) : numbered(n)));
        const seen = record(client.tools$);
        time.at(1_000, () => server.peer.close());
        time.at(1_050, () => void client.connect());
        time.flush();
        expect(names(seen.values)).to.deep.equal([['connection 2']]);
        expect(seen).to.deep.include({ errors: [], completed: 0 });
        void client.close();
      });
    });

    it('a change that waits when the connection ends makes no list empty', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, numbered);
        const seen = record(client.tools$);
        time.at(50, () => (era === 'legacy' ? server.peer.notify('notifications/tools/list_changed') : changed(server.peer, 'tools/list_changed')));
        time.at(100, () => server.peer.close());
        time.at(5_000, () => void client.connect());
        time.flush();
        expect(names(seen.values)).to.deep.equal([['connection 1'], ['connection 2']]);
        void client.close();
      });
    });

    it('who subscribes while there is no connection gets the value of the next', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, numbered);
        server.peer.close();
        time.flush();
        const seen = record(client.tools$);
        time.at(1_000, () => void client.connect());
        time.flush();
        expect(names(seen.values)).to.deep.equal([['connection 2']]);
        expect(seen.times).to.deep.equal([1_000]);
        void client.close();
      });
    });

    it('empty lists for undeclared capabilities, without asking for them', () => {
      inVirtualTime((time) => {
        const { client, all } = withViews(time, script({}, { logging: {} }));
        const seen = [client.tools$, client.prompts$, client.resources$, client.resourceTemplates$].map((view$) => record<unknown[]>(view$));
        time.flush();
        for (const view of seen) expect(view).to.deep.include({ values: [[]], errors: [], completed: 0 });
        for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) expect(all(method)).to.deep.equal([]);
        void client.close();
      });
    });

    it('close() completes them', () => {
      inVirtualTime((time) => {
        const { client } = withViews(time, script());
        const seen = [client.tools$, client.resource$(URI)].map((view$) => record<unknown>(view$));
        time.flush();
        void client.close();
        time.flush();
        for (const view of seen) expect(view).to.deep.include({ errors: [], completed: 1 });
        const late = record(client.tools$);
        time.flush();
        expect(late).to.deep.include({ values: [], errors: [], completed: 1 });
      });
    });

    it('one value is enough for whoever takes one', () => {
      inVirtualTime((time) => {
        const { client, server } = withViews(time, numbered);
        const seen = record(client.tools$.pipe(take(1)));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect(names(seen.values)).to.deep.equal([['connection 1']]);
        const open = server.peer.of('subscriptions/listen').length - server.peer.of('notifications/cancelled').length;
        expect(open).to.equal(0);
        void client.close();
      });
    });
  });
}
