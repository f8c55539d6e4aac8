import { stripVTControlCharacters } from 'node:util';

/** Foreign text as one line that cannot move the cursor. */
export function toLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, ' ').trim();
}
