import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientProcess, stdioServer } from '../processes.ts';
import type { Scenario, Values } from '../scenario.ts';

const TIMES = 3;

/** The server counts its starts in a file: not every client passes on the environment, and all of them pass on arguments. */
const start: Scenario = {
  name: 'start',
  clients: ['bare', 'ours', 'official', 'official-default', 'sdk', 'ai-sdk'],
  metrics: {
    wall: { title: 'from starting a stdio server to its list of tools: time', unit: 'ms', relativeTo: 'bare' },
    processes: { title: 'processes that connecting to a legacy stdio server starts', budgets: { ours: 1 } },
  },
  open: async (client) => {
    const folder = mkdtempSync(join(tmpdir(), 'rxjs-mcp-bench-'));
    const starts = join(folder, 'starts');
    const count = (): number => statSync(starts, { throwIfNoEntry: false })?.size ?? 0;
    const process = await ClientProcess.start(client);
    return {
      sample: async (): Promise<Values> => {
        const before = count();
        const { wallMs } = await process.run({ kind: 'start', target: stdioServer(starts), times: TIMES });
        return { wall: wallMs / TIMES, processes: (count() - before) / TIMES };
      },
      close: async () => {
        await process.stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

export const startScenarios: readonly Scenario[] = [start];
