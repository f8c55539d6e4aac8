// A server that is killed, or restarted, again and again under a steady load of calls: for the spec, and in full for `npm run soak`.
import { createManager, type McpManager, type ServerEntry } from '../../lib/node.ts';
import { outcome, pause, until } from '../support/outcome.ts';

/** Quick to come back, so that many breaks fit into little time. */
const healing = { firstDelayMs: 20, maxDelayMs: 200, minUptimeMs: 50, maxAttempts: 50 };

export interface SoakResult {
  readonly calls: number;
  /** Calls that came back, failed, and did both or neither. */
  readonly answered: number;
  readonly failed: number;
  readonly astray: number;
  /** Why calls failed, and how often. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Keys that the server ran more than once, and answers to what it never ran. */
  readonly twice: number;
  readonly unfounded: number;
  readonly isHealthy: boolean;
}

/** Numbers from 0 to 1 that can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) / 0x7fffffff;
}

/** @param breakIt - Breaks the server; it is up again, or on its way, when the Promise resolves. */
export async function soak(config: ServerEntry['config'], breaks: number, breakIt: (manager: McpManager) => Promise<unknown>, counts: () => ReadonlyMap<string, number>, seed = 1): Promise<SoakResult> {
  const manager = createManager([[{ name: 's', config }]], { healing });
  const next = random(seed);
  const ends = new Map<string, { values: number; errors: number }>();
  const reasons: Record<string, number> = {};
  let isOver = false;
  let calls = 0;
  let answered = 0;
  const call = (): Promise<unknown> => {
    const key = `call-${calls++}`;
    const end = { values: 0, errors: 0 };
    ends.set(key, end);
    return outcome(manager.callTool({ server: 's', tool: 'work' }, { key, ms: Math.floor(next() * 30) }, { timeoutMs: 10_000 })).then(({ values, error }) => {
      end.values += values.length;
      answered += values.length;
      if (error === undefined) return;
      end.errors++;
      const { name } = error as Error;
      reasons[name] = (reasons[name] ?? 0) + 1;
    });
  };
  const load = async (): Promise<void> => {
    while (!isOver) {
      await call();
      await pause(1);
    }
  };
  try {
    await outcome(manager.discoverAndConnect());
    const workers = Array.from({ length: 8 }, load);
    for (let n = 0; n < breaks; n++) {
      const before = answered;
      await until(() => answered > before); // it is up, and the load goes on
      await pause(next() * 120);
      await breakIt(manager);
    }
    isOver = true;
    await Promise.all(workers);
    await until(() => manager.statusOf('s')?.state.phase === 'ready');
    // A connection that was kept alive over the last break may cost one more call.
    let isHealthy = false;
    for (let n = 0; n < 3 && !isHealthy; n++) isHealthy = (await outcome(manager.callTool({ server: 's', tool: 'work' }, { key: `last-${n}`, ms: 1 }))).values.length === 1;
    const all = [...ends];
    const ran = (key: string) => counts().get(key) ?? 0;
    return {
      calls,
      answered: all.filter(([, { values: n }]) => n === 1).length,
      failed: all.filter(([, { errors }]) => errors === 1).length,
      astray: all.filter(([, { values: n, errors }]) => n + errors !== 1).length,
      reasons,
      twice: all.filter(([key]) => ran(key) > 1).length,
      unfounded: all.filter(([key, { values: n }]) => n === 1 && ran(key) !== 1).length,
      isHealthy,
    };
  } finally {
    await outcome(manager.close());
  }
}
