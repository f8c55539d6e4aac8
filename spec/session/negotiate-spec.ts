import { expect } from 'chai';
import { ConnectionClosedError, McpError, RequestTimeoutError, RpcError, UnsupportedProtocolVersionError } from '../../lib/errors.ts';
import { createClient } from '../../lib/index.ts';
import type { ClientOptions } from '../../lib/client/client.ts';
import { legacyScript, modernScript, Refusal, ScriptedServer, type Reaction, type Script } from '../support/peer.ts';
import { inVirtualTime, record, type VirtualTime } from '../support/test-scheduler.ts';

const refuse = (code: number, data?: unknown, id?: null): Reaction => () => {
  throw new Refusal(code, 'no', data, id);
};
const silent: Reaction = () => undefined;

/** Connects, lets all time pass, and closes. */
function connecting(time: VirtualTime, script: Script | ((n: number) => Script), options: ClientOptions = {}) {
  const server = new ScriptedServer(script);
  const client = createClient(server.open, options);
  const states = record(client.state$);
  const ready = record(client.connect());
  time.flush();
  const version = client.protocolVersion;
  const { era } = client as { era?: unknown };
  const connected = client.connected;
  return { server, client, ready, states, version, connected, era };
}

describe('negotiate [R02]', () => {
  it('speaks 2026-07-28 with a modern server: one probe, no handshake', () => {
    inVirtualTime((time) => {
      const { server, client, ready } = connecting(time, modernScript(), { clientInfo: { name: 'spec', version: '7' }, capabilities: { roots: {} } });
      expect(ready).to.deep.include({ values: [client], completed: 1, errors: [] });
      expect(server.peers).to.have.length(1);
      expect(server.peer.received).to.deep.equal([
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'server/discover',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'spec', version: '7' },
              'io.modelcontextprotocol/clientCapabilities': { roots: {} },
            },
          },
        },
      ]);
      expect(client).to.include({ connected: true, protocolVersion: '2026-07-28', instructions: 'be brief' });
      expect(client.serverInfo).to.deep.equal({ name: 'modern', version: '2' });
      expect(client.capabilities).to.deep.equal({ tools: {} });
      void client.close();
    });
  });

  it('carries revision, client and capabilities in every request to a modern server, beside the caller’s own _meta', () => {
    inVirtualTime((time) => {
      const { server, client } = connecting(time, modernScript({ x: () => ({}) }), { clientInfo: { name: 'spec', version: '7' } });
      record(client.request('x', { a: 1, _meta: { mine: 1 } }));
      time.flush();
      expect(server.peer.received.at(-1)).to.deep.equal({
        jsonrpc: '2.0',
        id: 2,
        method: 'x',
        params: {
          a: 1,
          _meta: {
            mine: 1,
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'spec', version: '7' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      });
      void client.close();
    });
  });

  it('opens with initialize, then initialized, then calls, on a legacy server', () => {
    inVirtualTime((time) => {
      const { server, client } = connecting(time, legacyScript({ 'tools/list': () => ({ tools: [] }) }), { clientInfo: { name: 'spec', version: '7' }, capabilities: { roots: {} } });
      record(client.listTools());
      time.flush();
      expect(server.methods).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized', 'tools/list']);
      expect(server.peer.of('initialize')[0].params).to.deep.equal({ protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'spec', version: '7' } });
      expect(server.peer.of('notifications/initialized')).to.deep.equal([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
      expect(client).to.include({ protocolVersion: '2025-11-25', connected: true });
      void client.close();
    });
  });

  describe('takes anything but a modern answer for legacy [B20]', () => {
    const variants: [title: string, reaction: Reaction][] = [
      ...[-32601, -32600, -32602, -32603, -32700, -32000, -32001, -32002, 0, 404].map((code): [string, Reaction] => [`error ${code}`, refuse(code)]),
      ['an error whose code is near the modern ones', refuse(-32019)],
      ['an error with an empty message', ({ id }, peer) => peer.error(id, -32603, '')],
      ['an empty result', () => ({})],
      ['a result of its own', () => ({ ok: true, supportedVersions: '2026-07-28' })],
      ['a null result', ({ id }, peer) => peer.result(id, null)],
      ['an array as result', ({ id }, peer) => peer.result(id, [])],
      ['a text as result', ({ id }, peer) => peer.result(id, 'ok')],
      ['only 2025 versions', () => ({ supportedVersions: ['2025-11-25', '2025-06-18'], capabilities: {} })],
      ['-32022 that lists only 2025 versions', refuse(-32022, { supported: ['2025-11-25'], requested: '2026-07-28' })],
    ];
    for (const [title, reaction] of variants) {
      it(title, () => {
        inVirtualTime((time) => {
          const { server, client, ready, version } = connecting(time, legacyScript({ 'server/discover': reaction }));
          expect(ready.errors).to.deep.equal([]);
          expect(version).to.equal('2025-11-25');
          expect(ready.endedAt, 'at once').to.be.below(10);
          expect(server.methods).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized']);
          void client.close();
        });
      });
    }

    const silences: [title: string, reaction: Reaction][] = [
      ['silence', silent],
      ['an error with id null', refuse(-32700, undefined, null)],
      ['an answer with a wrong id', (_, peer) => peer.result('wrong')],
      ['an error that is no object', ({ id }, peer) => peer.send({ id, error: 'what?' })],
      ['garbage', (_, peer) => peer.sendRaw({ hello: 'world' })],
      ['a notification', (_, peer) => peer.notify('what')],
      ['a ping', (_, peer) => peer.send({ id: 1, method: 'ping' })],
    ];
    for (const [title, reaction] of silences) {
      it(`${title}, after the probe deadline`, () => {
        inVirtualTime((time) => {
          const { server, client, ready, version } = connecting(time, legacyScript({ 'server/discover': reaction }), { probeTimeoutMs: 200 });
          expect(ready.errors).to.deep.equal([]);
          expect(version).to.equal('2025-11-25');
          expect(ready.endedAt).to.be.within(title === 'an error that is no object' ? 0 : 200, 205);
          expect(server.peer.methods.filter((method) => typeof method === 'string')).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized']);
          void client.close();
        });
      });
    }

    it('silence, after 3 seconds when nobody says otherwise', () => {
      inVirtualTime((time) => {
        const { ready, client } = connecting(time, legacyScript({ 'server/discover': silent }));
        expect(ready.endedAt).to.be.within(3_000, 3_005);
        void client.close();
      });
    });

    it('and tells the server nothing about the probe it gave up [B19]', () => {
      inVirtualTime((time) => {
        const { server, client } = connecting(time, legacyScript({ 'server/discover': silent }), { probeTimeoutMs: 200 });
        expect(server.methods).not.to.include('notifications/cancelled');
        void client.close();
      });
    });
  });

  describe('stays modern after a modern error [B21]', () => {
    it('-32022 with only unknown versions fails with the list, and initialize is never sent', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, modernScript({ 'server/discover': refuse(-32022, { supported: ['2026-09-01', '2027-01-01'], requested: '2026-07-28' }) }));
        expect(ready.errors).to.have.length(1);
        expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
        expect(ready.errors[0].serverVersions).to.deep.equal(['2026-09-01', '2027-01-01']);
        expect(ready.errors[0].clientVersions).to.include('2026-07-28');
        expect(ready.errors[0].cause).to.be.instanceOf(RpcError);
        expect(server.methods).to.deep.equal(['server/discover']);
        expect(server.peer.closed).to.equal(true);
        void client.close();
      });
    });

    for (const data of [undefined, null, 'x', {}, { supported: null }, { supported: [] }, { supported: [1, {}] }]) {
      it(`-32022 with data ${JSON.stringify(data)} fails, and initialize is never sent`, () => {
        inVirtualTime((time) => {
          const { server, client, ready } = connecting(time, modernScript({ 'server/discover': refuse(-32022, data) }));
          expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
          expect(server.methods).to.deep.equal(['server/discover']);
          void client.close();
        });
      });
    }

    for (const code of [-32020, -32021]) {
      it(`${code} is the error that is seen`, () => {
        inVirtualTime((time) => {
          const { server, client, ready } = connecting(time, modernScript({ 'server/discover': refuse(code, { requiredCapabilities: { sampling: {} } }) }));
          expect(ready.errors[0]).to.be.instanceOf(RpcError);
          expect(ready.errors[0]).to.include({ code });
          expect(ready.errors[0].data).to.deep.equal({ requiredCapabilities: { sampling: {} } });
          expect(server.methods).to.deep.equal(['server/discover']);
          void client.close();
        });
      });
    }

    it('-32022 that lists 2026-07-28 is asked exactly once more', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, modernScript({ 'server/discover': refuse(-32022, { supported: ['2026-07-28'], requested: '?' }) }));
        expect(ready.errors).to.have.length(1);
        expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
        expect(server.methods).to.deep.equal(['server/discover', 'server/discover']);
        void client.close();
      });
    });

    it('-32022 once, then an answer, is a modern server', () => {
      inVirtualTime((time) => {
        let asked = 0;
        const script = modernScript();
        const { server, client, version } = connecting(
          time,
          modernScript({
            'server/discover': (message, peer) => {
              if (++asked === 1) throw new Refusal(-32022, 'no', { supported: ['2026-07-28'] });
              return script['server/discover']!(message, peer);
            },
          }),
        );
        expect(version).to.equal('2026-07-28');
        expect(server.methods).to.deep.equal(['server/discover', 'server/discover']);
        void client.close();
      });
    });

    it('a discover result with only unknown versions fails with the list', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, modernScript({ 'server/discover': () => ({ supportedVersions: ['2026-09-01'], capabilities: {} }) }));
        expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
        expect(ready.errors[0].serverVersions).to.deep.equal(['2026-09-01']);
        expect(server.methods).to.deep.equal(['server/discover']);
        void client.close();
      });
    });

    it('a discover result that lists both eras is modern', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(time, modernScript({ 'server/discover': () => ({ supportedVersions: ['2024-11-05', '2025-11-25', '2026-07-28'] }) }));
        expect(version).to.equal('2026-07-28');
        expect(client.capabilities).to.deep.equal({});
        expect(client.serverInfo).to.equal(undefined);
        expect(server.methods).to.deep.equal(['server/discover']);
        void client.close();
      });
    });
  });

  describe('with a slow server', () => {
    const answerAfter = (time: VirtualTime, ms: number, reaction: Reaction): Reaction => (message, peer) => {
      time.at(ms, () => {
        const result = reaction(message, peer);
        if (result !== undefined) peer.result(message.id, result);
      });
      return undefined;
    };
    const discovered: Reaction = () => ({ supportedVersions: ['2026-07-28'], capabilities: {} });

    it('ends modern when discover is answered after the probe deadline and initialize was refused', () => {
      inVirtualTime((time) => {
        const { server, client, ready, version } = connecting(time, modernScript({ 'server/discover': answerAfter(time, 500, discovered) }), { probeTimeoutMs: 200 });
        expect(ready.errors).to.deep.equal([]);
        expect(version).to.equal('2026-07-28');
        expect(server.methods).to.deep.equal(['server/discover', 'initialize']);
        expect(server.peers).to.have.length(1);
        expect(ready.endedAt).to.be.within(500, 505);
        void client.close();
      });
    });

    it('ends modern when discover is answered before initialize is refused', () => {
      inVirtualTime((time) => {
        const { client, version, ready } = connecting(
          time,
          modernScript({ 'server/discover': answerAfter(time, 300, discovered), initialize: (message, peer) => time.at(400, () => peer.error(message.id, -32601)) }),
          { probeTimeoutMs: 200 },
        );
        expect(ready.errors).to.deep.equal([]);
        expect(version).to.equal('2026-07-28');
        void client.close();
      });
    });

    it('ends legacy when initialize is answered first: the late discover answer is ignored', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(time, legacyScript({ 'server/discover': answerAfter(time, 500, discovered) }), { probeTimeoutMs: 200 });
        expect(version).to.equal('2025-11-25');
        const x = record(client.ping());
        time.flush();
        expect(x.completed).to.equal(1);
        expect(server.methods).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized', 'ping']);
        void client.close();
      });
    });

    it('ends legacy when both come, the answer to initialize first (dual server)', () => {
      inVirtualTime((time) => {
        const { client, version } = connecting(
          time,
          legacyScript({
            'server/discover': silent,
            initialize: (message, peer) => {
              peer.result(message.id, { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'dual', version: '1' } });
              peer.result(1, { supportedVersions: ['2026-07-28'], capabilities: {} });
              return undefined;
            },
          }),
          { probeTimeoutMs: 200 },
        );
        expect(version).to.equal('2025-06-18');
        void client.close();
      });
    });

    it('is started afresh, once and soon, when it says nothing to the probe and then refuses initialize', () => {
      inVirtualTime((time) => {
        const { server, client, ready, version } = connecting(
          time,
          (n) => (n === 0 ? { 'server/discover': silent, initialize: refuse(-32600) } : legacyScript()),
          { probeTimeoutMs: 200, handshakeTimeoutMs: 60_000 },
        );
        expect(ready.errors).to.deep.equal([]);
        expect(version).to.equal('2025-11-25');
        expect(server.peers).to.have.length(2);
        expect(ready.endedAt).to.be.below(10_000);
        void client.close();
      });
    });
  });

  describe('the version of initialize [B23]', () => {
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
      it(`may be ${protocolVersion}`, () => {
        inVirtualTime((time) => {
          const { client, version } = connecting(time, legacyScript({ initialize: () => ({ protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } }) }));
          expect(version).to.equal(protocolVersion);
          void client.close();
        });
      });
    }

    for (const protocolVersion of ['1999-01-01', '2026-07-28', '', 'latest']) {
      it(`may not be ${JSON.stringify(protocolVersion)}: a typed error, and disconnected`, () => {
        inVirtualTime((time) => {
          const { server, client, ready, states } = connecting(time, legacyScript({ initialize: () => ({ protocolVersion, capabilities: {} }) }));
          expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
          expect(ready.errors[0].serverVersions).to.deep.equal([protocolVersion]);
          expect(server.methods).to.deep.equal(['server/discover', 'initialize']);
          expect(server.peers).to.have.length(1);
          expect(server.peer.closed).to.equal(true);
          expect(states.values.map(({ status }) => status)).to.deep.equal(['idle', 'connecting', 'disconnected']);
          void client.close();
        });
      });
    }

    for (const result of [{}, { protocolVersion: null }, { protocolVersion: 20251125 }]) {
      it(`that is missing is a typed error, and disconnected: ${JSON.stringify(result)}`, () => {
        inVirtualTime((time) => {
          const { server, client, ready } = connecting(time, legacyScript({ initialize: () => result }));
          expect(ready.errors[0]).to.be.instanceOf(McpError);
          expect(server.peer.closed).to.equal(true);
          void client.close();
        });
      });
    }
  });

  describe('with odd servers', () => {
    it('takes capabilities that are booleans', () => {
      inVirtualTime((time) => {
        const capabilities = { tools: true, logging: true, resources: false, prompts: { listChanged: true }, experimental: null, x: 'yes', list: [] };
        for (const script of [legacyScript({ initialize: () => ({ protocolVersion: '2025-11-25', capabilities }) }), modernScript({ 'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities }) })]) {
          const { client } = connecting(time, script);
          expect(client.capabilities).to.deep.equal({ tools: {}, logging: {}, prompts: { listChanged: true } });
          void client.close();
        }
      });
    });

    for (const capabilities of [undefined, null, true, []]) {
      it(`takes capabilities that are ${JSON.stringify(capabilities)}`, () => {
        inVirtualTime((time) => {
          const { client, connected } = connecting(time, legacyScript({ initialize: () => ({ protocolVersion: '2025-11-25', capabilities }) }));
          expect(connected).to.equal(true);
          expect(client.capabilities).to.deep.equal({});
          void client.close();
        });
      });
    }

    it('answers pings, and refuses what it does not know, before initialize is answered [B25]', () => {
      inVirtualTime((time) => {
        const { server, client, connected } = connecting(
          time,
          legacyScript({
            initialize: ({ id, params }, peer) => {
              peer.send({ id, method: 'ping' }, { id: 'r', method: 'roots/list' });
              time.at(10, () => peer.result(id, { protocolVersion: params.protocolVersion, capabilities: {} }));
              return undefined;
            },
          }),
        );
        expect(connected).to.equal(true);
        const answers = server.peer.received.filter(({ method }) => method === undefined);
        expect(answers).to.deep.equal([
          { jsonrpc: '2.0', id: 2, result: {} },
          { jsonrpc: '2.0', id: 'r', error: { code: -32601, message: 'Method not found: roots/list' } },
        ]);
        void client.close();
      });
    });
  });

  describe('a server that refuses initialize after the probe', () => {
    it('gets exactly one fresh start, without a probe', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(time, (n) => (n === 0 ? legacyScript({ initialize: refuse(-32600) }) : legacyScript()));
        expect(version).to.equal('2025-11-25');
        expect(server.peers.map(({ methods }) => methods)).to.deep.equal([
          ['server/discover', 'initialize'],
          ['initialize', 'notifications/initialized'],
        ]);
        expect(server.peers.map(({ closed }) => closed)).to.deep.equal([true, false]);
        void client.close();
      });
    });

    it('that had answered the probe with 2025 versions gets one, too', () => {
      inVirtualTime((time) => {
        const discover: Reaction = () => ({ supportedVersions: ['2025-11-25'], capabilities: {} });
        const { server, client, version } = connecting(time, (n) => legacyScript({ 'server/discover': discover, ...(n === 0 && { initialize: refuse(-32600) }) }));
        expect(version).to.equal('2025-11-25');
        expect(server.peers).to.have.length(2);
        void client.close();
      });
    });

    it('and refuses the fresh one, too: its own error, and no third start', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, legacyScript({ initialize: refuse(-32600, { why: 'license' }) }));
        expect(ready.errors).to.have.length(1);
        expect(ready.errors[0]).to.be.instanceOf(RpcError);
        expect(ready.errors[0]).to.include({ name: 'RpcError', code: -32600 });
        expect(ready.errors[0].data).to.deep.equal({ why: 'license' });
        expect(server.peers).to.have.length(2);
        expect(server.peers.map(({ closed }) => closed)).to.deep.equal([true, true]);
        void client.close();
      });
    });

    it('does not take an id a second time [R10 B31]', () => {
      inVirtualTime((time) => {
        const { server, client } = connecting(time, (n) => (n === 0 ? legacyScript({ initialize: refuse(-32600) }) : legacyScript()));
        const ids = server.peers.flatMap(({ received }) => received.flatMap(({ id }) => id ?? []));
        expect(new Set(ids).size).to.equal(ids.length);
        void client.close();
      });
    });
  });

  describe('a server that takes the probe for a reason to exit [B20]', () => {
    // As every server on rmcp before 2.0: its first message must be initialize.
    const strict: Script = legacyScript({ 'server/discover': (_, peer) => peer.close() });

    it('gets exactly one fresh start, without a probe', () => {
      inVirtualTime((time) => {
        const { server, client, ready, version } = connecting(time, strict);
        expect(ready.errors).to.deep.equal([]);
        expect(version).to.equal('2025-11-25');
        expect(server.peers.map(({ methods }) => methods)).to.deep.equal([['server/discover'], ['initialize', 'notifications/initialized']]);
        record(client.reconnect());
        time.flush();
        expect(server.peers.map(({ methods }) => methods[0])).to.deep.equal(['server/discover', 'initialize', 'initialize']);
        void client.close();
      });
    });

    it('and exits again fails with what ended it, and no third start', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, { ...strict, initialize: (_, peer) => peer.close() });
        expect(ready.errors).to.have.length(1);
        expect(ready.errors[0]).to.be.instanceOf(ConnectionClosedError);
        expect(ready.errors[0]).to.include({ phase: 'connecting', message: 'Transport closed' });
        expect(server.peers).to.have.length(2);
        void client.close();
      });
    });

    it('is not started again when it exits later', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, legacyScript({ initialize: (_, peer) => peer.close() }));
        expect(ready.errors[0]).to.be.instanceOf(ConnectionClosedError);
        expect(server.peers).to.have.length(1);
        void client.close();
      });
    });
  });

  describe('what is remembered', () => {
    it('a legacy verdict saves the probe', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(time, legacyScript(), { verdict: { era: 'legacy', revision: '2025-11-25' } });
        expect(version).to.equal('2025-11-25');
        expect(server.methods).to.deep.equal(['initialize', 'notifications/initialized']);
        void client.close();
      });
    });

    it('a modern verdict does not send initialize to a server that takes its time', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(
          time,
          modernScript({ 'server/discover': ({ id }, peer) => time.at(5_000, () => peer.result(id, { supportedVersions: ['2026-07-28'], capabilities: {} })) }),
          { verdict: { era: 'modern', revision: '2026-07-28' } },
        );
        expect(version).to.equal('2026-07-28');
        expect(server.methods).to.deep.equal(['server/discover']);
        void client.close();
      });
    });

    it('the verdict of one connection serves the next', () => {
      inVirtualTime((time) => {
        const { server, client } = connecting(time, legacyScript());
        const session = record(client.state$).values[0] as any;
        expect(session.session.verdict).to.deep.equal({ era: 'legacy', revision: '2025-11-25' });
        expect(JSON.parse(JSON.stringify(session.session.verdict))).to.deep.equal(session.session.verdict);
        record(client.reconnect());
        time.flush();
        expect(server.peers.map(({ methods }) => methods[0])).to.deep.equal(['server/discover', 'initialize']);
        void client.close();
      });
    });

    it('a legacy verdict that no longer holds is found out by one fresh start', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(time, modernScript(), { verdict: { era: 'legacy', revision: '2025-11-25' } });
        expect(version).to.equal('2026-07-28');
        expect(server.peers.map(({ methods }) => methods)).to.deep.equal([['initialize'], ['server/discover']]);
        void client.close();
      });
    });

    it('a modern verdict that no longer holds is found out by the answer', () => {
      inVirtualTime((time) => {
        const { client, version } = connecting(time, legacyScript(), { verdict: { era: 'modern', revision: '2026-07-28' } });
        expect(version).to.equal('2025-11-25');
        void client.close();
      });
    });

    it('a modern verdict that no longer holds does not keep a server out that is silent to the probe', () => {
      inVirtualTime((time) => {
        const { client, ready } = connecting(time, legacyScript({ 'server/discover': silent }), { verdict: { era: 'modern', revision: '2026-07-28' } });
        const again = ready.errors.length > 0 ? record(client.connect()) : ready;
        time.flush();
        expect(again.errors).to.deep.equal([]);
        expect(client.protocolVersion).to.equal('2025-11-25');
        void client.close();
      });
    });
  });

  describe('with chosen revisions', () => {
    it('speaks only the legacy ones that are given, without a probe', () => {
      inVirtualTime((time) => {
        const { server, client, version } = connecting(time, legacyScript(), { revisions: ['2025-06-18', '2024-11-05'] });
        expect(version).to.equal('2025-06-18');
        expect(server.methods).to.deep.equal(['initialize', 'notifications/initialized']);
        void client.close();
      });
    });

    it('refuses a version that is not among them', () => {
      inVirtualTime((time) => {
        const { client, ready } = connecting(time, legacyScript({ initialize: () => ({ protocolVersion: '2024-11-05' }) }), { revisions: ['2025-06-18'] });
        expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
        expect(ready.errors[0].clientVersions).to.deep.equal(['2025-06-18']);
        void client.close();
      });
    });

    it('never falls back when only a modern one is given', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, legacyScript(), { revisions: ['2026-07-28'] });
        expect(ready.errors[0]).to.be.instanceOf(UnsupportedProtocolVersionError);
        expect(server.methods).to.deep.equal(['server/discover']);
        void client.close();
      });
    });

    it('waits as long as the handshake may last when only a modern one is given', () => {
      inVirtualTime((time) => {
        const { server, client, ready } = connecting(time, { 'server/discover': silent }, { revisions: ['2026-07-28'], handshakeTimeoutMs: 9_000 });
        expect(ready.endedAt).to.equal(9_000);
        expect(server.methods).to.deep.equal(['server/discover']);
        void client.close();
      });
    });
  });

  describe('the deadline of the handshake [R40]', () => {
    it('is 60 seconds, has the text of a request, and no cancel is sent [R43 B19]', () => {
      inVirtualTime((time) => {
        const { server, client, ready, states } = connecting(time, { 'server/discover': refuse(-32601), initialize: silent });
        expect(ready.endedAt).to.equal(60_000);
        expect(ready.errors[0]).to.be.instanceOf(RequestTimeoutError);
        expect(ready.errors[0].message).to.equal('Request timeout after 60000ms');
        expect(server.methods).to.deep.equal(['server/discover', 'initialize']);
        expect(server.peer.closed).to.equal(true);
        expect(states.values.at(-1)).to.deep.equal({ status: 'disconnected', cause: ready.errors[0] });
        void client.close();
      });
    });

    it('can be set, and covers the probe, a fresh start and initialized', () => {
      inVirtualTime((time) => {
        const { client, ready } = connecting(time, (n) => ({ 'server/discover': silent, initialize: n === 0 ? refuse(-32600) : silent }), { handshakeTimeoutMs: 500, probeTimeoutMs: 200 });
        expect(ready.endedAt).to.equal(500);
        expect(ready.errors[0].message).to.equal('Request timeout after 500ms');
        void client.close();
      });
    });

    it('is not the deadline of requests', () => {
      inVirtualTime((time) => {
        const { client, ready } = connecting(time, legacyScript({ initialize: ({ id }, peer) => time.at(10_000, () => peer.result(id, { protocolVersion: '2025-11-25' })) }), { timeout: 100 });
        expect(ready.errors).to.deep.equal([]);
        const x = record(client.request('mute'));
        time.flush();
        expect(x.endedAt).to.equal(100);
        void client.close();
      });
    });
  });
});
