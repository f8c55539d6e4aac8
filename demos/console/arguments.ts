import { parseArgs } from 'node:util';
import type { JsonObject, TransportConfig } from '../../lib/node.ts';
import { splitCommand } from './split-command.ts';

export const HELP = `MCP servers as RxJS streams: a tour.

  npm start                           three servers of our own, one after another
  npm start -- --url URL              a server over Streamable HTTP
  npm start -- --command "PROGRAM …"  a server over stdio

Options
  --header 'NAME: VALUE'   sent with every request to --url; may be repeated
  --call TOOL              calls this tool of --url or --command
  --args JSON              the tool's arguments, a JSON object
  --json                   one JSON object a line, for programs
  --help                   this text
`;

/** A tool and what to call it with. */
export interface Job {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface Arguments {
  readonly help: boolean;
  readonly json: boolean;
  /** The server to visit instead of our own. */
  readonly config: TransportConfig | undefined;
  readonly job: Job | undefined;
}

/** The command line makes no sense; the message says why, in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {@link UsageError} */
export function parseArguments(argv: readonly string[]): Arguments {
  const { help = false, json = false, url, command, header = [], call, args } = read(argv);
  if (url !== undefined && command !== undefined) throw new UsageError('--url and --command exclude each other');
  if (header.length > 0 && url === undefined) throw new UsageError('--header needs --url');
  if (args !== undefined && call === undefined) throw new UsageError('--args needs --call');
  const config = url !== undefined ? httpConfig(url, header) : command !== undefined ? stdioConfig(command) : undefined;
  if (call !== undefined && config === undefined) throw new UsageError('--call needs --url or --command');
  const job = call === undefined ? undefined : { tool: call, args: parseObject(args ?? '{}') };
  return { help, json, config, job };
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        url: { type: 'string' },
        command: { type: 'string' },
        header: { type: 'string', multiple: true },
        call: { type: 'string' },
        args: { type: 'string' },
      },
    }).values;
  } catch (error) {
    const [firstSentence = ''] = (error as Error).message.split(/\.?\n|\. /); // the rest is advice for other programs
    throw new UsageError(firstSentence);
  }
}

function httpConfig(url: string, fields: readonly string[]): TransportConfig {
  return { type: 'http', url, headers: Object.fromEntries(fields.map(parseField)) };
}

function parseField(field: string): [name: string, value: string] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(field) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`Not a header: "${field}"; write it as 'NAME: VALUE'`);
  return [name, value];
}

function stdioConfig(line: string): TransportConfig {
  const words = splitCommand(line);
  if (words === undefined) throw new UsageError('--command has an open quote');
  const [command, ...args] = words;
  if (command === undefined) throw new UsageError('--command is empty');
  return { command, args };
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--args is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('--args must be a JSON object');
  return value as JsonObject;
}
