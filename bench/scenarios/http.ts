import { startHttpServer, type HttpServer } from '../processes.ts';
import { inFreshProcesses, inOneProcess, type Scenario } from '../scenario.ts';

const ALL = ['bare', 'bare-node-http', 'ours', 'ours-fetch', 'official', 'sdk', 'ai-sdk'] as const;
const WITH_PROGRESS = ['bare', 'bare-node-http', 'ours', 'ours-fetch', 'official', 'sdk'] as const;
const CALLS = 1_000;
const FIRST = 100;
const NEWS = 50_000;

let server: Promise<HttpServer> | undefined;
const at = (path: string) => async () => ({ url: `${(await (server ??= startHttpServer())).url}${path}` });

/** Ends the server that the scenarios shared, if one of them ran. */
export async function closeHttpServer(): Promise<void> {
  await (await server)?.close();
}

const calls = (name: string, title: string, path: string, width: number, budgets?: Readonly<Record<string, number>>): Scenario => ({
  name,
  clients: ALL,
  metrics: { call: { title: `${title}: processor time of a call`, unit: 'µs', relativeTo: 'bare', budgets } },
  open: inOneProcess(at(path), [{ kind: 'calls', count: CALLS, width }], ({ cpuMs }) => ({ call: (cpuMs * 1_000) / CALLS })),
});

const cold: Scenario = {
  name: 'http-cold',
  clients: ALL,
  metrics: { call: { title: 'HTTP with JSON, the first 100 calls of a process: processor time of a call', unit: 'µs', relativeTo: 'bare' } },
  isCold: true,
  open: inFreshProcesses(at('/json'), { kind: 'calls', count: FIRST, width: 1 }, ({ cpuMs }) => ({ call: (cpuMs * 1_000) / FIRST })),
};

const progress: Scenario = {
  name: 'http-progress',
  clients: WITH_PROGRESS,
  metrics: { wall: { title: 'HTTP, 50,000 news of progress on one event stream: time', unit: 'ms', relativeTo: 'bare', budgets: { ours: 1.2 } } },
  open: inOneProcess(at('/sse'), [{ kind: 'progress', count: NEWS }], ({ wallMs }) => ({ wall: wallMs })),
};

export const httpScenarios: readonly Scenario[] = [
  calls('http-json', 'HTTP with JSON, one call after the other', '/json', 1, { ours: 0.45, 'ours-fetch': 1.1 }),
  cold,
  calls('http-json-100', 'HTTP with JSON, 100 calls at once', '/json', 100),
  calls('http-sse', 'HTTP with an event stream, one call after the other', '/sse', 1, { ours: 0.45, 'ours-fetch': 1.1 }),
  progress,
];
