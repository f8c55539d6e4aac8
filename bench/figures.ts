import type { Samples } from './rounds.ts';
import type { Metric, Scenario } from './scenario.ts';
import { lowerBound, median, pairedRatios } from './statistics.ts';
import type { ClientName } from './types.ts';

/** What one client showed in one metric of one scenario. */
export interface Figure {
  readonly scenario: string;
  readonly metric: string;
  readonly client: ClientName;
  /** Median of the values. */
  readonly value: number;
  /** Median of the paired ratios, where the metric has a baseline. */
  readonly ratio?: number | undefined;
  readonly budget?: number | undefined;
  /** What the median of the budgeted number is at least; see {@link lowerBound}. */
  readonly atLeast: number;
}

/** Whether the budget is exceeded by more than noise may do. */
export const isOver = ({ budget, atLeast }: Figure): boolean => budget !== undefined && atLeast > budget;

/** The figures of all clients that were measured. */
export function figuresOf(scenario: Scenario, samples: Samples): Figure[] {
  const valuesOf = (client: ClientName, key: string): number[] => (samples[client] ?? []).map((values) => values[key] ?? Number.NaN);
  const figure = (client: ClientName, key: string, { relativeTo, budgets }: Metric): Figure => {
    const values = valuesOf(client, key);
    const ratios = relativeTo === undefined ? undefined : pairedRatios(values, valuesOf(relativeTo, key));
    const ratio = ratios === undefined ? undefined : median(ratios);
    return { scenario: scenario.name, metric: key, client, value: median(values), ratio, budget: budgets?.[client], atLeast: lowerBound(ratios ?? values) };
  };
  return Object.entries(scenario.metrics).flatMap(([key, metric]) => Object.keys(samples).map((client) => figure(client as ClientName, key, metric)));
}
