// What a test leaves behind, and that it is found.
import { expect } from 'chai';
import { interval, NEVER, Subscription, timer } from 'rxjs';
import { createClient, createManager, createMemoryPair, withLiveViews, type McpClient } from '../../lib/index.ts';
import { expectNoLeaks, LeakError, leaks, outcome, runMcpMarbles, scriptedEntries, scriptedServer, withScriptedServers, type Watch } from '../../lib/testing.ts';

const server = () => scriptedServer({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] });

/** What is left by a test, one line each without where it was made. */
async function leftBy(test: (watch: Watch) => Promise<void>): Promise<string[]> {
  try {
    await expectNoLeaks(test);
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(LeakError);
    expect((error as LeakError).message).to.match(/^\d left behind:\n- /);
    return (error as LeakError).leaks.map(({ message }) => message.split('\n')[0]!);
  }
}

async function connected(client: McpClient): Promise<void> {
  expect((await outcome(client.connect())).error).to.equal(undefined);
}

describe('leaks()', () => {
  it('finds nothing of a client that is closed', async () => {
    const client = createClient(server().open, { features: [withLiveViews()] });
    await connected(client);
    client.tools$.subscribe();
    client.notifications$.subscribe();
    await outcome(client.close());
    expect(leaks(client)).to.deep.equal([]);
  });

  it('finds a client that is open, and requests that wait', async () => {
    const scripted = server();
    scripted.when('tools/call').silent();
    const client = createClient(scripted.open);
    await connected(client);
    const calls = [client.callTool('a').subscribe(), client.callTool('a').subscribe()];
    expect(leaks(client).map(({ kind, message }) => [kind, message])).to.deep.equal([
      ['open', 'The client is not closed: it is ready'],
      ['request', '2 requests of the client without an answer'],
    ]);
    for (const call of calls) call.unsubscribe();
    await outcome(client.close());
  });

  it('looks at connections, transports and managers, too', async () => {
    const [transport] = createMemoryPair();
    expect(leaks(transport).map(({ message }) => message)).to.deep.equal(['The transport is not closed: it is idle']);
    await outcome(transport.close());
    expect(leaks(transport)).to.deep.equal([]);

    const manager = createManager([scriptedEntries({ one: server() })], { client: { features: [withScriptedServers()] } });
    await outcome(manager.discoverAndConnect());
    expect(leaks(manager).map(({ message }) => message)).to.deep.equal(['The manager is not closed']);
    await outcome(manager.close());
    expect(leaks(manager)).to.deep.equal([]);
  });
});

describe('expectNoLeaks()', () => {
  it('is content with a test that ends what it begins', () =>
    expectNoLeaks(async (watch) => {
      const scripted = server();
      scripted.when('tools/call').after(60_000).answer({ content: [] });
      const client = watch(createClient(scripted.open, { features: [withLiveViews()] }));
      await connected(client);
      client.callTool('a').subscribe({ error: () => {} });
      await outcome(client.listTools()); // so that the call has arrived
      const subscriptions = new Subscription();
      subscriptions.add(client.tools$.subscribe());
      subscriptions.add(interval(1_000).subscribe());
      subscriptions.unsubscribe();
      client.logs$.subscribe(); // the client ends it
      await outcome(client.close());
    }));

  it('finds subscriptions to a client that goes on, and where they were made', async () => {
    const client = createClient(server().open);
    await connected(client);
    const subscriptions: Subscription[] = [];
    let message = '';
    try {
      await expectNoLeaks(async (watch) => {
        watch(client);
        subscriptions.push(client.notifications$.subscribe(), client.state$.subscribe());
        client.diagnostics$.subscribe().unsubscribe();
      });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).to.match(/^3 left behind:\n- The client is not closed: it is ready\n- Somebody is subscribed to notifications\$ of the client, since\n.*\n[^]*- Somebody is subscribed to state\$/);
    expect(message).to.match(/leaks-spec|specs\.js/);
    for (const subscription of subscriptions) subscription.unsubscribe();
    await outcome(client.close());
  });

  it('finds timers of RxJS, and ends them', async () => {
    const left = await leftBy(async () => {
      interval(60_000).subscribe();
      timer(60_000).subscribe();
      timer(60_000).subscribe().unsubscribe();
      NEVER.subscribe();
    });
    expect(left).to.deep.equal(['A timer of RxJS still runs, started', 'A timer of RxJS still runs, started']);
  });

  it('looks at once after a test that is not asynchronous, as in virtual time', () => {
    runMcpMarbles(({ client, advance }) => {
      expect(() => {
        expectNoLeaks((watch) => {
          watch(client);
        });
      }).to.throw(LeakError, 'The client is not closed');
      expectNoLeaks((watch) => {
        watch(client);
        void client.close();
        advance(0);
      });
    });
    expect(() => {
      expectNoLeaks(() => {
        interval(60_000).subscribe();
      });
    }).to.throw(LeakError, 'A timer of RxJS');
  });

  it('passes on what the test throws, and puts the timers back', async () => {
    const { setInterval } = globalThis;
    const mine = new TypeError('mine');
    expect(() => {
      expectNoLeaks((): void => {
        throw mine;
      });
    }).to.throw(mine as never);
    const asynchronous = expectNoLeaks(() => Promise.reject(mine));
    expect(await asynchronous.catch((error: unknown) => error)).to.equal(mine);
    expect(globalThis.setInterval).to.equal(setInterval);
  });
});
