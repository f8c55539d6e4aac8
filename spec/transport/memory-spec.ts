import { expect } from 'chai';
import { firstValueFrom, lastValueFrom, take } from 'rxjs';
import { ConnectionClosedError, NotConnectedError } from '../../lib/errors.ts';
import { createMemoryPair } from '../../lib/transport/memory.ts';
import type { ConnectionState, Transport } from '../../lib/transport/transport.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';

const note = (n: number) => ({ jsonrpc: '2.0', method: 'note', params: { n } }) as const;
const numberOf = (message: any): number => message.params.n;

function statuses(transport: Transport): string[] {
  const seen: string[] = [];
  transport.state$.subscribe({
    next: ({ status }) => seen.push(status),
    complete: () => seen.push('|'),
  });
  return seen;
}

function open(synchronous: boolean): [Transport, Transport] {
  const pair = createMemoryPair({ synchronous });
  for (const side of pair) void side.connect();
  return pair;
}

for (const synchronous of [false, true]) {
  describe(`memory transport, ${synchronous ? 'synchronous' : 'asynchronous'} [R03]`, () => {
    it('starts idle, and connects once, eagerly and replaying', () => {
      inVirtualTime(({ flush }) => {
        const [client] = createMemoryPair({ synchronous });
        const seen = statuses(client);
        expect(seen).to.deep.equal(['idle']);
        const connect$ = client.connect();
        flush();
        expect(seen).to.deep.equal(['idle', 'connecting', 'connected']);
        for (const late of [record(connect$), record(client.connect()), record(connect$)]) expect(late).to.deep.include({ completed: 1, errors: [] });
        expect(seen).to.have.length(3);
      });
    });

    it('carries messages both ways, in order', () => {
      inVirtualTime(({ flush }) => {
        const [client, server] = open(synchronous);
        const atServer = record(server.inbound$);
        const atClient = record(client.inbound$);
        for (const n of [1, 2, 3]) client.outbound$.next(note(n));
        for (const n of [4, 5]) server.outbound$.next(note(n));
        if (synchronous) expect(atServer.values).to.have.length(3);
        else expect(atServer.values).to.have.length(0);
        flush();
        expect(atServer.values.map(numberOf)).to.deep.equal([1, 2, 3]);
        expect(atClient.values.map(numberOf)).to.deep.equal([4, 5]);
        expect(atClient).to.deep.include({ completed: 0, errors: [] });
      });
    });

    it('keeps what comes before connect() for later', () => {
      inVirtualTime(({ flush, at }) => {
        const [client, server] = createMemoryPair({ synchronous });
        const atServer = record(server.inbound$);
        void client.connect();
        client.outbound$.next(note(1));
        client.outbound$.next(note(2));
        at(10, () => {
          expect(atServer.values).to.deep.equal([]);
          void server.connect();
        });
        flush();
        expect(atServer.values.map(numberOf)).to.deep.equal([1, 2]);
      });
    });

    it('reports each message as written', () => {
      inVirtualTime(({ flush }) => {
        const [client] = open(synchronous);
        const deliveries = record(client.deliveries$);
        const message = note(1);
        client.outbound$.next(message);
        flush();
        expect(deliveries.values).to.deep.equal([{ type: 'written', message }]);
        expect((deliveries.values[0]!).message).to.equal(message);
      });
    });

    for (const when of ['before connect()', 'after close()']) {
      it(`fails what is sent ${when}: nothing has run [R06]`, () => {
        inVirtualTime(({ flush }) => {
          const [client, server] = createMemoryPair({ synchronous });
          void server.connect();
          const received = record(server.inbound$);
          const deliveries = record(client.deliveries$);
          if (when === 'after close()') {
            void client.connect();
            void client.close();
          }
          const message = note(1);
          expect(() => {
            client.outbound$.next(message);
          }).not.to.throw();
          flush();
          expect(received.values).to.deep.equal([]);
          if (when === 'before connect()') {
            expect(deliveries.values).to.deep.equal([{ type: 'failed', message, error: new NotConnectedError(), mayHaveRun: false }]);
            expect((deliveries.values[0] as any).error.message).to.equal('Transport not connected');
          } else expect(deliveries).to.deep.include({ values: [], completed: 1 }); // its streams are over
        });
      });
    }

    it('closes once, eagerly and replaying, and completes all its streams [R21]', () => {
      inVirtualTime(({ flush }) => {
        const [client] = open(synchronous);
        const seen = statuses(client);
        const streams = [client.inbound$, client.deliveries$, client.diagnostics$].map((stream$) => record<unknown>(stream$));
        const close$ = client.close();
        void client.close();
        flush();
        expect(seen).to.deep.equal(['connected', 'closing', 'closed', '|']);
        for (const stream of streams) expect(stream).to.deep.include({ values: [], errors: [], completed: 1 });
        for (const late of [record(close$), record(client.close())]) expect(late).to.deep.include({ completed: 1, errors: [] });
        expect(record(client.inbound$).completed).to.equal(1);
      });
    });

    it('closed by hand it names no cause; the other side names one', () => {
      inVirtualTime(({ flush }) => {
        const [client, server] = open(synchronous);
        const states = [client, server].map(({ state$ }) => record(state$));
        void client.close();
        flush();
        expect(states[0]!.values.at(-1)).to.deep.equal({ status: 'closed', cause: undefined });
        const other = states[1]!.values.at(-1) as Extract<ConnectionState, { status: 'closed' }>;
        expect(other.status).to.equal('closed');
        expect(other.cause).to.be.instanceOf(ConnectionClosedError);
        expect(states.map(({ completed }) => completed)).to.deep.equal([1, 1]);
      });
    });

    it('tells who comes late that it is closed, and why', () => {
      inVirtualTime(({ flush }) => {
        const [client, server] = open(synchronous);
        void client.close();
        flush();
        const late = [client, server].map(({ state$ }) => record(state$));
        expect(late[0]).to.deep.include({ values: [{ status: 'closed', cause: undefined }], completed: 1 });
        expect(late[1]!.values).to.deep.equal([{ status: 'closed', cause: new ConnectionClosedError() }]);
      });
    });

    it('delivers what was sent before the other side closed', () => {
      inVirtualTime(({ flush }) => {
        const [client, server] = open(synchronous);
        const received = record(client.inbound$);
        server.outbound$.next(note(1));
        server.outbound$.next(note(2));
        void server.close();
        flush();
        expect(received.values.map(numberOf)).to.deep.equal([1, 2]);
        expect(received.completed).to.equal(1);
      });
    });

    it('that never connected can be closed, and cannot connect any more', () => {
      inVirtualTime(({ flush }) => {
        const [client, server] = createMemoryPair({ synchronous });
        expect(record(client.close()).completed).to.equal(1);
        const late = record(client.connect());
        flush();
        expect(late.errors).to.have.length(1);
        expect(late.errors[0]).to.be.instanceOf(NotConnectedError);
        void server.close();
      });
    });

    it('unfolds a batch, skips what is no message in it, and says so', () => {
      inVirtualTime(({ flush }) => {
        const [client, server] = open(synchronous);
        const received = record(client.inbound$);
        const diagnostics = record(client.diagnostics$);
        server.outbound$.next([note(1), 7, note(2), { x: 'y'.repeat(1_000) }] as never);
        server.outbound$.next([] as never);
        server.outbound$.next('text' as never);
        server.outbound$.next(null as never);
        server.outbound$.next(note(3));
        flush();
        expect(received.values.map(numberOf)).to.deep.equal([1, 2, 3]);
        expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(Array(5).fill('not-json-rpc'));
        expect(diagnostics.values.map(({ excerpt }) => excerpt?.length)).to.deep.equal([1, 301, 2, 6, 4]);
      });
    });

    it('holds no subscription of who has unsubscribed', () => {
      const [client] = open(synchronous);
      for (let i = 0; i < 100; i++) record(client.inbound$).unsubscribe();
      const held = (client.inbound$ as any).source.observers.length;
      expect(held).to.equal(0);
      void client.close();
    });
  });
}

describe('memory transport inside next [B95]', () => {
  it('a peer that answers inside send does not overtake: three subscribers see the order of the wire', () => {
    const [client, server] = open(true);
    server.inbound$.subscribe((message) => {
      const n = numberOf(message);
      server.outbound$.next(note(n * 10));
      server.outbound$.next(note(n * 10 + 1));
    });
    const seen: number[][] = [[], [], []];
    seen.forEach((list, index) => {
      client.inbound$.subscribe((message) => {
        const n = numberOf(message);
        list.push(n);
        if (index === 0 && n < 100) client.outbound$.next(note(n));
      });
    });
    client.outbound$.next(note(1));
    expect(seen[0]).to.deep.equal([10, 11, 100, 101, 110, 111]);
    expect(seen[1]).to.deep.equal(seen[0]);
    expect(seen[2]).to.deep.equal(seen[0]);
  });

  it('close inside next reaches everybody after the message, once', () => {
    const [client, server] = open(true);
    const seen: (number | string)[][] = [[], [], []];
    seen.forEach((list, index) => {
      client.inbound$.subscribe({
        next: (message) => {
          list.push(numberOf(message));
          if (index === 0) void client.close();
        },
        complete: () => list.push('|'),
      });
    });
    const states = statuses(client);
    server.outbound$.next([note(1), note(2)] as never);
    for (const list of seen) expect(list).to.satisfy((it: unknown[]) => it[0] === 1 && it.at(-1) === '|' && it.filter((x) => x === '|').length === 1);
    expect(seen[1]).to.deep.equal(seen[0]);
    expect(seen[2]).to.deep.equal(seen[0]);
    expect(states).to.deep.equal(['connected', 'closing', 'closed', '|']);
  });

  it('unsubscribing inside next takes nothing from the others', () => {
    const [client, server] = open(true);
    const first = record(client.inbound$.pipe(take(1)));
    const others = [record(client.inbound$), record(client.inbound$)];
    server.outbound$.next([note(1), note(2)] as never);
    expect(first.values.map(numberOf)).to.deep.equal([1]);
    for (const other of others) expect(other.values.map(numberOf)).to.deep.equal([1, 2]);
    void client.close();
  });

  it('subscribing inside next gives the messages after it', () => {
    const [client, server] = open(true);
    let late: ReturnType<typeof record<unknown>> | undefined;
    client.inbound$.subscribe(() => (late ??= record<unknown>(client.inbound$)));
    server.outbound$.next([note(1), note(2), note(3)] as never);
    expect(late!.values.map(numberOf)).to.deep.equal([2, 3]);
    void client.close();
  });

  // Random programs: whatever subscribers do inside next, all of them see one order.
  for (let seed = 1; seed <= 60; seed++) {
    it(`program ${seed}`, () => {
      let state = seed * 2_654_435_761;
      const random = (below: number): number => {
        state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
        return state % below;
      };
      const [client, server] = open(true);
      let budget = 30;
      server.inbound$.subscribe((message) => {
        for (let i = random(3); i >= 0; i--) server.outbound$.next(note(numberOf(message) * 3 + i));
      });
      const seen: (number | string)[][] = [[], [], []];
      const subscriptions = seen.map((list) =>
        client.inbound$.subscribe({
          next: (message) => {
            list.push(numberOf(message));
            const action = random(14);
            if (action < 8 && budget-- > 0) client.outbound$.next(note(budget));
            else if (action === 12) void client.close();
            else if (action === 13 && list === seen[1]) subscriptions[1]?.unsubscribe();
          },
          complete: () => list.push('|'),
        }),
      );
      client.outbound$.next(note(100));
      void client.close();
      expect(seen[2]).to.deep.equal(seen[0]);
      expect(seen[0]!.at(-1)).to.equal('|');
      expect(seen[0]!.length).to.be.above(1);
      expect(seen[0]!.slice(0, seen[1]!.length)).to.deep.equal(seen[1]); // it may have left earlier
    });
  }
});

describe('memory transport and promises', () => {
  it('delivers a microtask later on the real clock', async () => {
    const [client, server] = open(false);
    const first = firstValueFrom(server.inbound$);
    client.outbound$.next(note(1));
    expect(numberOf(await first)).to.equal(1);
    await lastValueFrom(client.close());
  });
});
