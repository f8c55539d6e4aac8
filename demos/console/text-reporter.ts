import { styleText } from 'node:util';
import type { Reporter } from './events.ts';
import { toLine } from './to-line.ts';

export interface TextOptions {
  readonly write: (text: string) => void;
  /** In columns. */
  readonly width: number;
  /** Whether a line can be drawn anew. */
  readonly isLive: boolean;
  readonly hasColour: boolean;
}

type Style = Parameters<typeof styleText>[0];

const MARGIN = '  ';
const LABEL_WIDTH = 12;
const BAR_WIDTH = 30;
const REDRAW = '\r\u001B[2K';

/** For people: a labelled line for each event, and a bar that moves. */
export function textReporter({ write, width, isLive, hasColour }: TextOptions): Reporter {
  const textWidth = width - MARGIN.length - LABEL_WIDTH;
  const paint = (style: Style, text: string) => (hasColour ? styleText(style, text, { validateStream: false }) : text);
  let bar = ''; // the line that is being redrawn, while there is one

  const print = (line: string) => {
    write(`${isLive ? REDRAW : ''}${line}\n${bar}`); // over the bar, and over the ^C that a terminal echoes
  };
  const row = (label: string, text: string, style: Style = 'cyan') => `${MARGIN}${paint(style, label.padEnd(LABEL_WIDTH))}${text}`;
  const printRow = (label: string, text: string, style?: Style) => {
    print(row(label, cut(toLine(text), textWidth), style));
  };
  const drawBar = (text: string) => {
    bar = row('progress', text);
    write(`${REDRAW}${bar}`);
  };
  const leaveBar = () => {
    if (bar !== '') write('\n');
    bar = '';
  };

  const printTools = (tools: readonly { name: string; description: string }[]) => {
    const nameWidth = Math.min(Math.max(4, ...tools.map(({ name }) => name.length)), 36);
    const descriptionWidth = width - 2 * MARGIN.length - nameWidth - 2;
    const cells = (name: string, description: string) => `${cut(toLine(name), nameWidth).padEnd(nameWidth)}  ${cut(toLine(description), descriptionWidth)}`;
    printRow('tools', String(tools.length));
    print('');
    print(`${MARGIN}${MARGIN}${paint('dim', cells('tool', 'what it does'))}`);
    print(`${MARGIN}${MARGIN}${paint('dim', cells('─'.repeat(nameWidth), '─'.repeat(descriptionWidth)))}`);
    for (const { name, description } of tools) print(`${MARGIN}${MARGIN}${cells(name, description)}`.trimEnd());
    print('');
  };

  const showProgress = (progress: number, total: number | undefined, message = '') => {
    const count = total === undefined ? String(progress) : `${String(progress).padStart(String(total).length)}/${total}`;
    if (!isLive) {
      printRow('progress', `${count} ${message}`);
      return;
    }
    const share = total === undefined ? 0 : Math.min(Math.max(progress / total, 0), 1) || 0; // a server may send any numbers
    const filled = Math.round(BAR_WIDTH * share);
    const text = cut(toLine(message), textWidth - BAR_WIDTH - count.length - 4);
    drawBar(`${paint('green', '━'.repeat(filled))}${paint('dim', '─'.repeat(BAR_WIDTH - filled))}  ${count}  ${paint('dim', text)}`);
  };

  return (event) => {
    if (!['progress', 'log', 'output', 'sent'].includes(event.event)) leaveBar();
    switch (event.event) {
      case 'started':
        print(`\n${paint('bold', event.title)}\n${paint('dim', '─'.repeat(width))}`);
        break;
      case 'connected':
        printRow('connected', `${event.server} ${event.version}, revision ${event.revision ?? 'unknown'}`, 'green');
        break;
      case 'tools':
        printTools(event.tools);
        break;
      case 'calling':
        printRow('call', `${event.tool} ${JSON.stringify(event.args)}`);
        break;
      case 'progress':
        showProgress(event.progress, event.total, event.message);
        break;
      case 'result':
        for (const [index, line] of event.text.split('\n').entries()) print(row(index === 0 ? 'result' : '', toLine(line), event.isError ? 'red' : 'green'));
        break;
      case 'cancelled':
        printRow('cancelled', `by unsubscribing, at ${event.progress} of ${event.total ?? '?'}`, 'yellow');
        break;
      case 'sent':
        printRow('sent', `${event.method}, for request ${String(event.requestId)}`, 'yellow');
        break;
      case 'log':
        printRow('log', `${event.level}  ${event.logger === undefined ? '' : `${event.logger}: `}${textOf(event.data)}`, 'magenta');
        break;
      case 'output':
        printRow('server', event.line, 'dim');
        break;
      case 'closed':
        printRow('closed', closing(event.processesStarted, event.processesLeft), event.processesLeft === 0 ? 'green' : 'red');
        break;
      case 'error':
        break; // goes to stderr
    }
  };
}

function closing(started: number, left: number): string {
  if (left > 0) return `but ${left} of ${started} processes still run`;
  return started === 0 ? 'no process was started' : `no process left, ${started} had been started`;
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;
}
