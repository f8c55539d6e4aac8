// What a client costs before it does anything: the time of its import in Node, and the download of a page.
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pageBundle } from '../../scripts/page-bundle.js';
import { cleanEnv } from '../processes.ts';
import type { Scenario } from '../scenario.ts';

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const CLIENTS = ['ours', 'official', 'sdk', 'ai-sdk'] as const;

const importTime: Scenario = {
  name: 'import',
  isCold: true,
  clients: CLIENTS,
  // 20 ms where the official client takes 71: a ratio holds on other machines too.
  metrics: { time: { title: 'import in Node (of ours: beyond RxJS): time', unit: 'ms', relativeTo: 'official', budgets: { ours: 0.28 } } },
  open: (client) => {
    const sample = async () => ({ time: Number((await promisify(execFile)(process.execPath, [path('import-time.mjs'), client], { env: cleanEnv })).stdout) });
    return Promise.resolve({ sample, close: () => Promise.resolve() });
  },
};

const bundle: Scenario = {
  name: 'bundle',
  clients: CLIENTS,
  metrics: { size: { title: 'page that calls one tool over HTTP: download', unit: 'kB', budgets: { ours: 22 } } },
  maxRounds: 1,
  isCold: true,
  open: (client) => Promise.resolve({ sample: async () => ({ size: (await pageBundle(path(`bundles/${client}.mjs`), ['es2015'])).gzipped / 1_000 }), close: () => Promise.resolve() }),
};

export const loadingScenarios: readonly Scenario[] = [importTime, bundle];
