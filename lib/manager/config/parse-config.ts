import type { Node, ParseError } from 'jsonc-parser';
import { isObject } from '../../wire/message.js';

/** How deep a file may be, and how many values it may hold once YAML's aliases are followed. */
const MAX_DEPTH = 100;
const MAX_VALUES = 200_000;
const MAX_ALIASES = 100;

/** Text that is not what its file's name says. */
export class ConfigSyntaxError extends Error {
  override readonly name = 'ConfigSyntaxError';

  /** @param line - From 1, as `column`; undefined where the parser does not say. */
  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

/** What a file says: plain objects, arrays, strings, numbers and booleans. */
export type ConfigDocument = Readonly<Record<string, unknown>> | readonly unknown[];

/** @throws {@link ConfigSyntaxError} the text is not what its file's name says. */
export type ConfigParser = (bytes: Uint8Array) => ConfigDocument;

type Yaml = typeof import('js-yaml');
type Jsonc = typeof import('jsonc-parser');

/**
 * What parses files of this name: TOML or YAML by their names, else JSON, where
 * comments and trailing commas are let pass. Packages are loaded when a file is
 * read that they are for.
 */
export function parserOf(path: string): Promise<ConfigParser> {
  if (/\.toml$/i.test(path)) return import('smol-toml').then(({ parse }) => parser((text) => plain(reporting(() => parse(text)))));
  if (/\.ya?ml$/i.test(path)) return import('js-yaml').then((yaml) => parser((text) => plain(reporting(() => parseYaml(text, yaml)))));
  return import('jsonc-parser').then((jsonc) => parser((text) => parseJson(text, jsonc)));
}

function parser(parseText: (text: string) => unknown): ConfigParser {
  return (bytes) => {
    const value = parseText(decode(bytes));
    if (isObject(value) || Array.isArray(value)) return value as ConfigDocument;
    throw new ConfigSyntaxError('it holds neither an object nor a list', 1, 1);
  };
}

/** Errors of a parser as ours. */
function reporting(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    throw positioned(error);
  }
}

function parseYaml(text: string, { loadAll }: Yaml): unknown {
  const documents = loadAll(text, { maxDepth: MAX_DEPTH, maxAliases: MAX_ALIASES });
  if (documents.length > 1) throw new ConfigSyntaxError('it holds more than one document');
  return documents[0] ?? {};
}

function parseJson(text: string, jsonc: Jsonc): unknown {
  if (text.trim() === '') throw new ConfigSyntaxError('it is empty', 1, 1);
  try {
    return JSON.parse(text);
  } catch {
    return parseJsonc(text, jsonc);
  }
}

/** UTF-8, or UTF-16 as some shells write it; the byte order mark tells, and goes. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigSyntaxError(`it is no ${encoding.toUpperCase()} text`);
  }
}

function parseJsonc(text: string, { parseTree, printParseErrorCode }: Jsonc): unknown {
  const errors: ParseError[] = [];
  const tree = treeOf(text, errors, parseTree);
  const [first] = errors;
  if (first !== undefined || tree === undefined) {
    const { error, offset = 0 } = first ?? {};
    const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
    const what = error === undefined ? 'Value expected' : printParseErrorCode(error).replace(/(?<=[a-z])[A-Z]/g, ' $&');
    throw new ConfigSyntaxError(what.toLowerCase(), lines.length, (lines.at(-1)?.length ?? 0) + 1);
  }
  return valueOf(tree);
}

function treeOf(text: string, errors: ParseError[], parseTree: Jsonc['parseTree']): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true });
  } catch {
    throw new ConfigSyntaxError('it is nested too deep');
  }
}

/** The value of a node. Keys stay keys, `__proto__` among them. */
function valueOf(node: Node, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new ConfigSyntaxError('it is nested too deep');
  const { type, children = [] } = node;
  const value: unknown = node.value;
  if (type === 'array') return children.map((child) => valueOf(child, depth + 1));
  if (type !== 'object') return value;
  return Object.fromEntries(children.map(({ children: [key, child] = [] }) => [String(key?.value), child && valueOf(child, depth + 1)]));
}

/** Values of TOML and YAML as JSON would have them. */
function plain(root: unknown): unknown {
  let values = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH || ++values > MAX_VALUES) throw new ConfigSyntaxError('it is nested too deep, or holds too much');
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    if (value instanceof Date) return value.toISOString();
    if (typeof value === 'bigint') return Number(value);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, depth + 1)])) : value;
  };
  return copy(root, 0);
}

/** The place of an error as its parser has it: of TOML from 1, of YAML from 0. */
function positioned(error: unknown): ConfigSyntaxError {
  if (error instanceof ConfigSyntaxError) return error;
  const { message, reason, line, column, mark } = error as { message?: string; reason?: string; line?: number; column?: number; mark?: { line: number; column: number } };
  const what = reason ?? (message ?? String(error)).replace(/^Invalid TOML document: /, '').split('\n')[0] ?? '';
  return mark === undefined ? new ConfigSyntaxError(what, line, column) : new ConfigSyntaxError(what, mark.line + 1, mark.column + 1);
}
