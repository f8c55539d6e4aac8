// `npm run bench`: how fast rxjs-mcp is, beside other clients and beside a loop without any. Options after `--`:
// `--only NAME[,NAME]` scenarios, `--clients NAME[,NAME]`, `--rounds N`, `--json FILE` everything measured, `--write` docs/performance.md.
// `npm run bench:check` (`--check`): only what has a budget, and fails when one is exceeded by more than noise.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figuresOf, isOver, type Figure } from './figures.ts';
import { machine } from './machine.ts';
import { page, tables } from './report.ts';
import { runRounds, type Samples } from './rounds.ts';
import type { Scenario } from './scenario.ts';
import { closeHttpServer } from './scenarios/http.ts';
import { scenarios as all } from './scenarios/all.ts';
import type { ClientName } from './types.ts';

const ROUNDS = 11;
const CHECK_ROUNDS = 9;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    clients: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds ?? (options.check ? CHECK_ROUNDS : ROUNDS));
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${options.rounds ?? ''} is no number of rounds`);

const names = options.only?.split(',');
const unknown = names?.filter((name) => all.every((scenario) => scenario.name !== name)) ?? [];
if (unknown.length > 0) throw new Error(`No scenario ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
const chosen = all.filter((scenario) => (names?.includes(scenario.name) ?? true) && (!options.check || budgeted(scenario).length > 0));

/** The clients that a scenario has a budget for, and those they are compared with. */
function budgeted({ clients, metrics }: Scenario): ClientName[] {
  const needed = Object.values(metrics).flatMap(({ budgets = {}, relativeTo }) => {
    const ours = clients.filter((client) => budgets[client] !== undefined);
    return ours.length > 0 && relativeTo !== undefined ? [...ours, relativeTo] : ours;
  });
  return clients.filter((client) => needed.includes(client));
}

function clientsOf(scenario: Scenario): readonly ClientName[] {
  if (options.check) return budgeted(scenario);
  const wanted = options.clients?.split(',');
  return wanted === undefined ? scenario.clients : scenario.clients.filter((client) => wanted.includes(client));
}

function line({ scenario, metric, client, value, ratio, budget, atLeast }: Figure): string {
  const shown = ratio ?? value;
  return `${scenario} ${metric}, ${client}: ${shown.toFixed(2)} (surely above ${atLeast.toFixed(2)}), budget ${String(budget)}`;
}

const samples: Record<string, Samples> = {};
const figures: Figure[] = [];
try {
  for (const scenario of chosen) {
    const start = performance.now();
    const measured = await runRounds(scenario, clientsOf(scenario), rounds);
    console.error(`${scenario.name}: ${((performance.now() - start) / 1_000).toFixed(0)} s`);
    samples[scenario.name] = measured;
    figures.push(...figuresOf(scenario, measured));
  }
} finally {
  await closeHttpServer();
}

if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ machine: machine(), rounds, figures, samples }, undefined, 2)}\n`);
if (options.write) writeFileSync(fileURLToPath(new URL('../docs/performance.md', import.meta.url)), page(chosen, figures, machine(), rounds));
if (!options.check) console.log(tables(chosen, figures));
const limited = figures.filter(({ budget }) => budget !== undefined);
for (const figure of limited) console.log(`${isOver(figure) ? 'OVER  ' : 'within'} ${line(figure)}`);
if (options.check && limited.some(isOver)) process.exitCode = 1;
