// `npm run bench:inflight`: does an answer cost more when many others wait? 10,000 calls in flight on one stdio connection,
// answered in reverse order, against 1,000, paired and interleaved in one run; fails above the limit.
import process from 'node:process';
import { firstValueFrom, forkJoin, lastValueFrom } from 'rxjs';
import { createClient, type McpClient } from '../lib/node.ts';
import { rawStdio } from '../spec/support/node-fixtures.ts';
import { median } from './measure.ts';

const FEW = 1_000;
const MANY = 10_000;
const ROUNDS = 15;
const LIMIT = 1.3;

async function connected(): Promise<McpClient> {
  return firstValueFrom(createClient(rawStdio('reversed'), { verdict: { era: 'legacy', revision: '2025-11-25' } }).connect());
}

/**
 * Processor time of this process for each answer, in microseconds, when
 * `count` calls are in flight at once.
 */
async function costPerAnswer(client: McpClient, count: number): Promise<number> {
  let settled = 0;
  // Subscribed one by one: mergeMap keeps its inner subscriptions in a list and searches it for each that ends.
  const answered = new Promise<void>((resolve, reject) => {
    for (let i = 0; i < count; i++) {
      client.callTool('echo', { i }).subscribe({
        next: ({ content: [block] }) => {
          if (block?.type !== 'text' || block.text !== `{"i":${i}}`) reject(new Error(`Call ${i} of ${count} got another's answer`));
        },
        error: reject,
        complete: () => {
          if (++settled === count) resolve();
        },
      });
    }
  });
  await lastValueFrom(client.ping(), { defaultValue: undefined }); // the server has read all calls
  const start = process.cpuUsage();
  await Promise.all([answered, lastValueFrom(client.request('go'))]);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

const clients = { few: await connected(), many: await connected() };
const measure = async (): Promise<{ few: number; many: number }> => {
  // As many calls on both sides, so that warm-up and garbage weigh the same.
  const few: number[] = [];
  for (let i = 0; i < MANY / FEW; i++) few.push(await costPerAnswer(clients.few, FEW));
  return { few: few.reduce((sum, cost) => sum + cost, 0) / few.length, many: await costPerAnswer(clients.many, MANY) };
};
await measure(); // warm-up
const rounds: { few: number; many: number }[] = [];
for (let i = 0; i < ROUNDS; i++) rounds.push(await measure());
await lastValueFrom(forkJoin([clients.few.close(), clients.many.close()]), { defaultValue: undefined });

const ratio = median(rounds.map(({ few, many }) => many / few));
for (const { few, many } of rounds) console.log(`${few.toFixed(1)} µs at ${FEW}   ${many.toFixed(1)} µs at ${MANY}   ratio ${(many / few).toFixed(2)}`);
console.log(`median ratio ${ratio.toFixed(2)} (limit ${LIMIT})`);
process.exitCode = ratio > LIMIT ? 1 : 0;
