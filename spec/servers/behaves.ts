// What every real server must be able to do through our client, over whatever transport.
import { expect } from 'chai';
import { filter, firstValueFrom, take } from 'rxjs';
import type { ClientOptions, McpClient } from '../../lib/client/client.ts';
import { RpcError } from '../../lib/errors.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

export interface ServerUnderTest {
  readonly open: (options?: ClientOptions) => McpClient | Promise<McpClient>;
  readonly name: string;
  readonly era: 'legacy' | 'modern';
  readonly revision: string;
  /** Whether a cancelled call can be asked for: not without sessions. @defaultValue true */
  readonly remembersCancels?: boolean;
}

const names = ['echo', 'add', 'slow', 'boom', 'cancelled', 'touch'];
/** Logs are opt-in on the modern revision. */
const meta = { 'io.modelcontextprotocol/logLevel': 'info' };
const increasing = (numbers: readonly number[]) => numbers.every((n, i) => i === 0 || n > numbers[i - 1]!);

/** A client, connected without any option unless some are given, and closed when the spec is over. */
export function clientsOf(open: ServerUnderTest['open']) {
  const clients: McpClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
  });
  return async (options?: ClientOptions): Promise<McpClient> => {
    const client = await open(options);
    clients.push(client);
    const { error } = await outcome(client.connect());
    if (error !== undefined) throw error as Error;
    return client;
  };
}

/** Declares the suite; call it inside a `describe`. The servers are those of `support/servers/`. */
export function behaves({ open, name, era, revision, remembersCancels = true }: ServerUnderTest): void {
  const ready = clientsOf(open);

  it('connects without any option, and says how [R02]', async () => {
    const client = await ready();
    expect(client.connected).to.equal(true);
    expect(client.protocolVersion).to.equal(revision);
    expect(client.serverInfo?.name).to.equal(name);
    expect(client.capabilities?.tools).to.deep.equal({ listChanged: true });
    expect(client.instructions).to.match(/^A fixture/);
    const state = await firstValueFrom(client.state$);
    expect(state).to.have.nested.property('session.verdict').that.deep.equals({ era, revision });
  });

  it('lists the tools of all pages', async () => {
    const client = await ready();
    const { values: pages } = await outcome(client.listTools({ observe: 'pages' }));
    expect(pages.length).to.be.above(1);
    const [tools] = (await outcome(client.listTools())).values;
    expect(tools?.map((tool) => tool.name)).to.deep.equal(names);
    expect(pages.flat()).to.deep.equal(tools);
  });

  it('calls tools, one after the other and at once', async () => {
    const client = await ready();
    const [echo] = (await outcome(client.callTool('echo', { message: 'é漢🦀' }))).values;
    expect(echo?.content).to.deep.equal([{ type: 'text', text: 'é漢🦀' }]);
    const sums = await Promise.all([1, 2, 3, 4].map(async (n) => (await firstValueFrom(client.callTool('add', { a: n, b: 10 }))).structuredContent));
    expect(sums).to.deep.equal([11, 12, 13, 14].map((sum) => ({ sum })));
  });

  it('gives progress in order, then the result; logs too', async () => {
    const client = await ready();
    const logs = record(client.logs$);
    const { values, error } = await outcome(client.callTool('slow', { steps: 4, interval: 5 }, { observe: 'events', meta }));
    expect(error).to.equal(undefined);
    const progress = values.flatMap((event) => (event.type === 'progress' ? [event.progress.progress] : []));
    expect(progress).to.have.length(4);
    expect(increasing(progress)).to.equal(true);
    expect(values.at(-1)).to.have.nested.property('result.content[0].text', 'done after 4 steps');
    await until(() => logs.values.length >= 4);
    expect(logs.values.map(({ data }) => data).slice(0, 4)).to.deep.equal([1, 2, 3, 4].map((n) => `step ${n} of 4`));
  });

  if (remembersCancels) {
    it('a call given up half-way is cancelled at the server [R43]', async () => {
      const client = await ready();
      const tag = `tag ${Math.random()}`;
      const events$ = client.callTool('slow', { steps: 500, interval: 10, tag }, { observe: 'events' });
      await outcome(events$.pipe(filter(({ type }) => type === 'progress'), take(2)));
      const calls = await until(async () => {
        const { structuredContent } = await firstValueFrom(client.callTool('cancelled', { tag }));
        const { calls: found } = structuredContent as { calls: object[] };
        return found.length > 0 && found;
      });
      expect(calls).to.have.length(1);
      const abort = new AbortController();
      const given = outcome(client.callTool('slow', { steps: 500, interval: 10, tag: `${tag} again` }, { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) }));
      expect(String((await given).error)).to.equal('Error: enough');
      await until(async () => ((await firstValueFrom(client.callTool('cancelled', { tag: `${tag} again` }))).structuredContent as { calls: object[] }).calls.length === 1);
      expect((await outcome(client.callTool('echo', { message: 'still here' }))).error).to.equal(undefined);
    });
  }

  it('tells a tool that failed from a call that failed', async () => {
    const client = await ready();
    const [boom] = (await outcome(client.callTool('boom', { message: 'bang' }))).values;
    expect(boom).to.deep.include({ isError: true });
    const error = await errorOf(client.callTool('no-such-tool'));
    expect(error).to.be.instanceOf(RpcError).with.property('code', -32602);
    expect(error.message).to.match(/^MCP error -32602: /);
    const unknown = await errorOf(client.request('no/such/method'));
    expect(unknown).to.be.instanceOf(RpcError).with.property('code', -32601);
  });

  it('answers a ping, and reconnects with what it knows of the server', async () => {
    const client = await ready();
    const sent: unknown[] = [];
    client.wire$.subscribe(({ direction, message }) => {
      if (direction === 'out' && 'method' in message) sent.push(message.method);
    });
    expect((await outcome(client.ping())).error).to.equal(undefined);
    sent.length = 0;
    expect((await outcome(client.reconnect())).error).to.equal(undefined);
    expect(sent).to.deep.equal(era === 'legacy' ? ['initialize', 'notifications/initialized'] : ['server/discover']);
    expect(client.protocolVersion).to.equal(revision);
    expect((await outcome(client.callTool('echo', { message: 'x' }))).error).to.equal(undefined);
  });

  it('a verdict from before saves the probe', async () => {
    const first = await ready();
    const state = await firstValueFrom(first.state$);
    if (state.status !== 'ready') throw new Error(state.status);
    const { verdict } = state.session;
    const client = await open({ verdict: JSON.parse(JSON.stringify(verdict)) });
    const sent: unknown[] = [];
    client.wire$.subscribe(({ direction, message }) => {
      if (direction === 'out' && 'method' in message) sent.push(message.method);
    });
    expect((await outcome(client.connect())).error).to.equal(undefined);
    expect(sent).to.deep.equal(era === 'legacy' ? ['initialize', 'notifications/initialized'] : ['server/discover']);
    await outcome(client.close());
  });
}

/** The official reference server has tools of its own. */
export function behavesLikeEverything(open: ServerUnderTest['open']): void {
  const ready = clientsOf(open);

  it('everything: connects, lists, calls, and gives progress', async () => {
    const client = await ready();
    expect(client.protocolVersion).to.equal('2025-11-25');
    const [tools] = (await outcome(client.listTools())).values;
    expect(tools?.length).to.be.above(5);
    const [echo] = (await outcome(client.callTool('echo', { message: 'hi' }))).values;
    expect(echo).to.have.nested.property('content[0].text').that.includes('hi');
    const long = tools?.find(({ name }) => /long-?running/i.test(name));
    expect(long).not.to.equal(undefined);
    const { values, error } = await outcome(client.callTool(long!.name, { duration: 0.4, steps: 4 }, { observe: 'events' }));
    expect(error).to.equal(undefined);
    const progress = values.flatMap((event) => (event.type === 'progress' ? [event.progress.progress] : []));
    expect(progress).to.have.length(4);
    expect(increasing(progress)).to.equal(true);
    expect(values.at(-1)?.type).to.equal('result');
  });

  it('everything: a call given up leaves the connection usable', async () => {
    const client = await ready();
    const [tools] = (await outcome(client.listTools())).values;
    const long = tools?.find(({ name }) => /long-?running/i.test(name));
    await outcome(client.callTool(long!.name, { duration: 2, steps: 20 }, { observe: 'events' }).pipe(take(1)));
    expect((await outcome(client.callTool('echo', { message: 'x' }))).error).to.equal(undefined);
  });

  it('everything: resources and prompts are there, by plain requests', async () => {
    const client = await ready();
    const [resources] = (await outcome(client.request('resources/list'))).values;
    expect(resources?.resources.length).to.be.above(0);
    const [prompts] = (await outcome(client.request('prompts/list'))).values;
    expect(prompts?.prompts.length).to.be.above(0);
  });
}
