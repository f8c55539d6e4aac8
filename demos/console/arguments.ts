import { parseArgs } from 'node:util';
import type { JsonObject, TransportConfig } from '../../lib/node.ts';
import type { ManyJob } from './many.ts';
import { splitCommand } from './split-command.ts';

export const HELP = `MCP servers as RxJS streams: a tour.

  npm start                           three servers of our own, one after another
  npm start -- --url URL              a server over Streamable HTTP
  npm start -- --command "PROGRAM …"  a server over stdio
  npm start -- --config PATH          all servers of a configuration file, side by side
  npm start -- --discover             what the configuration of other hosts names here; --yes connects it
  npm start -- watch --config PATH    the same, until Ctrl-C, following the file
  npm start -- call SERVER TOOL JSON --config PATH
                                      one call; JSON may be left out

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
  /** What to do with the servers of configuration files. */
  readonly many: ManyJob | undefined;
}

/** The command line makes no sense; the message says why, in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {@link UsageError} */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = read(argv);
  const { help = false, json = false, url, command, header = [], call, args } = values;
  const many = manyJob(values, positionals);
  if (many !== undefined && (url ?? command ?? call) !== undefined) throw new UsageError('--config and --discover go with none of --url, --command and --call');
  if (url !== undefined && command !== undefined) throw new UsageError('--url and --command exclude each other');
  if (header.length > 0 && url === undefined) throw new UsageError('--header needs --url');
  if (args !== undefined && call === undefined) throw new UsageError('--args needs --call');
  const config = url !== undefined ? httpConfig(url, header) : command !== undefined ? stdioConfig(command) : undefined;
  if (call !== undefined && config === undefined) throw new UsageError('--call needs --url or --command');
  const job = call === undefined ? undefined : { tool: call, args: parseObject(args ?? '{}') };
  return { help, json, config, job, many };
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        url: { type: 'string' },
        command: { type: 'string' },
        header: { type: 'string', multiple: true },
        call: { type: 'string' },
        args: { type: 'string' },
        config: { type: 'string', multiple: true },
        discover: { type: 'boolean' },
        yes: { type: 'boolean' },
      },
    });
  } catch (error) {
    const [firstSentence = ''] = (error as Error).message.split(/\.?\n|\. /); // the rest is advice for other programs
    throw new UsageError(firstSentence);
  }
}

function manyJob({ config: files = [], discover = false, yes = false }: ReturnType<typeof read>['values'], [verb, ...rest]: readonly string[]): ManyJob | undefined {
  if (files.length === 0 && !discover) {
    if (verb !== undefined) throw new UsageError(`"${verb}" needs --config or --discover`);
    return undefined;
  }
  if (files.length > 0 && discover) throw new UsageError('--config and --discover exclude each other');
  const job = { files, isTrusted: yes, watch: verb === 'watch', call: undefined };
  if (verb === undefined || (verb === 'watch' && rest.length === 0)) return job;
  const [server, tool, json = '{}', more] = rest;
  if (verb !== 'call' || server === undefined || tool === undefined || more !== undefined) throw new UsageError('Known are "watch" and "call SERVER TOOL JSON"');
  return { ...job, call: { server, tool, args: parseObject(json) } };
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
    throw new UsageError(`The arguments are not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('The arguments must be a JSON object');
  return value as JsonObject;
}
