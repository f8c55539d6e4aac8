import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { firstValueFrom, lastValueFrom, Subscription } from 'rxjs';
import { WebSocket } from 'ws';
import { ConfigError, connect, createClient, serveStdio, type Bridge, type BridgeConnection, type BridgeOptions, type StdioConfig } from '../../lib/node.ts';
import { ConnectionClosedError, NetworkError } from '../../lib/errors.ts';
import { rawStdio, stdioServer } from '../support/node-fixtures.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { isAlive, pidsOf, watchChildren } from '../support/stdio.ts';
import { record, type Recorded } from '../support/test-scheduler.ts';
import { ORIGIN, webSocketCtor } from '../support/web-socket.ts';

describe('bridge', function () {
  this.timeout(20_000);
  const children = watchChildren();
  const pids = () => pidsOf(children());
  const open: Subscription[] = [];
  const sockets: WebSocket[] = [];

  interface Opened {
    readonly bridge: Bridge;
    readonly connections: Recorded<BridgeConnection>;
    readonly refusals: Recorded<{ status: number }>;
    end(): void;
  }

  async function bridgeTo(config: StdioConfig, options: BridgeOptions = {}): Promise<Opened> {
    const bridge = await new Promise<Bridge>((resolve, reject) => {
      open.push(serveStdio(config, options).subscribe({ next: resolve, error: reject }));
    });
    const subscription = open.at(-1)!;
    return {
      bridge,
      connections: record(bridge.connections$),
      refusals: record(bridge.refusals$),
      end: () => {
        subscription.unsubscribe();
      },
    };
  }

  /** What a handshake is answered with: 101, or why not. Everything that is needed is there unless it is taken away. */
  async function knock(bridge: Bridge, headers: Record<string, string | undefined> = {}): Promise<{ status: number; text: string; headers: IncomingMessage['headers'] }> {
    const { port, hostname } = new URL(bridge.url);
    const all: Record<string, string | undefined> = {
      host: `127.0.0.1:${port}`,
      origin: ORIGIN,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': `mcp, ${bridge.ticket()}`,
      ...headers,
    };
    const defined = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<string, string>;
    return new Promise((resolve, reject) => {
      const asked = request({ host: hostname.replace(/[[\]]/g, ''), port, headers: defined, agent: false });
      asked.on('upgrade', (response, socket) => {
        socket.destroy();
        resolve({ status: 101, text: '', headers: response.headers });
      });
      asked.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
        });
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  /** A socket as a page opens it. */
  async function page(bridge: Bridge): Promise<WebSocket> {
    const socket = new WebSocket(bridge.url, ['mcp', bridge.ticket()], { origin: ORIGIN });
    sockets.push(socket);
    await once(socket, 'open');
    return socket;
  }
  const answerTo = async (socket: WebSocket, message: object | string): Promise<any> => {
    const answer = once(socket, 'message');
    socket.send(typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }));
    return JSON.parse(String((await answer)[0]));
  };
  const closeOf = async (socket: WebSocket): Promise<{ code: number; reason: string }> => {
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    return { code, reason: String(reason) };
  };
  const clientConfig = async (bridge: Bridge) =>
    ({ type: 'websocket', url: bridge.url, protocols: () => [[bridge.ticket()]], WebSocketCtor: await webSocketCtor() }) as const;
  const gone = () => until(() => pids().every((pid) => !isAlive(pid)));

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    for (const subscription of open.splice(0)) subscription.unsubscribe();
    await gone();
  });

  describe('relays', () => {
    it('the everything server, until connect() is unsubscribed', async () => {
      const { bridge, connections } = await bridgeTo(stdioServer('everything'));
      const ready = record(connect(await clientConfig(bridge)));
      await until(() => ready.values.length === 1);
      const sum: any = await firstValueFrom(ready.values[0]!.callTool('get-sum', { a: 2, b: 3 }));
      expect(sum.content[0].text).to.include('5');
      expect(pids()).to.have.length(1);
      ready.unsubscribe();
      expect(await lastValueFrom(connections.values[0]!.closed$)).to.deep.equal({ code: 1000, reason: '', cause: undefined });
      expect(pids().map(isAlive)).to.deep.equal([false]);
      expect(bridge.connections).to.deep.equal([]);
    });

    it('each connection to a process of its own', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const pages = [await page(bridge), await page(bridge)];
      for (const [index, socket] of pages.entries()) expect((await answerTo(socket, { id: index, method: 'ping' })).id).to.equal(index);
      expect(new Set(pids()).size).to.equal(2);
      expect(connections.values.map(({ id, origin, pid }) => ({ id, origin, pid }))).to.deep.equal(pids().map((pid, index) => ({ id: index + 1, origin: ORIGIN, pid })));
      pages[0]!.close();
      await lastValueFrom(connections.values[0]!.closed$);
      expect((await answerTo(pages[1]!, { id: 9, method: 'ping' })).id).to.equal(9);
    });

    it('what comes before the process is up', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'));
      const socket = new WebSocket(bridge.url, ['mcp', bridge.ticket()], { origin: ORIGIN });
      sockets.push(socket);
      socket.on('open', () => {
        for (let id = 1; id <= 50; id++) socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
      });
      const ids: number[] = [];
      socket.on('message', (data) => ids.push(JSON.parse((data as Buffer).toString()).id as number));
      await until(() => ids.length === 50);
      expect(ids).to.deep.equal(Array.from({ length: 50 }, (_, i) => i + 1));
    });

    it('what comes in one packet with the handshake', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'));
      const { port, host } = new URL(bridge.url);
      const lines = [
        'GET / HTTP/1.1', `Host: ${host}`, `Origin: ${ORIGIN}`, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Sec-WebSocket-Protocol: mcp, ${bridge.ticket()}`, '', '',
      ];
      const text = JSON.stringify({ jsonrpc: '2.0', id: 77, method: 'ping' });
      const frame = Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)]); // one text frame, masked with zeros
      const socket = connectTcp(Number(port), '127.0.0.1');
      let read = '';
      socket.on('data', (chunk) => (read += chunk.toString('latin1')));
      socket.write(Buffer.concat([Buffer.from(lines.join('\r\n')), frame]));
      await until(() => read.includes('"id":77'));
      expect(read).to.include('"result":{}');
      socket.destroy();
    });

    it('batches, and skips what is no message with a diagnostic', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('banner'));
      const socket = await page(bridge);
      const diagnostics = record(connections.values[0]!.diagnostics$);
      socket.send(Buffer.from([1, 2]));
      socket.send('{"jsonrpc"');
      socket.send('[7]');
      expect((await answerTo(socket, JSON.stringify([{ jsonrpc: '2.0', id: 5, method: 'ping' }]))).id).to.equal(5);
      const own = diagnostics.values.filter(({ message }) => !message.includes('line'));
      expect(own.map(({ kind, excerpt }) => [kind, excerpt])).to.deep.equal([['malformed', undefined], ['malformed', '{"jsonrpc"'], ['not-json-rpc', '7']]);
      expect(diagnostics.values.length).to.be.above(own.length); // the server's own banner
      socket.close();
      await until(() => diagnostics.completed === 1);
    });

    it('stderr for those who look', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('mute'));
      const socket = await page(bridge);
      const stderr = record(connections.values[0]!.stderr$);
      await answerTo(socket, { id: 1, method: 'ping' });
      await until(() => stderr.values.join('').includes('"ping"'));
      socket.close();
      await until(() => stderr.completed === 1);
    });
  });

  describe('ends', () => {
    it('the socket with the process, saying how it ended and why', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('exits', { on: 'ping' }));
      const socket = await page(bridge);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
      expect(await closeOf(socket)).to.deep.equal({ code: 1011, reason: 'exit code 78: Error: missing API key' });
      const { cause, ...frame } = await lastValueFrom(connections.values[0]!.closed$);
      expect(frame).to.deep.equal({ code: 1011, reason: 'exit code 78: Error: missing API key' });
      expect(cause).to.be.instanceOf(ConnectionClosedError).and.include({ exitCode: 78, stderrTail: 'Error: missing API key\n' });
    });

    it('a client learns it with its pending call', async () => {
      const { bridge } = await bridgeTo(rawStdio('exits', { on: 'tools/call', stderr: `${'x'.repeat(300)}é\n` }));
      const client = createClient(await clientConfig(bridge));
      await outcome(client.connect());
      const error = await errorOf(client.callTool('echo'));
      expect(error).to.be.instanceOf(ConnectionClosedError).with.property('closeCode', 1011);
      expect(error.closeReason).to.match(/^exit code 78: x+…$/);
      expect(Buffer.byteLength(error.closeReason)).to.equal(123);
      await outcome(client.close());
    });

    it('normally when the process has ended well', async () => {
      const { bridge } = await bridgeTo(rawStdio('exits', { on: 'ping', code: 0, stderr: '' }));
      const socket = await page(bridge);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
      expect(await closeOf(socket)).to.deep.equal({ code: 1000, reason: 'exit code 0' });
    });

    it('when the process is killed', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const socket = await page(bridge);
      await answerTo(socket, { id: 1, method: 'ping' });
      process.kill(pids()[0]!, 'SIGKILL');
      expect(await closeOf(socket)).to.deep.equal({ code: 1011, reason: 'signal SIGKILL' });
      expect((await lastValueFrom(connections.values[0]!.closed$)).cause).to.include({ signal: 'SIGKILL' });
    });

    it('when the command cannot be started', async () => {
      const { bridge } = await bridgeTo({ command: 'no-such-command-anywhere' });
      const socket = new WebSocket(bridge.url, ['mcp', bridge.ticket()], { origin: ORIGIN });
      const { code, reason } = await closeOf(socket);
      expect(code).to.equal(1011);
      expect(reason).to.include('Cannot start "no-such-command-anywhere"');
    });

    it('the process with the socket: closed, cut, or closed while the process is still starting', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const [closed, cut, early] = [await page(bridge), await page(bridge), await page(bridge)];
      early.terminate();
      await answerTo(closed, { id: 1, method: 'ping' });
      closed.close(4_001, 'done');
      cut.terminate();
      const ends = await Promise.all(connections.values.map(({ closed$ }) => lastValueFrom(closed$)));
      expect(ends.map(({ code, reason }) => [code, reason])).to.deep.equal([[4_001, 'done'], [1006, ''], [1006, '']]);
      expect(pids().map(isAlive)).to.deep.equal([false, false, false]);
    });

    it('a process that will not end, with force', async () => {
      const { bridge, connections } = await bridgeTo({ ...rawStdio('stubborn'), shutdownStepMs: 100 });
      const socket = await page(bridge);
      await answerTo(socket, { id: 1, method: 'ping' });
      socket.terminate();
      await lastValueFrom(connections.values[0]!.closed$);
      expect(pids().map(isAlive)).to.deep.equal([false]);
    });

    it('one connection, asked to', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const [one, other] = [await page(bridge), await page(bridge)];
      const end = closeOf(one);
      connections.values[0]!.close();
      expect(await end).to.deep.equal({ code: 1001, reason: 'The bridge has ended the connection' });
      expect((await answerTo(other, { id: 1, method: 'ping' })).id).to.equal(1);
    });

    it('everything when unsubscribed', async () => {
      const { bridge, connections, refusals, end } = await bridgeTo(rawStdio('plain'));
      const pages = [await page(bridge), await page(bridge)];
      const ends = Promise.all(pages.map(closeOf));
      end();
      expect((await ends).map(({ code }) => code)).to.deep.equal([1001, 1001]);
      await gone();
      expect([connections.completed, refusals.completed]).to.deep.equal([1, 1]);
      expect(bridge.connections).to.deep.equal([]);
      const client = createClient(await clientConfig(bridge));
      expect(await errorOf(client.connect())).to.be.instanceOf(NetworkError).with.property('code', 'ECONNREFUSED');
    });

    it('a page that does not say goodbye, in bounded time', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const socket = await page(bridge);
      await answerTo(socket, { id: 1, method: 'ping' });
      socket.pause();
      connections.values[0]!.close();
      expect((await lastValueFrom(connections.values[0]!.closed$)).code).to.equal(1001);
    });

    it('at a message of the page that is too long', async () => {
      const { bridge } = await bridgeTo({ ...rawStdio('plain'), maxMessageBytes: 1_000 });
      const socket = await page(bridge);
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect((await answerTo(socket, text.padEnd(1_000))).id).to.equal(1);
      const end = closeOf(socket);
      socket.send(text.padEnd(1_001));
      expect((await end).code).to.equal(1009);
    });

    it('at a message of the process that is too long', async () => {
      const { bridge } = await bridgeTo({ ...rawStdio('long-line', { bytes: 2_000 }), maxMessageBytes: 1_000 });
      const socket = await page(bridge);
      const end = closeOf(socket);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } }));
      const { code, reason } = await end;
      expect(code).to.equal(1009);
      expect(reason).to.include('1000 bytes');
    });

    it('a request that the process has no room for with an error answer', async () => {
      const { bridge } = await bridgeTo({ ...rawStdio('plain'), maxQueuedBytes: 500 });
      const socket = await page(bridge);
      const answer = await answerTo(socket, { id: 7, method: 'ping', params: { x: 'x'.repeat(1_000) } });
      expect(answer).to.deep.include({ id: 7 });
      expect(answer.error.message).to.include('maxQueuedBytes');
    });

    it('a page that does not read', async () => {
      const { bridge, connections } = await bridgeTo({ ...rawStdio('plain'), maxQueuedBytes: 100_000 });
      const socket = await page(bridge);
      socket.pause();
      const text = 'x'.repeat(50_000);
      const ended = record(connections.values[0]!.closed$);
      await until(() => {
        if (socket.bufferedAmount < 1_000_000) socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text } } }));
        return ended.values.length > 0;
      });
      expect(ended.values[0]).to.deep.include({ code: 1013, reason: 'The page reads too slowly' });
    });
  });

  describe('refuses', () => {
    it('nobody who has all that is needed, and does not send the ticket back', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const { status, headers } = await knock(bridge);
      expect([status, headers['sec-websocket-protocol']]).to.deep.equal([101, 'mcp']);
      await lastValueFrom(connections.values[0]!.closed$);
    });

    const host = (name: string) => (bridge: Bridge) => ({ host: `${name}:${new URL(bridge.url).port}` });
    const cases: [string, number, (bridge: Bridge) => Record<string, string | undefined>][] = [
      ['a foreign Host, as after DNS rebinding', 403, host('evil.example')],
      ['a Host that begins like this one', 403, host('127.0.0.1.evil.example')],
      ['a Host with another port', 403, () => ({ host: '127.0.0.1:1' })],
      ['a Host without a port', 403, () => ({ host: '127.0.0.1' })],
      ['a foreign Origin', 403, () => ({ origin: 'https://evil.example' })],
      ['an Origin that begins like this machine', 403, () => ({ origin: 'http://localhost.evil.example' })],
      ['an Origin with this machine as user name', 403, () => ({ origin: 'http://localhost@evil.example' })],
      ['the Origin null', 403, () => ({ origin: 'null' })],
      ['no Origin', 403, () => ({ origin: undefined })],
      ['no subprotocol', 400, () => ({ 'sec-websocket-protocol': undefined })],
      ['a ticket without mcp', 400, (bridge) => ({ 'sec-websocket-protocol': bridge.ticket() })],
      ['no ticket', 401, () => ({ 'sec-websocket-protocol': 'mcp' })],
      ['a wrong ticket', 401, () => ({ 'sec-websocket-protocol': `mcp, ticket.${'A'.repeat(43)}` })],
      ['another protocol', 426, () => ({ upgrade: 'h2c' })],
      ['no upgrade', 426, () => ({ upgrade: undefined, connection: undefined })],
      ['half an upgrade', 426, () => ({ connection: undefined })],
    ];
    for (const [name, expected, change] of cases) {
      it(`${name}: ${expected}`, async () => {
        const { bridge, refusals } = await bridgeTo(rawStdio('plain'));
        const { status, text, headers } = await knock(bridge, change(bridge));
        expect(status).to.equal(expected);
        expect(text).to.have.length.above(10);
        expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
        if (expected === 401) expect(headers['www-authenticate']).to.equal('Ticket');
        if (expected === 426) expect(headers.upgrade).to.equal('websocket');
        expect(refusals.values.map((refusal) => refusal.status)).to.deep.equal([expected]);
        expect(pids()).to.deep.equal([]); // nothing was started
      });
    }

    for (const name of ['localhost', '[::1]', 'LOCALHOST']) {
      it(`not the Host ${name}`, async () => {
        const { bridge, connections } = await bridgeTo(rawStdio('plain'));
        expect((await knock(bridge, host(name)(bridge))).status).to.equal(101);
        await lastValueFrom(connections.values[0]!.closed$);
      });
    }

    it('a used ticket, and leaves the connection it made alone', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'));
      const protocols = `mcp, ${bridge.ticket()}`;
      const first = new WebSocket(bridge.url, protocols.split(', '), { origin: ORIGIN });
      sockets.push(first);
      await once(first, 'open');
      expect((await knock(bridge, { 'sec-websocket-protocol': protocols })).status).to.equal(401);
      expect((await answerTo(first, { id: 1, method: 'ping' })).id).to.equal(1);
    });

    it('an expired ticket', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'), { ticketTtlMs: 1 });
      const protocols = `mcp, ${bridge.ticket()}`;
      await until(async () => new Promise<boolean>((resolve) => setTimeout(resolve, 20, true)));
      expect((await knock(bridge, { 'sec-websocket-protocol': protocols })).status).to.equal(401);
    });

    it('a refused request does not use the ticket up', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'));
      const protocols = { 'sec-websocket-protocol': `mcp, ${bridge.ticket()}` };
      expect((await knock(bridge, { ...protocols, origin: 'https://evil.example' })).status).to.equal(403);
      expect((await knock(bridge, protocols)).status).to.equal(101);
      await lastValueFrom(connections.values[0]!.closed$);
    });

    it('one connection too many, until there is room', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'), { maxConnections: 2 });
      const pages = [await page(bridge), await page(bridge)];
      const { status, text } = await knock(bridge);
      expect([status, text]).to.deep.equal([429, 'There are 2 connections already (maxConnections)']);
      pages[0]!.close();
      await lastValueFrom(connections.values[0]!.closed$);
      const third = await page(bridge);
      expect((await answerTo(third, { id: 1, method: 'ping' })).id).to.equal(1);
    });

    it('what is no HTTP, and goes on', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'));
      const socket = connectTcp(Number(new URL(bridge.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.end('hello\r\n\r\n');
      await once(socket.resume(), 'close');
      expect((await answerTo(await page(bridge), { id: 1, method: 'ping' })).id).to.equal(1);
    });

    it('in words that a client shows', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'));
      const error = await errorOf(connect({ type: 'websocket', url: bridge.url, WebSocketCtor: await webSocketCtor() }));
      expect(error).to.be.instanceOf(NetworkError).with.property('message').that.includes('401');
    });
  });

  describe('options', () => {
    it('origins: those and no others', async () => {
      const origins = ['https://app.example.com', 'tauri://localhost', 'null'];
      const { bridge, connections } = await bridgeTo(rawStdio('plain'), { origins });
      for (const origin of origins) expect((await knock(bridge, { origin })).status, origin).to.equal(101);
      for (const origin of [ORIGIN, 'https://app.example.com.evil.example', 'https://app.example.com:444', 'http://app.example.com']) {
        expect((await knock(bridge, { origin })).status, origin).to.equal(403);
      }
      await Promise.all(connections.values.map(({ closed$ }) => lastValueFrom(closed$)));
    });

    it('allowMissingOrigin: programs too, and still no foreign page', async () => {
      const { bridge, connections } = await bridgeTo(rawStdio('plain'), { allowMissingOrigin: true });
      expect((await knock(bridge, { origin: undefined })).status).to.equal(101);
      expect((await knock(bridge, { origin: 'https://evil.example' })).status).to.equal(403);
      await Promise.all(connections.values.map(({ closed$ }) => lastValueFrom(closed$)));
    });

    it('host ::1', async function () {
      let opened: Opened;
      try {
        opened = await bridgeTo(rawStdio('plain'), { host: '::1' });
      } catch (error) {
        if (/EADDRNOTAVAIL|EAFNOSUPPORT/.test(String(error))) this.skip(); // a machine without IPv6
        throw error;
      }
      expect(opened.bridge.url).to.match(/^ws:\/\/\[::1\]:\d+\/$/);
      expect((await answerTo(await page(opened.bridge), { id: 1, method: 'ping' })).id).to.equal(1);
    });

    it('a port that is taken is an error that says so', async () => {
      const { bridge } = await bridgeTo(rawStdio('plain'));
      const port = Number(new URL(bridge.url).port);
      const error = await errorOf(serveStdio(rawStdio('plain'), { port }));
      expect(error).to.be.instanceOf(ConfigError).with.property('message', `Cannot listen at 127.0.0.1, port ${port}: EADDRINUSE`);
    });

    const senseless: [string, Partial<StdioConfig>, object][] = [
      ['"command"', { command: '' }, {}],
      ['0.0.0.0', {}, { host: '0.0.0.0' }],
      ['No port', {}, { port: 65_536 }],
      ['No port', {}, { port: 0.5 }],
      ['maxConnections', {}, { maxConnections: 0 }],
      ['ticketTtlMs', {}, { ticketTtlMs: 0 }],
      ['https://app.example.com/', {}, { origins: ['https://app.example.com/'] }],
      ['"*"', {}, { origins: ['*'] }],
      ['HTTPS://APP', {}, { origins: ['HTTPS://APP'] }],
      ['https://a:443', {}, { origins: ['https://a:443'] }],
    ];
    for (const [text, config, options] of senseless) {
      it(`refuses ${JSON.stringify({ ...config, ...options })}`, async () => {
        const error = await errorOf(serveStdio({ ...rawStdio('plain'), ...config }, options));
        expect(error).to.be.instanceOf(ConfigError).with.property('message').that.includes(text);
      });
    }

    it('is cold: each subscription listens anew, and leaving at once starts nothing', async () => {
      const bridge$ = serveStdio(rawStdio('plain'));
      const seen = record(bridge$);
      seen.unsubscribe();
      const both = [record(bridge$), record(bridge$)];
      await until(() => both.every(({ values }) => values.length === 1));
      expect(new Set(both.map(({ values }) => values[0]!.url)).size).to.equal(2);
      for (const recorded of both) recorded.unsubscribe();
      for (const { values, completed, errors } of [seen, ...both]) expect([values.length <= 1, completed, errors]).to.deep.equal([true, 0, []]);
      expect(seen.values).to.deep.equal([]);
    });
  });
});
