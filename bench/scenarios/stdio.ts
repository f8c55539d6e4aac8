import { stdioServer } from '../processes.ts';
import { inFreshProcesses, inOneProcess, type Scenario } from '../scenario.ts';

const ALL = ['bare', 'ours', 'official', 'sdk', 'ai-sdk'] as const;
const LISTENING = ['bare', 'ours', 'official', 'sdk'] as const;
const MB = 1_000_000;
const CALLS = 10_000;
const FIRST = 100;
const FEW = 1_000;
const MANY = 10_000;
const NOTIFICATIONS = 100_000;

const server = () => stdioServer();
const perCall = (ms: number, calls: number): number => (ms * 1_000) / calls;

const calls = (name: string, title: string, width: number, budget: number): Scenario => ({
  name,
  clients: ALL,
  metrics: { call: { title: `${title}: processor time of a call`, unit: 'µs', relativeTo: 'bare', budgets: { ours: budget } } },
  open: inOneProcess(server, [{ kind: 'calls', count: CALLS, width }], ({ cpuMs }) => ({ call: perCall(cpuMs, CALLS) })),
});

const notifications = (name: string, subscribers: number, budget?: number): Scenario => ({
  name,
  clients: LISTENING,
  metrics: {
    wall: {
      title: `stdio, 100,000 notifications to ${subscribers === 1 ? 'one subscriber' : `${subscribers} subscribers`}: time`,
      unit: 'ms',
      relativeTo: 'bare',
      budgets: { ours: budget },
    },
  },
  open: inOneProcess(server, [{ kind: 'notifications', count: NOTIFICATIONS, subscribers }], ({ wallMs }) => ({ wall: wallMs })),
});

const inFlight: Scenario = {
  name: 'stdio-in-flight',
  clients: ALL,
  metrics: {
    few: { title: 'stdio, 1,000 calls in flight: time of a call', unit: 'µs', relativeTo: 'bare' },
    many: { title: 'stdio, 10,000 calls in flight: time of a call', unit: 'µs', relativeTo: 'bare', budgets: { ours: 2 } },
    growth: { title: 'a call among 10,000 over one among 1,000', budgets: { ours: 1.2 } },
  },
  // As many calls on both sides, so that warm-up and garbage weigh the same.
  open: inOneProcess(
    server,
    [
      { kind: 'held', count: FEW, times: MANY / FEW },
      { kind: 'held', count: MANY, times: 1 },
    ],
    (few, many) => ({ few: perCall(few.wallMs, MANY), many: perCall(many.wallMs, MANY), growth: many.wallMs / few.wallMs }),
  ),
};

const large: Scenario = {
  name: 'stdio-large',
  clients: ALL,
  metrics: {
    small: { title: 'stdio, one result of 8 MB: time', unit: 'ms', relativeTo: 'bare' },
    large: { title: 'stdio, one result of 32 MB: time', unit: 'ms', relativeTo: 'bare', budgets: { ours: 1.2 } },
    growth: { title: '32 MB over 8 MB (4 is linear)', budgets: { ours: 4.5 } },
  },
  open: inOneProcess(
    server,
    [
      { kind: 'large', bytes: 8 * MB, times: 4 },
      { kind: 'large', bytes: 32 * MB, times: 1 },
    ],
    (small, large) => ({ small: small.wallMs / 4, large: large.wallMs, growth: large.wallMs / (small.wallMs / 4) }),
  ),
};

const peak = (name: string, title: string, workload: Parameters<typeof inFreshProcesses>[1]): Scenario => ({
  name,
  clients: ALL,
  metrics: { peak: { title: `${title}: peak memory`, unit: 'MB', relativeTo: 'bare' } },
  maxRounds: 3,
  isCold: true,
  open: inFreshProcesses(server, workload, ({ peakMB }) => ({ peak: peakMB })),
});

const cold: Scenario = {
  name: 'stdio-cold',
  clients: ALL,
  metrics: { call: { title: 'stdio, the first 100 calls of a process: processor time of a call', unit: 'µs', relativeTo: 'bare' } },
  isCold: true,
  open: inFreshProcesses(server, { kind: 'calls', count: FIRST, width: 1 }, ({ cpuMs }) => ({ call: perCall(cpuMs, FIRST) })),
};

export const stdioScenarios: readonly Scenario[] = [
  calls('stdio-sequential', 'stdio, one call after the other', 1, 1.4),
  cold,
  calls('stdio-64', 'stdio, 64 calls in flight', 64, 1.3),
  inFlight,
  notifications('stdio-notifications', 1, 1.2),
  notifications('stdio-notifications-10', 10),
  large,
  peak('memory-in-flight', 'stdio, 10,000 calls in flight', { kind: 'held', count: MANY, times: 1 }),
  peak('memory-large', 'stdio, one result of 32 MB', { kind: 'large', bytes: 32 * MB, times: 1 }),
];
