import { realpathSync, statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { Subject, type Observable, type Unsubscribable } from 'rxjs';
import type { ConfigWarning } from './config-types.js';
import type { Candidate } from './host-paths.js';

interface Watched {
  readonly watcher: FSWatcher;
  /** Which folder it was that had this path. */
  readonly identity: string;
}

/** Names in a folder that matter; undefined: all. */
type Names = ReadonlySet<string> | undefined;

/**
 * Tells when files change, appear or go. It watches folders, not files, since
 * editors put new files in the place of old ones; of a folder that is not there
 * the next one above that is.
 */
export class FolderWatch implements Unsubscribable {
  readonly #watched = new Map<string, Watched>();
  readonly #changes = new Subject<void>();
  #names: ReadonlyMap<string, Names> = new Map();

  readonly changes$: Observable<void> = this.#changes.asObservable();

  /** Watches for these files from now on, and no others. @returns what cannot be watched. */
  cover(files: readonly Candidate[]): readonly ConfigWarning[] {
    this.#names = namesByFolder(files);
    for (const folder of [...this.#watched.keys()]) if (!this.#names.has(folder)) this.#drop(folder);
    return [...this.#names.keys()].flatMap((folder) => this.#watch(folder));
  }

  unsubscribe(): void {
    for (const folder of [...this.#watched.keys()]) this.#drop(folder);
    this.#changes.complete();
  }

  #watch(folder: string): readonly ConfigWarning[] {
    const identity = identityOf(folder);
    if (this.#watched.get(folder)?.identity === identity) return [];
    this.#drop(folder);
    try {
      const watcher = watch(folder);
      const gone = () => {
        this.#drop(folder, watcher);
        this.#changes.next();
      };
      watcher.on('change', (kind, name) => {
        if (kind === 'rename' && name === basename(folder)) gone(); // itself: another one may come
        else if (this.#matters(folder, name)) this.#changes.next();
      });
      watcher.on('error', gone);
      this.#watched.set(folder, { watcher, identity });
      return [];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return [{ kind: 'watch', message: `${folder}: changes cannot be seen: ${code ?? message}`, file: folder }];
    }
  }

  #matters(folder: string, name: string | Buffer | null): boolean {
    const names = this.#names.get(folder);
    return names === undefined || name === null || names.has(String(name));
  }

  #drop(folder: string, only?: FSWatcher): void {
    const watched = this.#watched.get(folder);
    if (watched === undefined || (only !== undefined && watched.watcher !== only)) return;
    this.#watched.delete(folder);
    watched.watcher.close();
  }
}

function namesByFolder(files: readonly Candidate[]): ReadonlyMap<string, Names> {
  const folders = new Map<string, Names>();
  const add = (folder: string, name: string | undefined) => {
    const names = folders.get(folder);
    folders.set(folder, name === undefined || (folders.has(folder) && names === undefined) ? undefined : new Set([...(names ?? []), name]));
  };
  for (const { path, isFolder } of files.flatMap(withTarget)) {
    const inside = isFolder ? join(path, '*') : path;
    const folder = existing(dirname(inside));
    const [name = ''] = relative(folder, inside).split(sep);
    add(folder, name === '*' ? undefined : name);
  }
  return folders;
}

/** A link, and where it leads: either may change. */
function withTarget(file: Candidate): readonly Candidate[] {
  try {
    const target = realpathSync(file.path);
    return target === file.path ? [file] : [file, { ...file, path: target }];
  } catch {
    return [file];
  }
}

function existing(folder: string): string {
  const above = dirname(folder);
  return above === folder || identityOf(folder) !== '' ? folder : existing(above);
}

function identityOf(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : '';
}
