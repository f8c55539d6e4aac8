import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catchError, concat, concatMap, defaultIfEmpty, defer, EMPTY, filter, map, of, switchMap, take, toArray, type Observable } from 'rxjs';
import type { CacheEntry, CacheStore } from '../client/cache-store.js';
import { isObject } from '../wire/message.js';
import { sha256Hex } from './entry-hash.js';

/** Files of another one count for nothing. */
const FORMAT = 1;
const DIGITS = 16;

/**
 * Keeps results in files, which processes may share: one for each key and time
 * of asking. Whoever reads takes the newest, so an older answer never takes the
 * place of a newer one, whoever writes last. Files are there whole or not at
 * all; broken and foreign ones count for nothing. Nothing is deleted but what is older.
 *
 * @param folder - Made when something is written, readable to its owner alone.
 * @public
 */
export function fileStore(folder: string): CacheStore {
  const newestFirst = (key: string) => filesOf(folder, sha256Hex(key));
  return {
    get: (key) => {
      const newest$ = newestFirst(key).pipe(
        concatMap((names) => names),
        concatMap((name) => entryIn(join(folder, name), key)),
      );
      // What was listed may have given way to a newer one before it was read.
      return concat(newest$, newest$).pipe(take(1), defaultIfEmpty(undefined));
    },
    set: (key, entry) =>
      defer(() => write(folder, key, entry)).pipe(
        switchMap(() => newestFirst(key)),
        concatMap((names) => names.slice(1)),
        concatMap((name) => rm(join(folder, name), { force: true })),
        toArray(),
      ),
  };
}

/** The files of a key, the newest first. */
function filesOf(folder: string, hash: string): Observable<readonly string[]> {
  const isOurs = new RegExp(`^${hash}-\\d{${DIGITS}}\\.json$`);
  return defer(() => readdir(folder)).pipe(
    catchError((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return of<string[]>([]);
      throw error;
    }),
    map((names) => names.filter((name) => isOurs.test(name)).sort().reverse()),
  );
}

/** Empty for a file that is broken, or gone meanwhile. */
function entryIn(path: string, key: string): Observable<CacheEntry> {
  return defer(() => readFile(path, 'utf8')).pipe(
    map((text): unknown => JSON.parse(text)),
    filter((value) => isObject(value) && value.format === FORMAT && value.key === key && isEntry(value.entry)),
    map((value) => (value as { entry: CacheEntry }).entry),
    catchError(() => EMPTY),
  );
}

function isEntry(entry: unknown): boolean {
  return isObject(entry) && isObject(entry.result) && typeof entry.askedAt === 'number' && typeof entry.ttlMs === 'number';
}

async function write(folder: string, key: string, entry: CacheEntry): Promise<void> {
  const name = `${sha256Hex(key)}-${String(Math.max(0, Math.floor(entry.askedAt))).padStart(DIGITS, '0')}.json`;
  const text = JSON.stringify({ format: FORMAT, key, entry });
  const temporary = join(folder, `${name}.${crypto.randomUUID()}.tmp`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, join(folder, name));
  } finally {
    await rm(temporary, { force: true });
  }
}
