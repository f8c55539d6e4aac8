import { ClientProcess } from './processes.ts';
import type { ClientName, Measurement, Target, Workload } from './types.ts';

/** One number that a scenario gives for each client and round. */
export interface Metric {
  readonly title: string;
  /** Of the value itself; none for growths and counts. */
  readonly unit?: 'µs' | 'ms' | 'MB' | 'kB' | undefined;
  /** Whose value of the same round it is divided by; none where the value speaks for itself. */
  readonly relativeTo?: ClientName | undefined;
  /** The most that clients of ours may have: of the ratio where there is one, else of the value. */
  readonly budgets?: Readonly<Partial<Record<ClientName, number | undefined>>> | undefined;
}

export interface Scenario {
  readonly name: string;
  readonly clients: readonly ClientName[];
  readonly metrics: Readonly<Record<string, Metric>>;
  /** For what varies little, or takes long. @defaultValue as many as are asked for */
  readonly maxRounds?: number | undefined;
  /** Whether each sample is from a new process, or of something that does not run: nothing gets warm. @defaultValue false */
  readonly isCold?: boolean | undefined;
  /** Makes a client ready to be measured, again and again. */
  readonly open: (client: ClientName) => Promise<Sampler>;
}

export interface Sampler {
  /** Runs once: a value for each metric. */
  sample(): Promise<Values>;
  close(): Promise<void>;
}

export type Values = Readonly<Record<string, number>>;

/** Runs workloads in one process, over one connection. */
export function inOneProcess(target: () => Target | Promise<Target>, workloads: readonly Workload[], valuesOf: (...measured: Measurement[]) => Values): Scenario['open'] {
  return async (client) => {
    const process = await ClientProcess.start(client);
    await process.connect(await target());
    const sample = async (): Promise<Values> => {
      const measured: Measurement[] = [];
      for (const workload of workloads) measured.push(await process.run(workload));
      return valuesOf(...measured);
    };
    return { sample, close: () => process.stop() };
  };
}

/** Runs one workload in a new process each time. */
export function inFreshProcesses(target: () => Target | Promise<Target>, workload: Workload, valuesOf: (measured: Measurement) => Values): Scenario['open'] {
  return (client) => {
    const sample = async (): Promise<Values> => {
      const sampler = await inOneProcess(target, [workload], valuesOf)(client);
      const values = await sampler.sample();
      await sampler.close();
      return values;
    };
    return Promise.resolve({ sample, close: () => Promise.resolve() });
  };
}
