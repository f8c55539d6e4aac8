import process from 'node:process';
import { styleText } from 'node:util';
import type { ManyEvent, ServerRow } from './many.ts';
import { toLine } from './to-line.ts';

type Style = Parameters<typeof styleText>[0];

const COLOURS: Readonly<Record<string, Style>> = { ready: 'green', stopped: 'red', broken: 'red', refused: 'red', probing: 'yellow', reconnecting: 'yellow', disabled: 'dim' };

/** A table that is drawn anew on a terminal; elsewhere a line for each change. */
export function manyReporter(json: boolean): (event: ManyEvent) => void {
  if (json) {
    return (event) => {
      process.stdout.write(`${JSON.stringify(event)}\n`);
    };
  }
  const { stdout } = process;
  const isLive = stdout.isTTY && process.env.TERM !== 'dumb';
  const width = Math.min(stdout.columns || 80, 120);
  let shown: readonly ServerRow[] = [];
  let drawn = 0;

  const textOf = ({ name, phase, tools, why }: ServerRow, nameWidth: number) => {
    const cells = `${toLine(name).padEnd(nameWidth)}  ${phase.padEnd(12)}  ${String(tools).padStart(3)} tools`;
    const line = why === '' ? cells : `${cells}  ${toLine(why)}`;
    const cut = isLive && line.length > width ? `${line.slice(0, width - 1)}…` : line;
    const style = COLOURS[phase];
    return isLive && !process.env.NO_COLOR && style !== undefined ? styleText(style, cut, { validateStream: false }) : cut;
  };
  const drawTable = (servers: readonly ServerRow[]) => {
    const nameWidth = Math.max(4, ...servers.map(({ name }) => name.length));
    const lines = servers.map((row) => textOf(row, nameWidth));
    if (isLive) stdout.write(`${drawn > 0 ? `\u001B[${drawn}A\u001B[0J` : ''}${lines.map((line) => `${line}\n`).join('')}`);
    else for (const [index, row] of servers.entries()) if (!isSame(row, shown.find(({ name }) => name === row.name))) stdout.write(`${lines[index] ?? ''}\n`);
    drawn = lines.length;
    shown = servers;
  };
  const print = (text: string) => {
    stdout.write(`${text}\n`);
    drawn = 0; // a table that comes later is a new one
  };

  return (event) => {
    switch (event.event) {
      case 'servers':
        drawTable(event.servers);
        break;
      case 'found':
        print(event.servers.length === 0 ? 'No servers were found.' : 'These servers were found. They are programs and sites: look at them, then add --yes to connect.');
        for (const { name, from } of event.servers) print(`  ${toLine(name)}  (${toLine(from)})`);
        break;
      case 'tools':
        print(event.tools.length === 0 ? 'No tools.' : `${event.tools.length} tools: ${event.tools.map(toLine).join(', ')}`);
        break;
      case 'result':
        print(event.text);
        break;
      case 'closed':
        print(event.processesLeft === 0 ? 'closed, no process left' : `closed, ${event.processesLeft} processes left`);
        break;
      case 'warning':
      case 'error':
        process.stderr.write(`${event.event}: ${toLine(event.message)}\n`);
        break;
      case 'ended':
        break; // the table says so
    }
  };
}

function isSame(a: ServerRow, b: ServerRow | undefined): boolean {
  return a.phase === b?.phase && a.tools === b.tools && a.why === b.why;
}
