import type { Figure } from './figures.ts';
import type { Machine } from './machine.ts';
import type { Metric, Scenario } from './scenario.ts';
import type { ClientName } from './types.ts';

const COLUMNS: Readonly<Record<ClientName, string>> = {
  ours: 'rxjs-mcp',
  'ours-fetch': 'rxjs-mcp over `fetch`',
  official: 'official client',
  'official-default': 'official client, legacy only',
  sdk: 'official SDK 1',
  'ai-sdk': 'AI SDK',
  'bare-node-http': 'bare loop over `node:http`',
  bare: 'bare loop',
};
const CLIENTS = Object.keys(COLUMNS) as ClientName[];

type Row = readonly string[];

const table = ([head = [], ...rows]: readonly Row[]): string => {
  const line = (cells: Row): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map((_, column) => (column === 0 ? '---' : '---:')).join('|')}|`, ...rows.map(line)].join('\n');
};

/** Three digits say all that the noise leaves. */
const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** The budgets of a metric, ours first and over `fetch` second. */
const budgetsOf = ({ budgets = {} }: Metric): string => Object.values(budgets)
    .flatMap((budget) => (budget === undefined ? [] : short(budget)))
    .join('; ');

/** One row for each metric that `cell` has something to say about, one column for each client that was measured. */
function rows(scenarios: readonly Scenario[], figures: readonly Figure[], cell: (metric: Metric, figure: Figure) => string | undefined, lastHead: string, lastCell: (metric: Metric) => string): string {
  const clients = CLIENTS.filter((name) => figures.some(({ client }) => client === name));
  const body = scenarios.flatMap(({ name, metrics }) =>
    Object.entries(metrics).flatMap(([key, metric]): Row[] => {
      const cells = clients.map((client) => {
        const figure = figures.find((candidate) => candidate.scenario === name && candidate.metric === key && candidate.client === client);
        return figure === undefined ? '–' : cell(metric, figure);
      });
      return cells.every((text) => text === undefined || text === '–') ? [] : [[metric.title, ...cells.map((text) => text ?? ''), lastCell(metric)]];
    }),
  );
  return table([['', ...clients.map((client) => COLUMNS[client]), lastHead], ...body]);
}

/** The two tables: ratios and counts, which other machines should see too, then what this one took. */
export function tables(scenarios: readonly Scenario[], figures: readonly Figure[]): string {
  const relative = rows(scenarios, figures, ({ unit }, { ratio, value }) => (ratio === undefined && unit !== undefined ? undefined : short(ratio ?? value)), 'budget', (metric) =>
    metric.relativeTo === undefined && metric.unit !== undefined ? '' : budgetsOf(metric),
  );
  const absolute = rows(scenarios, figures, ({ unit }, { value }) => (unit === undefined ? undefined : short(value)), 'unit', ({ unit = '' }) => unit);
  return `## Ratios\n\n${relative}\n\n## Values\n\n${absolute}\n`;
}

/** The page for `docs/performance.md`. */
export function page(scenarios: readonly Scenario[], figures: readonly Figure[], { cpu, cores, memoryGB, node, packages }: Machine, rounds: number): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `# Performance

Written by \`npm run bench -- --write\`; \`npm run bench:check\` fails when a ratio falls behind its budget.

Each client runs in a process of its own, from what its package ships, against the same server, which answers with prepared bytes. All take turns, ${rounds} rounds of them (three for memory), another one first each time; unless a row speaks of a new process, after five that do not count, so that code is compiled. A ratio is the median of the ratios within a round, to the *bare loop*: a program without any client that starts the process or posts with \`fetch\`, joins lines or events, parses them with \`JSON.parse\` and finds who waits in a \`Map\`. It has no deadlines, no cancellation and no checks, and is as fast as it gets. Growths and counts stand for themselves; the import is relative to the official client's. Lower is better everywhere.

\`rxjs-mcp\` connects over HTTP with \`nodeHttpHandler()\`, *over \`fetch\`* with \`fetchHandler()\`. The official client finds out the revision (\`mode: 'auto'\`), as rxjs-mcp does; its default speaks the revisions up to 2025-11-25 only. A dash: the client cannot do it, or it says nothing there.

${cpu}, ${cores} cores, ${memoryGB} GB; Node ${node}; ${versions.join(', ')}.

${tables(scenarios, figures)}`;
}
