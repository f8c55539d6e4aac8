import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { countingHttp, countsIn } from '../support/servers/counting.mjs';
import { until } from '../support/outcome.ts';
import { pidsOf, watchChildren } from '../support/stdio.ts';
import { soak } from './soak.ts';

const KILLS = 8;
const RESTARTS = 6;

describe('a manager whose server breaks again and again under load', function () {
  this.timeout(60_000);
  const children = watchChildren();
  const program = fileURLToPath(new URL('../support/servers/counting.mjs', import.meta.url));

  for (const era of ['legacy', 'modern'] as const) {
    it(`${era}, killed ${KILLS} times: each call ends once, none runs twice, one start for each kill [B79]`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'soak-'));
      try {
        const file = join(folder, 'counts');
        writeFileSync(file, '');
        const kill = async (): Promise<void> => {
          const alive = children().filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
          for (const pid of pidsOf(alive)) process.kill(pid, 'SIGKILL');
          await until(() => alive.every(({ signalCode }) => signalCode !== null));
        };
        const result = await soak({ command: process.execPath, args: [program, era, file] } as object, KILLS, kill, () => countsIn(file));
        expect(result).to.include({ astray: 0, twice: 0, unfounded: 0, isHealthy: true });
        expect(result.answered).to.be.at.least(KILLS);
        expect(result.answered + result.failed).to.equal(result.calls);
        expect(countsIn(file).get('start')).to.equal(KILLS + 1);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it(`${era}, over HTTP, restarted ${RESTARTS} times: each call ends once, none runs twice [B79]`, async () => {
      const server = await countingHttp(era);
      try {
        const result = await soak({ type: 'http', url: server.url } as object, RESTARTS, () => server.restart(), () => server.runs);
        expect(result).to.include({ astray: 0, twice: 0, unfounded: 0, isHealthy: true });
        expect(result.answered).to.be.at.least(RESTARTS);
        expect(result.answered + result.failed).to.equal(result.calls);
      } finally {
        await server.stop();
      }
    });
  }
});
