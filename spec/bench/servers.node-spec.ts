// The servers of the benchmark answer right, and every client gets the same from them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ClientProcess, startHttpServer, stdioServer, type HttpServer } from '../../bench/processes.ts';
import { prose, shuffled } from '../../bench/servers/answers.mjs';
import type { ClientName, Target, Workload } from '../../bench/types.ts';

/** The sources, so that nothing need be built. */
const sources = { library: fileURLToPath(new URL('../../lib/node.ts', import.meta.url)), execArgv: ['--import', 'tsx/esm'] };

const calls: readonly Workload[] = [
  { kind: 'calls', count: 20, width: 1 },
  { kind: 'calls', count: 200, width: 64 },
];
const progress: Workload = { kind: 'progress', count: 1_200 };

/** Clients look at what they get, and report an error when it is not what was to come. */
async function expectAll(client: ClientName, targets: readonly [Target, readonly Workload[]][]): Promise<void> {
  const process = await ClientProcess.start(client, sources);
  for (const [target, workloads] of targets) {
    await process.connect(target);
    for (const workload of workloads) {
      const { wallMs, cpuMs, peakMB } = await process.run(workload);
      expect(wallMs).to.be.above(0);
      expect(cpuMs).to.be.at.least(0);
      expect(peakMB).to.be.above(10);
    }
  }
  await process.stop();
}

describe('benchmark', function () {
  this.timeout(30_000);

  describe('over stdio', () => {
    const answers: readonly Workload[] = [...calls, { kind: 'held', count: 100, times: 2 }, { kind: 'large', bytes: 200_000, times: 2 }];
    const notifications: readonly Workload[] = [
      { kind: 'notifications', count: 500, subscribers: 1 },
      { kind: 'notifications', count: 500, subscribers: 10 },
    ];
    const workloads: readonly (readonly [ClientName, readonly Workload[]])[] = [
      // The official clients drop the progress that comes in one chunk with the answer.
      ['bare', [...answers, ...notifications, progress]],
      ['ours', [...answers, ...notifications, progress]],
      ['official', [...answers, ...notifications]],
      ['sdk', [...answers, ...notifications]],
      ['ai-sdk', answers],
    ];
    for (const [client, all] of workloads) {
      it(`gives ${client} all there is`, () => expectAll(client, [[stdioServer(), all]]));
    }
  });

  describe('over HTTP', () => {
    let server: HttpServer;
    before(async () => {
      server = await startHttpServer();
    });
    after(() => server.close());

    const clients: readonly ClientName[] = ['bare', 'bare-node-http', 'ours', 'ours-fetch', 'official', 'sdk', 'ai-sdk'];
    for (const client of clients) {
      it(`gives ${client} all there is`, () =>
        expectAll(client, [
          [{ url: `${server.url}/json` }, calls],
          [{ url: `${server.url}/sse` }, client === 'ai-sdk' ? calls : [...calls, progress]],
        ]));
    }
  });

  it('counts the processes that connecting starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rxjs-mcp-bench-'));
    const starts = join(folder, 'starts');
    const process = await ClientProcess.start('ours', sources);
    await process.run({ kind: 'start', target: stdioServer(starts), times: 2 });
    await process.stop();
    expect(readFileSync(starts, 'utf8')).to.equal('..');
    rmSync(folder, { recursive: true });
  });

  it('notices a client that gets less than it should', async () => {
    const process = await ClientProcess.start('ai-sdk', sources);
    await process.connect(stdioServer());
    const error = await process.run(progress).catch((reason: unknown) => reason);
    expect(String(error)).to.include('This client has no progress');
    await process.stop();
  });

  it('makes the same bytes everywhere', () => {
    expect(prose(60)).to.equal('ladder river window window lamp stone stone orchard window r');
    expect(prose(123_456)).to.have.length(123_456);
    expect(shuffled(8)).to.have.members([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(shuffled(8)).to.deep.equal(shuffled(8)).and.not.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
