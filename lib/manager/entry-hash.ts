import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { isObject } from '../wire/message.js';
import type { ServerEntry } from './server-entry.js';

/** SHA-256 of a text, in hexadecimal digits. Synchronous, so that it keeps to virtual time. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** What tells an entry from an edited one, and gives no secret away. */
export function hashOf({ hash, config, tools }: ServerEntry): string {
  return hash ?? sha256Hex(canonical({ config, tools }));
}

/** JSON whose keys are in order; functions and streams, which have no text, are left out. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject(part) || Object.getPrototypeOf(part) !== Object.prototype) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
