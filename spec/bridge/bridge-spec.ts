// Through a bridge to stdio servers: in Chromium as a page does, in Node with a page's headers.
import { expect } from 'chai';
import { defer, firstValueFrom } from 'rxjs';
import { connect, createClient, createTransport, withWebSocket } from '../../lib/index.ts';
import { ConnectionClosedError, NetworkError } from '../../lib/errors.ts';
import { behaves, behavesLikeEverything } from '../servers/behaves.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';
import { bridgeConfig, bridgeEnds } from '../support/web-socket.ts';

const features = [withWebSocket()];

describe('a page and stdio servers, through a bridge', function () {
  this.timeout(20_000);

  describe('everything', () => {
    behavesLikeEverything(async (options) => createClient(await bridgeConfig('everything'), { ...options, features }));
  });
  for (const [name, era, revision] of [['legacy', 'legacy', '2025-11-25'], ['modern', 'modern', '2026-07-28'], ['dual', 'modern', '2026-07-28']] as const) {
    describe(name, () => {
      behaves({ open: async (options) => createClient(await bridgeConfig(name), { ...options, features }), name, era, revision });
    });
  }

  it('calls a tool of the everything server and leaves', async () => {
    const before = (await bridgeEnds('everything')).length;
    const ready = record(connect(await bridgeConfig('everything'), { features }));
    await until(() => ready.values.length === 1);
    const sum: any = await firstValueFrom(ready.values[0]!.callTool('get-sum', { a: 2, b: 3 }));
    expect(sum.content[0].text).to.include('5');
    ready.unsubscribe();
    const ends = await until(async () => {
      const all = await bridgeEnds('everything');
      return all.length > before && all;
    });
    expect(ends.at(-1)).to.deep.equal({ code: 1000, reason: '' });
  });

  it('sees why a server has ended', async () => {
    const connection = createTransport(await bridgeConfig('exits'), { features });
    const states = record(connection.state$);
    await outcome(connection.connect());
    await until(() => states.completed === 1);
    const last: any = states.values.at(-1);
    expect(last.cause).to.be.instanceOf(ConnectionClosedError);
    expect(last.cause).to.include({ closeCode: 1011, closeReason: 'exit code 78: Error: missing API key' });
  });

  it('needs a ticket that is fresh', async () => {
    const config = await bridgeConfig('legacy');
    for (const protocols of [[], ['ticket.AAAA']]) {
      expect(await errorOf(connect({ ...config, protocols }, { features }))).to.be.instanceOf(NetworkError);
    }
    const protocols = await firstValueFrom(defer(config.protocols as () => Promise<string[]>));
    const client = createClient({ ...config, protocols }, { features });
    await outcome(client.connect());
    expect(await errorOf(client.reconnect())).to.be.instanceOf(NetworkError);
    await outcome(client.close());
  });
});
