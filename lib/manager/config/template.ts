import type { VariableSyntax } from './config-host.js';

/** Where a value comes from. */
export type Source =
  | { readonly kind: 'env' | 'predefined' | 'file' | 'input' | 'secret' | 'command'; readonly id: string }
  /** A text that holds variables itself. */
  | { readonly kind: 'value'; readonly parts: readonly Part[] };

/** A place in a text where a variable is filled in: the first of the sources that is not empty. */
export interface Reference {
  /** As it is written. */
  readonly text: string;
  readonly sources: readonly Source[];
}

export type Part = string | Reference;

const NAME = /^[a-zA-Z_]\w*$/;
const PREDEFINED = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'cwd', 'pathSeparator', '/'];
/** How deep defaults may be in defaults; what is deeper is text. */
const MAX_DEPTH = 10;

/**
 * Takes a text apart, once: what a variable holds is never looked at again.
 * Whatever is no variable in one of the notations stays text, shell forms such
 * as `${x%y}` among it.
 */
export function parseTemplate(text: string, syntax: readonly VariableSyntax[], depth = 0): readonly Part[] {
  const knows = (one: VariableSyntax) => syntax.includes(one);
  const closings = closingsOf(text);
  const parts: Part[] = [];
  let start = 0;
  const opening = /\$\{|\$env:(?=[a-zA-Z_])|\$(?=[a-zA-Z_])|\{(?=(?:env|file):)/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const found = referenceAt(match.index, match[0]);
    if (found === undefined) continue;
    if (match.index > start) parts.push(text.slice(start, match.index));
    parts.push(found);
    start = opening.lastIndex = match.index + found.text.length;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;

  function referenceAt(index: number, opened: string): Reference | undefined {
    if (opened.startsWith('$') && !opened.includes('{')) {
      if (!knows(opened === '$env:' ? 'dollar-env' : 'dollar')) return undefined;
      const [name = ''] = /^\w+/.exec(text.slice(index + opened.length, index + opened.length + 1_000)) ?? [];
      return { text: opened + name, sources: [{ kind: 'env', id: name }] };
    }
    const brace = index + opened.length - 1;
    const end = closings.get(brace);
    if (end === undefined) return undefined;
    const body = text.slice(brace + 1, end);
    const sources = opened === '{' ? plainSource(body) : sourcesOf(body);
    return sources && { text: text.slice(index, end + 1), sources };
  }

  function plainSource(body: string): readonly Source[] | undefined {
    const [, kind, id = ''] = /^(env|file):(.+)$/.exec(body) ?? [];
    if (!knows('plain-braces') || kind === undefined || (kind === 'env' && !NAME.test(id))) return undefined;
    return [{ kind: kind as 'env' | 'file', id }];
  }

  function sourcesOf(body: string): readonly Source[] | undefined {
    const [, secret] = /^\{\s*secrets\.([\w.-]+)\s*\}$/.exec(body) ?? [];
    if (secret !== undefined) return knows('secrets') ? [{ kind: 'secret', id: secret }] : undefined;
    if (knows('predefined') && PREDEFINED.includes(body)) return [{ kind: 'predefined', id: body }];
    if (NAME.test(body)) return knows('braces') ? [{ kind: 'env', id: body }] : undefined;
    const [, name, otherwise] = /^([a-zA-Z_]\w*):-([^]*)$/.exec(body) ?? [];
    if (name !== undefined && otherwise !== undefined) {
      if (!knows('default') || depth >= MAX_DEPTH) return undefined;
      return [{ kind: 'env', id: name }, { kind: 'value', parts: parseTemplate(otherwise, syntax, depth + 1) }];
    }
    const sources = body.split('|').map(schemeSource);
    return sources.every((source) => source !== undefined) ? sources : undefined;
  }

  /** `scheme:rest`, as in the draft of a standard file. */
  function schemeSource(alternative: string): Source | undefined {
    const [, scheme = '', rest = ''] = /^(\w+):([^]*)$/.exec(alternative.trim()) ?? [];
    if (scheme === 'value') return { kind: 'value', parts: rest === '' ? [] : [rest] };
    if (rest === '') return undefined;
    if (scheme === 'env') return NAME.test(rest) ? { kind: 'env', id: rest } : undefined;
    if (scheme === 'input') return { kind: 'input', id: rest };
    if (scheme === 'op' && rest.startsWith('//')) return { kind: 'secret', id: `op:${rest}` };
    return scheme === 'file' && knows('file') ? { kind: 'file', id: rest } : undefined;
  }
}

/** Where each brace closes that does, by its place. */
function closingsOf(text: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closings = new Map<number, number>();
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else {
      const opened = open.pop();
      if (opened !== undefined) closings.set(opened, index);
    }
  }
  return closings;
}

/** A value of a variable or a header: where the host knows them, also a command's output or a variable's bare name. */
export function parseValue(text: string, syntax: readonly VariableSyntax[], isSet: (name: string) => boolean): readonly Part[] {
  if (syntax.includes('command') && text.startsWith('!')) return [{ text, sources: [{ kind: 'command', id: text.slice(1).trim() }] }];
  if (syntax.includes('bare') && NAME.test(text) && isSet(text)) return [{ text, sources: [{ kind: 'env', id: text }] }];
  return parseTemplate(text, syntax);
}

/** Whether text that was left as it is looks like a variable of another notation. */
export function looksUnfilled(parts: readonly Part[]): boolean {
  return parts.some((part) => typeof part === 'string' && /\$\{\w+(?::[^}]{0,200})?\}|\$\{\{[^}]{0,200}\}\}|\{env:\w+\}|\$env:\w|(?:^|\s)\$[a-zA-Z_]\w*$/.test(part));
}
