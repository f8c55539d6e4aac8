// `npm run soak`: a manager whose server is killed 100 times, or restarted 50 times, at random moments under a steady load of
// calls; fails when a call does not end once, when the server ran one twice, or when the manager is not well at the end.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { subscribe } from 'node:diagnostics_channel';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { soak, type SoakResult } from '../spec/manager/soak.ts';
import { until } from '../spec/support/outcome.ts';
import { countingHttp, countsIn } from '../spec/support/servers/counting.mjs';

const KILLS = 100;
const RESTARTS = 50;
const program = fileURLToPath(new URL('../spec/support/servers/counting.mjs', import.meta.url));

const alive = new Set<ChildProcess>();
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  alive.add(child);
  child.once('exit', () => alive.delete(child));
});

function report(title: string, { reasons, ...result }: SoakResult, more = ''): void {
  console.log(`${title}: ${result.calls} calls, ${result.answered} answered, ${result.failed} failed (${Object.entries(reasons).map(([name, n]) => `${n} ${name}`).join(', ')}), ${result.astray} astray, ${result.twice} run twice, ${result.unfounded} answered unrun, ${result.isHealthy ? 'well' : 'not well'} at the end${more}`);
  if (result.astray + result.twice + result.unfounded > 0 || !result.isHealthy) process.exitCode = 1;
}

for (const era of ['legacy', 'modern'] as const) {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const file = join(folder, 'counts');
  writeFileSync(file, '');
  const kill = async (): Promise<void> => {
    const victims = [...alive];
    for (const child of victims) child.kill('SIGKILL');
    await until(() => victims.every((child) => !alive.has(child)));
  };
  const killed = await soak({ command: process.execPath, args: [program, era, file] } as object, KILLS, kill, () => countsIn(file));
  const starts = countsIn(file).get('start') ?? 0;
  report(`${era}, killed ${KILLS} times`, killed, `, ${starts} starts`);
  if (starts !== KILLS + 1) process.exitCode = 1;
  rmSync(folder, { recursive: true });

  const server = await countingHttp(era);
  report(`${era}, restarted ${RESTARTS} times`, await soak({ type: 'http', url: server.url } as object, RESTARTS, () => server.restart(), () => server.runs));
  await server.stop();
}
