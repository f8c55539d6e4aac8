import { expect } from 'chai';
import { connect, createClient, createTransport, withMessagePort, type JsonRpcMessage } from '../../lib/index.ts';
import { ConfigError, ConnectionClosedError } from '../../lib/errors.ts';
import { Connection } from '../../lib/session/connection.ts';
import { MessagePortTransport, type MessagePortConfig, type MessagePortLike } from '../../lib/transport/message-port.ts';
import { keepsTheContract } from '../support/contract.ts';
import { createContractServer } from '../support/contract-server.mjs';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { legacyScript, modernScript, type Script } from '../support/peer.ts';
import { record } from '../support/test-scheduler.ts';

const features = [withMessagePort()];
const config = (port: MessagePortConfig['port']): MessagePortConfig => ({ type: 'message-port', port });

/** All that were made: a port that nobody closes keeps Node running. */
const ports: MessagePort[] = [];

afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function channel(): MessageChannel {
  const channel = new MessageChannel();
  ports.push(channel.port1, channel.port2);
  return channel;
}

/** A channel whose far end answers by method. */
function served(react: (message: any, far: MessagePort) => void): { near: MessagePort; far: MessagePort } {
  const { port1: near, port2: far } = channel();
  far.onmessage = ({ data }) => {
    react(data, far);
  };
  return { near, far };
}

function scripted(script: Script) {
  return served((message, far) => {
    const reaction = script[message.method];
    if (reaction === undefined) return;
    try {
      const result = reaction(message, undefined as never);
      if (message.id !== undefined) far.postMessage({ jsonrpc: '2.0', id: message.id, result });
    } catch (refusal) {
      const { code, message: text, data } = refusal as { code: number; message: string; data: unknown };
      far.postMessage({ jsonrpc: '2.0', id: message.id, error: { code, message: text, data } });
    }
  });
}

function contractPort(): MessagePort {
  const react = createContractServer();
  return served((message, far) => {
    react(message, (...messages) => {
      for (const answer of messages) far.postMessage(answer);
    });
  }).near;
}

describe('contract: MessagePort [R03]', () => {
  keepsTheContract((options) => createTransport(config(contractPort()), { ...options, features }));
});

describe('contract: MessagePort, made for each connection [R03]', () => {
  keepsTheContract((options) => createTransport(config(contractPort), { ...options, features }));
});

/** Whether the platform tells a port that the other one was closed. */
const tellsClose = new Promise<boolean>((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('close', () => {
    resolve(true);
  });
  port1.start();
  port2.close();
  setTimeout(() => {
    port1.close();
    resolve(false);
  }, 300);
});

/** Something with events and no more, by hand. */
class FakeWorker extends EventTarget implements MessagePortLike {
  readonly posted: unknown[] = [];
  terminated = 0;
  listeners = 0;

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  terminate(): void {
    this.terminated++;
  }

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners++;
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners--;
    super.removeEventListener(...args);
  }

  emit(type: string, fields: object = {}): void {
    this.dispatchEvent(Object.assign(new Event(type), fields));
  }
}

describe('MessagePort transport', () => {
  const made: MessagePortTransport[] = [];

  function transport(port: MessagePortConfig['port']): MessagePortTransport {
    const transport = new MessagePortTransport({ ...config(port), name: 'aside' });
    made.push(transport);
    return transport;
  }
  function causeOf(transport: MessagePortTransport): any {
    const last = record(transport.state$).values.at(-1);
    return last?.status === 'closed' ? { cause: last.cause } : undefined;
  }

  afterEach(() => {
    for (const transport of made.splice(0)) void transport.close();
  });

  it('negotiates both eras as over stdio', async () => {
    for (const [script, era] of [[legacyScript(), 'legacy'], [modernScript(), 'modern']] as const) {
      const client = createClient(config(scripted(script).near), { features });
      expect((await outcome(client.connect())).error).to.equal(undefined);
      const state = record(client.state$).values.at(-1);
      expect(state).to.have.nested.property('session.verdict.era', era);
      await outcome(client.close());
    }
  });

  it('reconnects when a function makes the port, and closes each', async () => {
    let count = 0;
    const make = () => {
      count++;
      return scripted(modernScript()).near;
    };
    const client = createClient(config(make), { features });
    await outcome(client.connect());
    expect((await outcome(client.reconnect())).error).to.equal(undefined);
    expect(count).to.equal(2);
    await outcome(client.close());
  });

  it('carries clones: no text, and what JSON has not comes through', async () => {
    const { port1, port2 } = channel();
    const near = transport(port1);
    const seen: JsonRpcMessage[] = [];
    near.inbound$.subscribe((message) => seen.push(message));
    void near.connect();
    const params = { when: new Date(0), bytes: new Uint8Array([1, 2]) };
    port2.postMessage({ jsonrpc: '2.0', method: 'note', params });
    await until(() => seen.length === 1);
    expect(seen).to.deep.equal([{ jsonrpc: '2.0', method: 'note', params }]);
  });

  it('skips what is no message, whatever it is', async () => {
    const { port1, port2 } = channel();
    const near = transport(port1);
    const diagnostics = record(near.diagnostics$);
    const seen = record(near.inbound$);
    void near.connect();
    const cycle: any = { a: 1 };
    cycle.self = cycle;
    for (const value of [null, 7n, cycle, '{"jsonrpc":"2.0","method":"note"}', [], [{ x: 1 }, { jsonrpc: '2.0', method: 'in-batch' }]]) port2.postMessage(value);
    port2.postMessage({ jsonrpc: '2.0', method: 'after' });
    await until(() => seen.values.length === 2);
    expect(seen.values.map((message: any) => message.method)).to.deep.equal(['in-batch', 'after']);
    expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(Array(6).fill('not-json-rpc'));
    expect(diagnostics.values.map(({ excerpt }) => excerpt)).to.deep.equal(['null', '7', '[object Object]', '"{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"note\\"}"', '[]', '{"x":1}']);
  });

  it('fails what cannot be cloned, and only that', async () => {
    const { near } = served((message, far) => {
      far.postMessage({ jsonrpc: '2.0', id: message.id, result: {} });
    });
    const connection = new Connection(transport(near));
    await outcome(connection.connect());
    const error = await errorOf(connection.request('x', { f: () => 1 }));
    expect(error).to.be.instanceOf(ConfigError).with.property('message').that.includes('cannot be cloned');
    expect((await outcome(connection.request('x'))).values).to.deep.equal([{}]);
  });

  it('gets what was posted before it connects', async () => {
    const { port1, port2 } = channel();
    port2.postMessage({ jsonrpc: '2.0', method: 'early' });
    const near = transport(port1);
    const seen = record(near.inbound$);
    void near.connect();
    await until(() => seen.values.length === 1);
  });

  it('ends when the other port is closed, where the platform tells', async function () {
    if (!(await tellsClose)) this.skip();
    const { port1, port2 } = channel();
    const near = transport(port1);
    const connection = new Connection(near);
    void connection.connect();
    const pending = record(connection.request('x'));
    port2.postMessage({ jsonrpc: '2.0', method: 'last' });
    const seen = record(near.inbound$);
    port2.close();
    await until(() => causeOf(near));
    expect(causeOf(near).cause).to.be.instanceOf(ConnectionClosedError).with.property('server', 'aside');
    expect(pending.errors.map(({ name }) => name)).to.deep.equal(['ConnectionClosedError']);
    expect(seen.values).to.have.length(1);
  });

  it('close() closes the port, so that the other side learns of it', async function () {
    if (!(await tellsClose)) this.skip();
    const { port1, port2 } = channel();
    const got: unknown[] = [];
    port2.addEventListener('message', ({ data }) => got.push(data.method));
    port2.addEventListener('close', () => got.push('closed'));
    port2.start();
    const near = transport(port1);
    void near.connect();
    near.outbound$.next({ jsonrpc: '2.0', method: 'last' });
    await outcome(near.close());
    await until(() => got.includes('closed'));
    expect(got).to.deep.equal(['last', 'closed']);
    expect(causeOf(near)).to.deep.equal({ cause: undefined });
  });

  describe('a worker', () => {
    it('that was handed over is left running, with no listener of ours', async () => {
      const worker = new FakeWorker();
      const near = transport(worker);
      void near.connect();
      expect(worker.listeners).to.be.above(0);
      await outcome(near.close());
      expect(worker).to.include({ listeners: 0, terminated: 0 });
    });

    it('that a function made is terminated', async () => {
      const worker = new FakeWorker();
      const ready = record(connect(config(() => worker), { features }));
      await until(() => worker.posted.length > 0);
      ready.unsubscribe();
      await until(() => worker.terminated === 1);
      expect(worker.listeners).to.equal(0);
    });

    it('that fails before it has said anything ends the connection; later it is reported', () => {
      const failure = new Error('no such module');
      const starting = new FakeWorker();
      const first = transport(starting);
      void first.connect();
      starting.emit('error', { error: failure });
      expect(causeOf(first).cause).to.be.instanceOf(ConnectionClosedError).with.property('cause', failure);
      expect(starting.listeners).to.equal(0);

      const unreachable = new FakeWorker();
      const second = transport(unreachable);
      void second.connect();
      unreachable.emit('error');
      expect(causeOf(second).cause.cause.message).to.equal('The worker failed: it could not be started');

      const running = new FakeWorker();
      const third = transport(running);
      const diagnostics = record(third.diagnostics$);
      void third.connect();
      running.emit('message', { data: { jsonrpc: '2.0', method: 'hello' } });
      running.emit('error', { message: 'x is undefined' });
      running.emit('messageerror');
      expect(causeOf(third)).to.equal(undefined);
      expect(diagnostics.values.map(({ kind, message }) => [kind, message])).to.deep.equal([
        ['failure', 'The worker failed: x is undefined'],
        ['malformed', 'Skipped a message that could not be read here'],
      ]);
    });
  });

  describe('configuration [R04]', () => {
    it('needs the feature', () => {
      expect(() => createTransport(config(new FakeWorker()))).to.throw(ConfigError, '"message-port" withMessagePort()');
    });

    it('needs a port', () => {
      for (const port of [undefined, null, {}, { postMessage: () => {} }]) {
        expect(() => createTransport(config(port as never), { features })).to.throw(ConfigError, '"port"');
      }
    });

    it('says so when the function makes none, or throws', () => {
      for (const [port, text] of [[() => ({}), 'needs a "port"'], [() => { throw new Error('no worker'); }, 'no worker']] as const) {
        const { errors } = record(transport(port as never).connect());
        expect(errors[0]).to.be.instanceOf(ConfigError).with.property('message').that.includes(text);
      }
    });
  });
});
