import { expect } from 'chai';
import { finalize, lastValueFrom, NEVER, of, throwError, type ObservableInput } from 'rxjs';
import { connect, createClient, createTransport, withWebSocket, type TransportConfig } from '../../lib/index.ts';
import { ConfigError, ConnectionClosedError, MessageTooLargeError, NetworkError } from '../../lib/errors.ts';
import { Connection, type ConnectionOptions } from '../../lib/session/connection.ts';
import { WebSocketTransport, type WebSocketConfig } from '../../lib/transport/web-socket.ts';
import { behaves } from '../servers/behaves.ts';
import { keepsTheContract } from '../support/contract.ts';
import { inBrowser } from '../support/fixtures.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';
import { webSocketConfig } from '../support/web-socket.ts';

const features = [withWebSocket()];

describe('contract: WebSocket [R03]', () => {
  keepsTheContract(async (options) => createTransport(await webSocketConfig('contract'), { ...options, features }));
});

describe('an SDK server over WebSocket', () => {
  behaves({ open: async (options) => createClient(await webSocketConfig('legacy'), { ...options, features }), name: 'legacy', era: 'legacy', revision: '2025-11-25' });
});

describe('WebSocket transport', () => {
  const made: Connection[] = [];
  let runs = 0;

  async function idle(path: string, more: Partial<WebSocketConfig> = {}, options: ConnectionOptions = {}): Promise<Connection> {
    const config = await webSocketConfig(path, more);
    const connection = new Connection(new WebSocketTransport(config), { name: config.name, ...options });
    made.push(connection);
    return connection;
  }
  /** A connection to the scripted server, and how many sockets its run has open there. */
  async function scripted(more: Partial<WebSocketConfig> = {}) {
    const run = `${Math.random().toString(36).slice(2)}-${++runs}`;
    const causes: any[] = [];
    const connection = await idle(`scripted?run=${run}`, more, { onClose: (cause) => causes.push(cause) });
    const other = await idle('scripted');
    await lastValueFrom(other.connect());
    const openSockets = async () => ((await lastValueFrom(other.request('open', { run }))) as { open: number }).open;
    return { connection, causes, openSockets };
  }
  const ask = (connection: Connection, method: string, params: object = {}) => connection.request(method, params as never);

  afterEach(async () => {
    for (const connection of made.splice(0)) await outcome(connection.close());
  });

  describe('frames', () => {
    it('that are binary or not JSON are skipped with a diagnostic, and the rest goes on [R23]', async () => {
      const { connection } = await scripted();
      await lastValueFrom(connection.connect());
      const diagnostics = record(connection.diagnostics$);
      await outcome(ask(connection, 'binary'));
      await outcome(ask(connection, 'text', { text: '{"jsonrpc":' }));
      await outcome(ask(connection, 'text', { text: '"x"' }));
      expect(diagnostics.values.map(({ kind, excerpt }) => [kind, excerpt])).to.deep.equal([
        ['malformed', undefined],
        ['malformed', '{"jsonrpc":'],
        ['not-json-rpc', '"x"'],
      ]);
      expect(connection.connected).to.equal(true);
    });

    it('may hold a batch', async () => {
      const { connection } = await scripted();
      await lastValueFrom(connection.connect());
      const notes = record(connection.notifications$);
      await outcome(ask(connection, 'text', { text: JSON.stringify([1, 2].map((n) => ({ jsonrpc: '2.0', method: 'note', params: { n } }))) }));
      expect(notes.values.map(({ params }) => params?.n)).to.deep.equal([1, 2]);
    });

    it('may be as long as maxMessageBytes, counted in UTF-8; one byte more ends the connection', async () => {
      const { connection, causes, openSockets } = await scripted({ maxMessageBytes: 1_001 });
      await lastValueFrom(connection.connect());
      expect((await outcome(ask(connection, 'large', { bytes: 1_000 }))).error).to.equal(undefined);
      const error = await errorOf(ask(connection, 'large', { bytes: 1_002 }));
      await until(() => causes.length === 1);
      expect(error).to.be.instanceOf(MessageTooLargeError).with.property('limitBytes', 1_001);
      expect(causes).to.deep.equal([error]);
      await until(async () => (await openSockets()) === 0);
    });
  });

  describe('ending', () => {
    it('by the server: code and reason are in the error, and everything pending fails [R22]', async () => {
      const { connection, causes } = await scripted({ name: 'scribe' });
      await lastValueFrom(connection.connect());
      const pending = [record(ask(connection, 'open', { run: 1 })), record(ask(connection, 'close', { code: 4321, reason: 'enough' }))];
      await until(() => causes.length === 1);
      expect(causes[0]).to.be.instanceOf(ConnectionClosedError);
      expect(causes[0]).to.include({ closeCode: 4321, closeReason: 'enough', server: 'scribe', message: 'Transport closed' });
      expect(pending[0]).to.deep.include({ completed: 1 });
      expect(pending[1]!.errors).to.have.length(1);
      expect(pending[1]!.errors[0]).to.include({ name: 'ConnectionClosedError' });
    });

    it('by a cut: the code says that there was no farewell', async () => {
      const { connection, causes } = await scripted();
      await lastValueFrom(connection.connect());
      expect(await errorOf(ask(connection, 'cut'))).to.be.instanceOf(ConnectionClosedError);
      await until(() => causes.length === 1);
      expect(causes[0]).to.include({ closeCode: 1006, closeReason: '' });
    });

    it('by close(): what was sent has arrived, and no socket is left', async () => {
      const { connection, causes, openSockets } = await scripted();
      await lastValueFrom(connection.connect());
      expect(await openSockets()).to.equal(1);
      await outcome(connection.close());
      expect(causes).to.deep.equal([undefined]);
      await until(async () => (await openSockets()) === 0);
    });

    it('is bounded when the server does not say goodbye', async () => {
      const { connection, causes } = await scripted();
      await lastValueFrom(connection.connect());
      await outcome(ask(connection, 'deaf'));
      expect((await outcome(connection.close())).error).to.equal(undefined);
      expect(causes).to.deep.equal([undefined]);
    });
  });

  describe('opening', () => {
    it('offers mcp first, then what is configured, once', async () => {
      const { connection } = await scripted({ protocols: ['ticket.x', 'mcp', 'ticket.x'] });
      await lastValueFrom(connection.connect());
      const { offered } = (await lastValueFrom(ask(connection, 'offered'))) as { offered: string };
      expect(offered.split(/,\s*/)).to.deep.equal(['mcp', 'ticket.x']);
    });

    const sources: Record<string, () => ObservableInput<readonly string[]>> = {
      'an Observable, its first value': () => of(['ticket.y'], ['ticket.z']),
      'a Promise': async () => ['ticket.y'],
      'an array that holds the list': () => [['ticket.y']],
    };
    for (const [name, protocols] of Object.entries(sources)) {
      it(`takes subprotocols from ${name}`, async () => {
        const { connection } = await scripted({ protocols });
        await lastValueFrom(connection.connect());
        const { offered } = (await lastValueFrom(ask(connection, 'offered'))) as { offered: string };
        expect(offered).to.match(/^mcp,\s*ticket\.y$/);
      });
    }

    it('asks for subprotocols anew for each connection of a client', async () => {
      let count = 0;
      const config = await webSocketConfig('legacy', { protocols: () => of([`ticket.${++count}`]) });
      const client = createClient(config, { features });
      await outcome(client.connect());
      await outcome(client.reconnect());
      expect(client.connected).to.equal(true);
      expect(count).to.equal(2);
      await outcome(client.close());
    });

    const broken: Record<string, [() => ObservableInput<readonly string[]>, string]> = {
      'errors': [() => throwError(() => new Error('no ticket today')), 'no ticket today'],
      'completes without a value': [() => [], 'completed without a value'],
      'throws': [() => { throw new Error('not at home'); }, 'not at home'],
      'gives what is no subprotocol': [() => of(['no good']), 'Cannot open ws://'],
    };
    for (const [name, [protocols, text]] of Object.entries(broken)) {
      it(`fails clearly when the source of subprotocols ${name}`, async () => {
        const { connection, causes } = await scripted({ protocols });
        const error = await errorOf(connection.connect());
        expect(error).to.be.instanceOf(ConfigError);
        expect(error.message).to.include(text);
        expect(causes).to.deep.equal([error]);
      });
    }

    it('waits for a source that never comes, and leaves it when closed', async () => {
      let left = 0;
      const { connection, openSockets } = await scripted({ protocols: () => NEVER.pipe(finalize(() => left++)) });
      const connecting = record(connection.connect());
      expect(await openSockets()).to.equal(0);
      expect(connecting).to.deep.include({ values: [], completed: 0, errors: [] });
      await outcome(connection.close());
      expect(left).to.equal(1);
      expect(connecting.errors.map(({ name }) => name)).to.deep.equal(['NotConnectedError']);
    });

    it('closed meanwhile, leaves no socket', async () => {
      const { connection, causes, openSockets } = await scripted();
      void connection.connect();
      await outcome(connection.close());
      expect(causes).to.deep.equal([undefined]);
      await until(async () => (await openSockets()) === 0);
    });

    for (const [path, why] of [['scripted?refuse=403', '403'], ['nowhere', '404'], ['scripted?bare=1', 'subprotocol']] as const) {
      it(`fails when the server answers ${path} otherwise`, async () => {
        const connection = await idle(path, { url: (await webSocketConfig(`${path}${path.includes('?') ? '&' : '?'}token=secret`)).url });
        const error = await errorOf(connection.connect());
        expect(error).to.be.instanceOf(NetworkError);
        expect(error.message).to.match(/^Cannot reach ws:\/\/127\.0\.0\.1:\d+\//).and.not.include('secret');
        if (!inBrowser) expect(error.message).to.include(why); // browsers do not say
      });
    }

    it('fails when nobody listens', async () => {
      const connection = await idle('', { url: 'ws://127.0.0.1:1/' });
      const error = await errorOf(connection.connect());
      expect(error).to.be.instanceOf(NetworkError);
      expect(error.code).to.equal(inBrowser ? undefined : 'ECONNREFUSED');
    });
  });

  describe('as a feature [R04]', () => {
    it('without it the error names what is missing', async () => {
      const config = await webSocketConfig('legacy');
      expect(() => createTransport(config)).to.throw(ConfigError, '"websocket" needs withWebSocket()');
      expect((await errorOf(connect(config))).message).to.include('"websocket" needs withWebSocket()');
      expect(() => createTransport({ type: 'pigeon' } as unknown as TransportConfig, { features })).to.throw(ConfigError, '"pigeon"');
    });

    it('leaves the other types as they are', () => {
      expect(createTransport({ type: 'http', url: 'http://127.0.0.1:1/' }, { features }).hasRequestStreams).to.equal(true);
      expect(createTransport({ type: 'websocket', url: 'ws://127.0.0.1:1/', WebSocketCtor: Object as never }, { features }).hasRequestStreams).to.equal(false);
    });

    it('connect() closes the socket when unsubscribed', async () => {
      const { openSockets } = await scripted();
      expect(await openSockets()).to.equal(0);
      const config = await webSocketConfig('legacy');
      const ready = record(connect(config, { features }));
      await until(() => ready.values.length === 1);
      const [client] = ready.values;
      ready.unsubscribe();
      await until(() => !client!.connected);
      expect(ready).to.deep.include({ errors: [], completed: 0 });
    });
  });

  describe('configuration', () => {
    for (const url of ['', 'http://127.0.0.1/', 'ws://', 'mcp', undefined]) {
      it(`refuses the URL ${JSON.stringify(url)}`, () => {
        expect(() => new WebSocketTransport({ type: 'websocket', url } as never)).to.throw(ConfigError, '"websocket"');
      });
    }

    it('says when there is no WebSocket class', function () {
      if ('WebSocket' in globalThis) this.skip();
      expect(() => new WebSocketTransport({ type: 'websocket', url: 'ws://127.0.0.1/' })).to.throw(ConfigError, 'WebSocketCtor');
    });

    it('takes the class of the configuration', () => {
      const given: unknown[] = [];
      const Own = function (...args: unknown[]) {
        given.push(...args);
        throw new Error('own');
      };
      const transport = new WebSocketTransport({ type: 'websocket', url: 'wss://example.com/', WebSocketCtor: Own as never });
      const { errors } = record(transport.connect());
      expect(given).to.deep.equal(['wss://example.com/', ['mcp']]);
      expect(errors[0]).to.be.instanceOf(ConfigError).with.property('message', 'Cannot open wss://example.com/: own');
    });
  });
});
