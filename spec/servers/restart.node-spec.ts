// Real servers that go away in the middle of things: what runs there is counted there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createClient, withLiveViews, type ClientFeature, type ClientWith, type LiveViews } from '../../lib/node.ts';
import { countingHttp, countsIn } from '../support/servers/counting.mjs';
import { outcome, pause, until, type Outcome } from '../support/outcome.ts';
import { pidsOf, watchChildren } from '../support/stdio.ts';
import { record, type Recorded } from '../support/test-scheduler.ts';
import type { Tool } from '../../lib/wire/mcp/tool-types.ts';

type Client = ClientWith<[ClientFeature<LiveViews>]>;

const names = (seen: Recorded<Tool[]>): unknown => seen.values.at(-1)?.map(({ name }) => name);

/** Calls that are spread over the break: each key once. */
async function workAround(client: Client, breaks: () => Promise<unknown>): Promise<Map<string, Outcome<unknown>>> {
  const calls: [string, Promise<Outcome<unknown>>][] = [];
  const call = (key: string, ms: number) => {
    calls.push([key, outcome(client.callTool('work', { key, ms }, { timeoutMs: 5_000 }))]);
  };
  for (let n = 0; n < 10; n++) call(`quick-${n}`, 1);
  await Promise.all(calls.map(([, ended]) => ended));
  for (let n = 0; n < 10; n++) call(`during-${n}`, 400);
  await pause(100);
  const broken = breaks();
  for (let n = 0; n < 10; n++) call(`after-${n}`, 1);
  await broken;
  return new Map(await Promise.all(calls.map(async ([key, ended]): Promise<[string, Outcome<unknown>]> => [key, await ended])));
}

/** Each call has one end; what came back was run once, and nothing was run twice. */
function judge(ends: Map<string, Outcome<unknown>>, runs: ReadonlyMap<string, number>): void {
  expect(ends.size).to.equal(30);
  for (const [key, { values, error }] of ends) {
    expect(values.length + (error === undefined ? 0 : 1), key).to.equal(1);
    expect(runs.get(key) ?? 0, key).to.be.at.most(1);
    if (values.length === 1) expect(runs.get(key), key).to.equal(1);
  }
  for (const [key, { values }] of ends) if (key.startsWith('quick')) expect(values, key).to.have.length(1);
}

describe('a server restarted in the middle', function () {
  this.timeout(30_000);
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
  });

  async function ready(config: Parameters<typeof createClient>[0]): Promise<{ client: Client; tools: Recorded<Tool[]> }> {
    const client = createClient(config, { features: [withLiveViews()] });
    clients.push(client);
    expect((await outcome(client.connect())).error).to.equal(undefined);
    const tools = record(client.tools$);
    await until(() => tools.values.length > 0);
    expect(names(tools)).to.deep.equal(['work', 'generation-1']);
    return { client, tools };
  }

  for (const era of ['legacy', 'modern'] as const) {
    describe(`${era}, over HTTP`, () => {
      let server: Awaited<ReturnType<typeof countingHttp>>;
      beforeEach(async () => {
        server = await countingHttp(era);
      });
      afterEach(() => server.stop());

      it('each call ends once, nothing runs twice, and the view shows the new list [B44 B45 R53]', async () => {
        const { client, tools } = await ready({ type: 'http', url: server.url });
        judge(await workAround(client, () => server.restart()), server.runs);
        await until(() => String(names(tools)) === 'work,generation-2');
        expect(tools).to.deep.include({ errors: [], completed: 0 });
        expect((await outcome(client.callTool('work', { key: 'later', ms: 1 }))).values).to.have.length(1);
        expect(server.runs.get('later')).to.equal(1);
        tools.unsubscribe();
      });

      it('the view shows the new list though nobody calls [B63 B69]', async () => {
        const { tools } = await ready({ type: 'http', url: server.url });
        await pause(100); // until the stream for changes is open
        await server.restart();
        await until(() => String(names(tools)) === 'work,generation-2');
        tools.unsubscribe();
      });

      if (era === 'modern') {
        it('connections cut while the list changes: the view shows the true list [B69]', async () => {
          const { tools } = await ready({ type: 'http', url: server.url });
          await pause(100);
          server.cut();
          await until(() => String(names(tools)) === 'work,generation-2');
          expect(tools).to.deep.include({ errors: [], completed: 0 });
          tools.unsubscribe();
        });
      }
    });

    describe(`${era}, over stdio`, () => {
      const children = watchChildren();
      const program = fileURLToPath(new URL('../support/servers/counting.mjs', import.meta.url));

      it('killed and reconnected by the caller: each call ends once, nothing runs twice, the view shows the new list', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'counting-'));
        try {
          const file = join(folder, 'counts');
          writeFileSync(file, '');
          const { client, tools } = await ready({ command: process.execPath, args: [program, era, file] });
          const ends = await workAround(client, async () => {
            process.kill(pidsOf(children())[0]!, 'SIGKILL');
            await until(() => !client.connected);
            expect((await outcome(client.connect())).error).to.equal(undefined);
          });
          judge(ends, countsIn(file));
          await until(() => String(names(tools)) === 'work,generation-2');
          expect(tools).to.deep.include({ errors: [], completed: 0 });
          expect(countsIn(file).get('start')).to.equal(2);
          tools.unsubscribe();
        } finally {
          rmSync(folder, { recursive: true });
        }
      });
    });
  }
});
