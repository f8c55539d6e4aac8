import { expect } from 'chai';
import type { ClientOptions, McpClient } from '../../lib/client/client.ts';
import { RpcError, UnsupportedProtocolVersionError } from '../../lib/errors.ts';
import { createClient } from '../../lib/node.ts';
import { rawStdio } from '../support/node-fixtures.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { isAlive, pidsOf, watchChildren } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';

const LEGACY = ['server/discover', 'initialize', 'notifications/initialized'];
const initializeResult = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };

describe('odd handshakes over stdio', function () {
  this.timeout(20_000);

  const clients: McpClient[] = [];
  const children = watchChildren();
  const pids = () => pidsOf(children());
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
    for (const pid of pids()) await until(() => !isAlive(pid));
  });

  function clientOf(scenario: string, options: object = {}, clientOptions: ClientOptions = {}) {
    const client = createClient(rawStdio(scenario, options), clientOptions);
    clients.push(client);
    const sent: any[] = [];
    client.wire$.subscribe(({ direction, message }) => {
      if (direction === 'out') sent.push('method' in message ? message.method : message);
    });
    return { client, sent };
  }
  async function connected(scenario: string, options: object = {}, clientOptions: ClientOptions = {}) {
    const { client, sent } = clientOf(scenario, options, clientOptions);
    const { error } = await outcome(client.connect());
    if (error !== undefined) throw error as Error;
    return { client, sent };
  }

  describe('the probe [B20]', () => {
    it('refused as an unknown method means initialize, in the same process', async () => {
      const { client, sent } = await connected('plain');
      expect(sent).to.deep.equal(LEGACY);
      expect(client.protocolVersion).to.equal('2025-11-25');
      expect(pids()).to.have.length(1);
    });

    for (const error of [
      { code: -32603, message: 'Internal error' },
      { code: -32001, message: 'x'.repeat(2_000) },
      { code: -32600, message: 'Invalid Request' },
      { code: -32602, message: 'Invalid params' },
      { code: 0, message: '' },
    ]) {
      it(`refused with ${error.code} means the same`, async () => {
        const { client, sent } = await connected('scripted', { rules: [{ on: 'server/discover', error }, { on: 'initialize', reply: initializeResult }] });
        expect(sent).to.deep.equal(LEGACY);
        expect(client.protocolVersion).to.equal('2025-11-25');
        expect(pids()).to.have.length(1);
      });
    }

    for (const [title, reply] of [
      ['an empty object', {}],
      ['no list', { supportedVersions: 'all of them' }],
      ['older revisions only', { supportedVersions: ['2025-06-18', '2025-11-25'], capabilities: {} }],
    ] as const) {
      it(`answered with ${title} means the same`, async () => {
        const { sent } = await connected('scripted', { rules: [{ on: 'server/discover', reply }, { on: 'initialize', reply: initializeResult }] });
        expect(sent).to.deep.equal(LEGACY);
        expect(pids()).to.have.length(1);
      });
    }

    for (const [title, raw] of [
      ['silence', ''],
      ['an error without an id', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n'],
      ['the wrong id', '{"jsonrpc":"2.0","id":4711,"error":{"code":-32601,"message":"x"}}\n'],
      ['garbage', 'unknown method server/discover\n'],
    ] as const) {
      it(`answered with ${title} holds the handshake up for the probe's deadline, no longer`, async () => {
        const { client, sent } = await connected('scripted', { rules: [{ on: 'server/discover', raw }, { on: 'initialize', reply: initializeResult }] }, { probeTimeoutMs: 50 });
        expect(sent).to.deep.equal(LEGACY); // and the probe is not cancelled
        expect(client.protocolVersion).to.equal('2025-11-25');
        expect(pids()).to.have.length(1);
      });
    }

    it('a server that is silent to it is not asked again', async () => {
      const { client, sent } = await connected('silent-probe', {}, { probeTimeoutMs: 50 });
      expect((await outcome(client.callTool('echo', { n: 1 }))).error).to.equal(undefined);
      sent.length = 0;
      expect((await outcome(client.reconnect())).error).to.equal(undefined);
      expect(sent).to.deep.equal(['initialize', 'notifications/initialized']);
    });

    it('a slow modern server ends up modern: its late answer counts once it has refused initialize', async () => {
      const { client, sent } = await connected('silent-probe', { answerAfter: 400 }, { probeTimeoutMs: 200 });
      expect(sent).to.deep.equal(['server/discover', 'initialize']);
      expect(client.protocolVersion).to.equal('2026-07-28');
      expect(pids()).to.have.length(1);
      expect((await outcome(client.callTool('echo'))).error).to.equal(undefined);
    });

    it('a modern server that refuses initialize is never asked for it', async () => {
      const { client, sent } = await connected('discovers-only');
      expect(sent).to.deep.equal(['server/discover']);
      expect(client.protocolVersion).to.equal('2026-07-28');
      expect((await outcome(client.callTool('echo', { n: 1 }))).error).to.equal(undefined);
    });

    it('a modern error keeps the server modern: the list it gives decides [B21]', async () => {
      const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-09-01'], requested: '2026-07-28' } };
      const { client, sent } = clientOf('scripted', { rules: [{ on: 'server/discover', error }, { on: 'initialize', reply: initializeResult }] });
      const failure = await errorOf(client.connect());
      expect(failure).to.be.instanceOf(UnsupportedProtocolVersionError);
      expect(failure.serverVersions).to.deep.equal(['2026-09-01']);
      expect(sent).to.deep.equal(['server/discover']);
    });

    for (const code of [-32020, -32021]) {
      it(`${code} never leads to initialize either [B21]`, async () => {
        const { client, sent } = clientOf('scripted', { rules: [{ on: 'server/discover', error: { code, message: 'x' } }, { on: 'initialize', reply: initializeResult }] });
        expect(await errorOf(client.connect())).to.be.instanceOf(RpcError).with.property('code', code);
        expect(sent).to.deep.equal(['server/discover']);
      });
    }

    for (const versions of [undefined, ['2025-11-25']]) {
      it(`a server that ${versions ? 'answered' : 'refused'} it and then refuses initialize gets one fresh process`, async () => {
        const { client, sent } = await connected('refuses-after-probe', { versions });
        expect(pids()).to.have.length(2);
        expect(isAlive(pids()[0]!)).to.equal(false);
        expect(client.serverInfo?.name).to.equal('fresh');
        expect(sent).to.deep.equal(['server/discover', 'initialize', 'initialize', 'notifications/initialized']);
        expect((await outcome(client.callTool('echo'))).error).to.equal(undefined);
        expect((await outcome(client.reconnect())).error).to.equal(undefined);
        expect(pids()).to.have.length(3);
      });
    }

    it('and no third one', async () => {
      const { client } = clientOf('refuses-after-probe', { always: true });
      expect(await errorOf(client.connect())).to.be.instanceOf(RpcError).with.property('code', -32600);
      expect(pids()).to.have.length(2);
    });
  });

  describe('initialize', () => {
    it('capabilities may be true', async () => {
      const { client } = await connected('odd-handshake', { capabilities: { tools: true, logging: true, resources: false, prompts: { listChanged: true }, x: 7 } });
      expect(client.capabilities).to.deep.equal({ tools: {}, logging: {}, prompts: { listChanged: true } });
    });

    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18']) {
      it(`may be answered with ${protocolVersion} [B23]`, async () => {
        const { client } = await connected('odd-handshake', { protocolVersion });
        expect(client.protocolVersion).to.equal(protocolVersion);
        expect((await outcome(client.listTools())).error).to.equal(undefined);
      });
    }

    for (const protocolVersion of ['1999-01-01', '', '2026-07-28']) {
      it(`answered with "${protocolVersion}" is the end, said by class and field [B23]`, async () => {
        const { client } = clientOf('odd-handshake', { protocolVersion });
        const error = await errorOf(client.connect());
        expect(error).to.be.instanceOf(UnsupportedProtocolVersionError);
        expect(error.serverVersions).to.deep.equal([protocolVersion]);
        await until(() => !isAlive(pids()[0]!));
      });
    }

    for (const reply of [{}, { protocolVersion: 7 }]) {
      it(`answered with ${JSON.stringify(reply)} is the end, too`, async () => {
        const { client } = clientOf('scripted', { rules: [{ on: 'initialize', reply }] });
        expect(await errorOf(client.connect())).to.be.instanceOf(UnsupportedProtocolVersionError);
        await until(() => !isAlive(pids()[0]!));
      });
    }

    it('what comes before its answer is delivered to who subscribes when the client is handed out [R16]', async () => {
      const before = [1, 2, 3].map((data) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } }));
      const { client } = clientOf('scripted', { rules: [{ on: 'initialize', before, reply: initializeResult }] });
      const connecting = outcome(client.connect());
      expect((await connecting).error).to.equal(undefined);
      const logs = record(client.logs$);
      await until(() => logs.values.length > 0);
      expect(logs.values.map(({ data }) => data)).to.deep.equal([1, 2, 3]);
    });

    it('may come with questions: ping is answered at once, what was not declared refused [B25]', async () => {
      const { client } = await connected('asks');
      const [result] = (await outcome(client.callTool('x'))).values;
      const answers = JSON.parse((result?.content[0] as { text: string }).text);
      expect(answers.early.result).to.deep.equal({});
      expect(answers.ping.result).to.deep.equal({});
      expect(answers.roots.error.code).to.equal(-32601);
    });

    it('never answered, it ends with the deadline, and is not cancelled [R40 B19]', async () => {
      const { client, sent } = clientOf('mute', { methods: ['initialize'] }, { handshakeTimeoutMs: 600 });
      const error = await errorOf(client.connect());
      expect(error.message).to.equal('Request timeout after 600ms');
      expect(sent).to.deep.equal(['server/discover', 'initialize']);
      await until(() => !isAlive(pids()[0]!));
    });
  });
});
