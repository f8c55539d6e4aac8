// `npm run bench:large`: is reading one long message linear? One line (stdio) and one event (HTTP) of 32 MB against 8 MB,
// paired and interleaved in one run; 4 would be exactly linear; fails above the limit.
import process from 'node:process';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { createClient, type McpClient } from '../lib/node.ts';
import { rawStdio, startFixtures } from '../spec/support/node-fixtures.ts';
import { cpuMs, median } from './measure.ts';

const MB = 1_000_000;
const SMALL = 8 * MB;
const LARGE = 32 * MB;
const ROUNDS = 5;
const LIMIT = 5;
const verdict = { era: 'legacy', revision: '2025-11-25' } as const;

async function callOnce(client: McpClient, bytes: number): Promise<number> {
  const { result, ms } = await cpuMs(() => lastValueFrom(client.callTool('large', { bytes })));
  const [block] = result.content;
  if (block?.type !== 'text' || block.text.length < bytes - 200) throw new Error(`${bytes} bytes did not arrive whole`);
  return ms;
}

const { urls, stop } = await startFixtures(['raw']); // a process of its own

const open = (bytes: number) => ({
  line: createClient(rawStdio('long-line', { bytes }), { verdict }),
  event: createClient({ type: 'http', url: `${urls.raw}/large?run=bench` }, { verdict }),
});
let failed = false;
for (const kind of ['line', 'event'] as const) {
  const small = await firstValueFrom(open(SMALL)[kind].connect());
  const large = await firstValueFrom(open(LARGE)[kind].connect());
  await callOnce(small, SMALL);
  await callOnce(large, LARGE); // warm-up
  const ratios: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const [smallMs, largeMs] = [await callOnce(small, SMALL), await callOnce(large, LARGE)];
    ratios.push(largeMs / smallMs);
    console.log(`${kind}: ${smallMs.toFixed(0)} ms for 8 MB   ${largeMs.toFixed(0)} ms for 32 MB   ratio ${(largeMs / smallMs).toFixed(1)}`);
  }
  console.log(`${kind}: median ratio ${median(ratios).toFixed(1)} (limit ${LIMIT})`);
  failed ||= median(ratios) > LIMIT;
  await Promise.all([small, large].map((client) => lastValueFrom(client.close(), { defaultValue: undefined })));
}
await stop();
process.exitCode = failed ? 1 : 0;
