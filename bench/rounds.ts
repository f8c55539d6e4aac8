import type { Scenario, Sampler, Values } from './scenario.ts';
import type { ClientName } from './types.ts';

/** The values of each client, round by round. */
export type Samples = Readonly<Partial<Record<ClientName, readonly Values[]>>>;

/** After so many samples code is compiled and caches are full, in whatever client. */
const WARM_UPS = 5;

/**
 * Measures clients in turns: each once in every round, and another one first
 * each time, so that whatever else the machine does meets all of them alike.
 */
export async function runRounds(scenario: Scenario, clients: readonly ClientName[], rounds: number): Promise<Samples> {
  const entrants: { client: ClientName; sampler: Sampler; values: Values[] }[] = [];
  for (const client of clients) {
    const sampler = await scenario.open(client);
    if (!scenario.isCold) for (let i = 0; i < WARM_UPS; i++) await sampler.sample();
    entrants.push({ client, sampler, values: [] });
  }
  for (let round = 0; round < Math.min(rounds, scenario.maxRounds ?? rounds); round++) {
    const first = round % entrants.length;
    for (const { sampler, values } of [...entrants.slice(first), ...entrants.slice(0, first)]) values.push(await sampler.sample());
  }
  for (const { sampler } of entrants) await sampler.close();
  return Object.fromEntries(entrants.map(({ client, values }) => [client, values]));
}
