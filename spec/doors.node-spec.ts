import { expect } from 'chai';
import { ConfigError, createClient, createTransport } from '../lib/node.ts';

describe('createTransport() of the Node door [R04]', () => {
  it('makes a stdio transport when the type is missing or "stdio", without starting it', () => {
    for (const type of [undefined, 'stdio'] as const) {
      const connection = createTransport({ type, command: 'no-such-command' });
      expect([connection.hasRequestStreams, connection.connected]).to.deep.equal([false, false]);
      expect(connection.stderr$).to.not.equal(undefined);
    }
  });

  it('makes an HTTP transport for "http" and "sse"', () => {
    for (const type of ['http', 'sse'] as const) expect(createTransport({ type, url: 'http://127.0.0.1:1/' }).hasRequestStreams).to.equal(true);
  });

  it('has WebSocket and MessagePort built in', () => {
    const { port1 } = new MessageChannel();
    const configs = [{ type: 'websocket', url: 'ws://127.0.0.1:1/', WebSocketCtor: Object as never }, { type: 'message-port', port: port1 }] as const;
    for (const config of configs) {
      expect([createTransport(config).hasRequestStreams, createClient(config).connected]).to.deep.equal([false, false]);
    }
    expect(() => createTransport({ type: 'websocket' } as never)).to.throw(ConfigError, 'ws or wss URL');
    port1.close();
  });

  it('names a type that it does not know', () => {
    expect(() => createTransport({ type: 'pigeon' } as never)).to.throw(ConfigError, '"pigeon"');
  });

  it('says what is missing', () => {
    expect(() => createTransport({} as never)).to.throw(ConfigError, '"command"');
    expect(() => createTransport({ command: '' })).to.throw(ConfigError, '"command"');
  });
});
