// Thirty servers, many of them in trouble, for the spec and for `npm run thirty`.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ConfigError, type ServerEntry } from '../../lib/node.ts';
import { stdioServer } from '../support/node-fixtures.ts';
import type { FixtureUrls } from '../support/fixtures.ts';

const program = fileURLToPath(new URL('../support/servers/troubled.mjs', import.meta.url));
const troubled = (...args: string[]) => ({ command: process.execPath, args: [program, ...args] });

/** How each of them must end up. */
export type Expected = 'ready' | 'slow' | 'missing' | 'crashing' | 'broken' | 'unreachable';

export interface Planned {
  readonly entry: ServerEntry;
  readonly expected: Expected;
}

/** @param slowMs - How long the slow ones take to start. */
export function thirty(urls: FixtureUrls, slowMs: number): Planned[] {
  const plan = (expected: Expected, name: string, config: ServerEntry['config'] & object) => ({ expected, entry: { name, config } });
  const several = (count: number, make: (n: number) => Planned): Planned[] => Array.from({ length: count }, (_, n) => make(n + 1));
  const reference = ['everything', 'legacy', 'modern', 'dual', 'inquiring'] as const;
  const variable: Planned = { expected: 'broken', entry: { name: 'variable', problem: new ConfigError('The variable TOKEN is not set') } };
  return [
    ...reference.flatMap((kind) => several(2, (n) => plan('ready', `stdio-${kind}-${n}`, stdioServer(kind)))),
    ...reference.flatMap((kind) => several(2, (n) => plan('ready', `http-${kind}-${n}`, { type: 'http', url: urls[kind] } as object))),
    ...several(2, (n) => plan('ready', `flood-${n}`, troubled('flood'))),
    ...several(3, (n) => plan('slow', `slow-${n}`, troubled('slow', String(slowMs)))),
    ...several(2, (n) => plan('missing', `missing-${n}`, { command: `no-such-command-${n}` } as object)),
    ...several(1, (n) => plan('crashing', `crash-${n}`, troubled('crash'))),
    ...several(1, (n) => plan('unreachable', `unreachable-${n}`, { type: 'http', url: 'http://127.0.0.1:9/mcp' } as object)),
    variable,
  ];
}
