import { sha256Hex } from './entry-hash.js';

/** Every provider of models takes names of letters, digits, `_` and `-`, up to this length. */
export const MAX_NAME_LENGTH = 64;
const SEPARATOR = '__';
const HASH_LENGTH = 8;

/**
 * The name under which a model sees a tool. It depends on the server's and the
 * tool's name alone, so neither the order of servers nor another server changes
 * it. What could be read in two ways, or had to be cut or cleaned, carries a hash.
 *
 * Names lead back through a map, never by taking them apart.
 *
 * @param hashLength - More than usual tells apart what has the same hash.
 */
export function exposedName(server: string, tool: string, maxLength = MAX_NAME_LENGTH, hashLength = HASH_LENGTH): string {
  const parts = [server, tool].map((part) => part.replace(/[^a-zA-Z0-9_-]/g, '_'));
  const plain = parts.join(SEPARATOR);
  const name = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  const isPlain = name.length <= maxLength && hashLength === HASH_LENGTH && isUnambiguous(server) && isUnambiguous(tool) && name === `${server}${SEPARATOR}${tool}`;
  if (isPlain) return name;
  const hash = sha256Hex(JSON.stringify([server, tool])).slice(0, hashLength);
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`;
}

/** Whether a part cannot be mistaken for two, or for the end of another. A hash of ours at its end could be. */
function isUnambiguous(part: string): boolean {
  return part !== '' && !part.includes(SEPARATOR) && !/^_|_$/.test(part) && !/_[0-9a-f]{8,}$/.test(part);
}

/**
 * Names for many tools, each different. Two that get the same hash, which is
 * next to impossible, get longer ones.
 */
export function exposedNames<T extends { readonly server: string; readonly tool: string }>(tools: readonly T[], maxLength = MAX_NAME_LENGTH): Map<string, T> {
  const byName = new Map<string, T[]>();
  for (const tool of tools) {
    const name = exposedName(tool.server, tool.tool, maxLength);
    byName.set(name, [...(byName.get(name) ?? []), tool]);
  }
  const names = new Map<string, T>();
  for (const [name, sharing] of byName) {
    const [first] = sharing;
    if (sharing.length === 1 && first !== undefined) names.set(name, first);
    else for (const tool of sharing) names.set(exposedName(tool.server, tool.tool, maxLength, 2 * HASH_LENGTH), tool);
  }
  return names;
}
