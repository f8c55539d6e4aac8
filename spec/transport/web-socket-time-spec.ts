import { expect } from 'chai';
import { QueueFullError, RequestTimeoutError } from '../../lib/errors.ts';
import { WebSocketTransport, type WebSocketConfig } from '../../lib/transport/web-socket.ts';
import type { Delivery } from '../../lib/transport/transport.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';

const MIB = 1_048_576;

/** A socket by hand: opens when told to, and holds what is sent until it is drained. */
class FakeSocket {
  readyState = 0;
  bufferedAmount = 0;
  readonly sent: any[] = [];
  readonly calls: string[] = [];
  onopen: ((event: object) => void) | undefined;
  onclose: ((event: object) => void) | undefined;

  open(): void {
    this.readyState = 1;
    this.onopen?.({ target: this });
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text).method);
    this.bufferedAmount += text.length;
  }

  close(code?: number): void {
    this.calls.push(`close ${code}`);
    this.readyState = 2;
  }

  terminate(): void {
    this.calls.push('terminate');
  }

  closed(code = 1000, reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code, reason, wasClean: code !== 1006, target: this });
  }
}

function opened(more: Partial<WebSocketConfig> = {}) {
  const sockets: FakeSocket[] = [];
  const WebSocketCtor = function () {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const transport = new WebSocketTransport({ type: 'websocket', url: 'ws://example.com/', WebSocketCtor: WebSocketCtor as never, ...more });
  const deliveries = record(transport.deliveries$);
  const connecting = record(transport.connect());
  const states = record(transport.state$);
  const send = (method: string, bytes = 10) => {
    const message = { jsonrpc: '2.0', method, params: { x: 'x'.repeat(bytes) } } as const;
    transport.outbound$.next(message);
    return message;
  };
  const nameOf = ({ message }: Delivery) => (message as { method: string }).method;
  const deliveredOf = (type: Delivery['type']) => deliveries.values.filter((delivery) => delivery.type === type).map(nameOf);
  const last = (): any => states.values.at(-1);
  return { transport, socket: sockets[0]!, deliveries, connecting, send, deliveredOf, last };
}

describe('WebSocket transport: time and room [R24]', () => {
  it('hands over at once while the socket has room, and the rest when it has room again, in order', () => {
    inVirtualTime(({ at, flush }) => {
      const { transport, socket, send, deliveredOf } = opened();
      socket.open();
      send('a', MIB);
      send('b');
      send('c', MIB);
      send('d');
      expect(socket.sent).to.deep.equal(['a']);
      expect(deliveredOf('written')).to.deep.equal(['a']);
      at(50, () => (socket.bufferedAmount = 0));
      at(1_000, () => {
        expect(socket.sent).to.deep.equal(['a', 'b', 'c']); // c fills it again
        expect(deliveredOf('written')).to.deep.equal(['a', 'b', 'c']);
        socket.bufferedAmount = 0;
      });
      at(2_000, () => {
        expect(socket.sent).to.deep.equal(['a', 'b', 'c', 'd']);
        socket.closed();
        void transport.close();
      });
      flush();
    });
  });

  it('asks for room less and less often, and not at all once nothing waits', () => {
    inVirtualTime(({ at, flush, now }) => {
      const { transport, socket, send } = opened();
      socket.open();
      send('a', MIB);
      const amount = socket.bufferedAmount;
      const looks: number[] = [];
      Object.defineProperty(socket, 'bufferedAmount', {
        get: () => {
          looks.push(now());
          return amount;
        },
      });
      const waiting = send('b');
      at(2_000, () => {
        expect(looks).to.deep.equal([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 767, 1_023, 1_279, 1_535, 1_791]);
        expect(transport.release(waiting)).to.equal(false);
      });
      at(60_000, () => {
        expect(looks.filter((time) => time > 2_100)).to.deep.equal([]);
        socket.closed();
      });
      flush();
      expect(socket.sent).to.deep.equal(['a']);
    });
  });

  it('takes back what waits, and not what has left', () => {
    inVirtualTime(({ flush }) => {
      const { transport, socket, send } = opened();
      socket.open();
      const left = send('a', MIB);
      const waiting = send('b');
      send('c');
      expect(transport.release(left)).to.equal(true);
      expect(transport.release(waiting)).to.equal(false);
      socket.bufferedAmount = 0;
      flush();
      expect(socket.sent).to.deep.equal(['a', 'c']);
      socket.closed();
    });
  });

  it('bounds what waits: nothing of the message too many is sent', () => {
    inVirtualTime(({ flush }) => {
      const { socket, send, deliveries } = opened({ maxQueuedBytes: 200 });
      socket.open();
      send('a', MIB);
      send('b', 100);
      const message = send('c', 100);
      expect(deliveries.values.at(-1)).to.deep.equal({ type: 'failed', message, error: new QueueFullError(200, 'bytes', 'maxQueuedBytes'), mayHaveRun: false });
      socket.bufferedAmount = 0;
      flush();
      send('d', 100);
      expect(socket.sent).to.deep.equal(['a', 'b', 'd']);
      socket.closed();
    });
  });

  it('close() sends what waits first, then says goodbye, and waits two seconds for the answer', () => {
    inVirtualTime(({ at, flush, now }) => {
      const { transport, socket, send, last } = opened();
      socket.open();
      send('a', MIB);
      send('b');
      const closing = record(transport.close());
      expect(socket.sent).to.deep.equal(['a', 'b']);
      expect(socket.calls).to.deep.equal(['close 1000']);
      at(1_999, () => expect(closing.completed).to.equal(0));
      flush();
      expect(closing.endedAt).to.equal(2_000);
      expect(socket.calls).to.deep.equal(['close 1000', 'terminate']);
      expect(last()).to.deep.equal({ status: 'closed', cause: undefined });
      expect(now()).to.equal(2_000);
    });
  });

  it('close() is over as soon as the server has answered', () => {
    inVirtualTime(({ at, flush, now }) => {
      const { transport, socket } = opened();
      socket.open();
      const closing = record(transport.close());
      at(30, () => {
        socket.closed();
      });
      flush();
      expect(closing.endedAt).to.equal(30);
      expect(socket.calls).to.deep.equal(['close 1000']);
      expect(now()).to.equal(30); // no timer is left
    });
  });

  it('gives up a server that does not accept within thirty seconds', () => {
    inVirtualTime(({ flush }) => {
      const { connecting, socket, last } = opened();
      flush();
      expect(connecting.errors[0]).to.be.instanceOf(RequestTimeoutError).with.property('timeoutMs', 30_000);
      expect(connecting.endedAt).to.equal(30_000);
      expect(last().cause).to.equal(connecting.errors[0]);
      expect(socket.calls).to.deep.equal(['close undefined']);
    });
  });

  it('leaves no timer when it is accepted, or closed before', () => {
    inVirtualTime(({ flush, now }) => {
      const accepted = opened();
      accepted.socket.open();
      const given = opened();
      void given.transport.close();
      expect(given.socket.calls).to.deep.equal(['close undefined']);
      expect(given.last()).to.deep.equal({ status: 'closed', cause: undefined });
      flush();
      expect(now()).to.equal(0);
      accepted.socket.closed();
    });
  });

  it('sends nothing into a socket that is closing by itself', () => {
    inVirtualTime(({ flush }) => {
      const { socket, send, deliveredOf, last, transport } = opened();
      socket.open();
      socket.readyState = 2;
      send('late');
      expect([socket.sent, deliveredOf('written')]).to.deep.equal([[], []]);
      socket.closed(1001, 'going');
      expect(last().cause).to.include({ closeCode: 1001, closeReason: 'going' });
      flush();
      expect(record(transport.state$).completed).to.equal(1);
    });
  });
});
