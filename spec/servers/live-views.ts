// What live views must do with every real server, over whatever transport.
import { expect } from 'chai';
import { firstValueFrom, take } from 'rxjs';
import { withLiveViews, type ClientOptions, type ClientWith, type LiveViews, type ClientFeature, type WireRecord } from '../../lib/index.ts';
import { outcome, pause, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

export type LiveClient = ClientWith<[ClientFeature<LiveViews>]>;

/** Opens clients, which are closed when the spec is over, and shows what passes on their wires. */
export function liveClients(open: (options: ClientOptions<[ClientFeature<LiveViews>]>) => LiveClient | Promise<LiveClient>) {
  const clients: LiveClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
  });
  return async () => {
    const client = await open({ features: [withLiveViews()] });
    clients.push(client);
    const wire: WireRecord[] = [];
    client.wire$.subscribe((passed) => wire.push(passed));
    const { error } = await outcome(client.connect());
    if (error !== undefined) throw error as Error;
    /** Messages of this method that passed, in whichever direction such messages go. */
    const passed = (method: string): any[] => wire.flatMap(({ message }) => ('method' in message && message.method === method ? [message] : []));
    return { client, passed };
  };
}

/** How many lists of all pages were asked for. */
const fetches = (passed: (method: string) => any[]): number => passed('tools/list').filter(({ params }) => params?.cursor === undefined).length;

/** Declares the suite; call it inside a `describe`. The servers are those of `support/servers/`. */
export function showsChanges(open: Parameters<typeof liveClients>[0], era: 'legacy' | 'modern'): void {
  const ready = liveClients(open);

  /** Announces a change until the client fetches: on HTTP the way back may not be open yet. */
  async function touched(client: LiveClient, passed: (method: string) => any[]): Promise<void> {
    const before = fetches(passed);
    await until(async () => {
      await outcome(client.callTool('touch'));
      await pause(50);
      return fetches(passed) > before;
    });
  }

  it('shows the tools, fetches them again when they are announced, and shows nothing new when there is nothing new [B84]', async () => {
    const { client, passed } = await ready();
    const seen = record(client.tools$);
    await until(() => seen.values.length > 0);
    expect(seen.values[0]?.map(({ name }) => name)).to.deep.equal((await firstValueFrom(client.listTools())).map(({ name }) => name));
    expect(seen.values[0]).to.have.length.above(3);
    await touched(client, passed);
    await pause(50);
    expect(seen).to.deep.include({ errors: [], completed: 0 });
    expect(seen.values).to.have.length(1);
    expect(passed('notifications/tools/list_changed')).to.have.length.above(0);
    seen.unsubscribe();
  });

  it('lists that the server does not have are empty', async () => {
    const { client, passed } = await ready();
    for (const view$ of [client.prompts$, client.resources$, client.resourceTemplates$]) expect(await firstValueFrom<unknown>(view$)).to.deep.equal([]);
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list']) expect(passed(method)).to.deep.equal([]);
  });

  it('whoever leaves is not told any more, and whoever comes back is', async () => {
    const { client, passed } = await ready();
    const first = record(client.tools$);
    await until(() => first.values.length > 0);
    await touched(client, passed);
    await pause(300);
    first.unsubscribe();
    await outcome(client.callTool('echo', { message: 'the server has read that by now' }));
    if (era === 'modern') await pause(100);
    const [asked, told] = [fetches(passed), passed('notifications/tools/list_changed').length];
    await outcome(client.callTool('touch'));
    await outcome(client.callTool('echo', { message: 'and this' }));
    await pause(100);
    expect(fetches(passed)).to.equal(asked);
    if (era === 'modern') expect(passed('notifications/tools/list_changed')).to.have.length(told);
    const second = record(client.tools$);
    await until(() => second.values.length > 0);
    await touched(client, passed);
    second.unsubscribe();
  });

  it('go on over a reconnect', async () => {
    const { client, passed } = await ready();
    const seen = record(client.tools$);
    await until(() => seen.values.length > 0);
    expect((await outcome(client.reconnect())).error).to.equal(undefined);
    await until(() => fetches(passed) === 2);
    await pause(250);
    await touched(client, passed);
    expect(seen).to.deep.include({ errors: [], completed: 0 });
    expect(seen.values).to.have.length(1);
    if (era === 'modern') expect(passed('subscriptions/listen')).to.have.length(2);
    seen.unsubscribe();
  });

  it('come and go without a trace', async () => {
    const { client } = await ready();
    for (let n = 0; n < 20; n++) expect((await outcome(client.tools$.pipe(take(1)))).values).to.have.length(1);
    expect((await outcome(client.callTool('echo', { message: 'x' }))).error).to.equal(undefined);
    const connection = await firstValueFrom(client.connection$);
    await until(() => connection?.pendingRequests === 0);
  });
}
