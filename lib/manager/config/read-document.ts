import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { catchError, combineLatest, defer, map, of, switchMap, type Observable } from 'rxjs';
import type { ConfigWarning } from './config-types.js';
import type { Candidate } from './host-paths.js';
import { ConfigSyntaxError, parserOf, type ConfigDocument } from './parse-config.js';

/** Largest file that is read, in bytes: hosts keep histories in some. */
const MAX_BYTES = 67_108_864;

/** What came of a file: undefined when it is not there, or holds nothing that can be used. */
export interface ReadResult {
  readonly document?: ConfigDocument | undefined;
  readonly warnings: readonly ConfigWarning[];
}

/** The files that a candidate stands for. */
export function expandFolder(candidate: Candidate): Observable<readonly Candidate[]> {
  if (!candidate.isFolder) return of([candidate]);
  return defer(() => readdir(candidate.path)).pipe(
    catchError(() => of<string[]>([])),
    map((names) => names.filter((name) => /\.(?:ya?ml|json)$/i.test(name)).sort()),
    map((names) => names.map((name) => ({ ...candidate, path: join(candidate.path, name), isFolder: false }))),
  );
}

/**
 * Reads a file. Emits once, never errors.
 *
 * @param lastGood - What files said when they were last in order; it counts while they are not.
 */
export function readDocument({ path, isExplicit }: Candidate, lastGood: Map<string, ConfigDocument>): Observable<ReadResult> {
  return defer(() => stat(path)).pipe(
    switchMap((stats) => {
      if (!stats.isFile()) throw new Error('it is no file');
      if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
      return combineLatest([readFile(path), parserOf(path)]);
    }),
    map(([bytes, parse]): ReadResult => {
      const document = parse(bytes);
      lastGood.set(path, document);
      return { document, warnings: [] };
    }),
    catchError((error: unknown) => of(failed(path, error, isExplicit, lastGood))),
  );
}

function failed(path: string, error: unknown, isExplicit: boolean, lastGood: Map<string, ConfigDocument>): ReadResult {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    lastGood.delete(path);
    return { warnings: isExplicit ? [{ kind: 'missing', message: `${path}: there is no such file`, file: path }] : [] };
  }
  const document = lastGood.get(path);
  const kept: ConfigWarning[] = document === undefined ? [] : [{ kind: 'kept', message: `${path}: what it said before still counts`, file: path }];
  return { document, warnings: [warningOf(path, error, code ?? message), ...kept] };
}

function warningOf(file: string, error: unknown, why: string): ConfigWarning {
  if (!(error instanceof ConfigSyntaxError)) return { kind: 'unreadable', message: `${file}: cannot be read: ${why}`, file };
  const { line, column, message } = error;
  const place = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
  return { kind: 'broken', message: `${file}${place}: cannot be understood: ${message}`, file, line, column };
}
