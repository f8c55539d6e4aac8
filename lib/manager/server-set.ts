import { AsyncSubject, merge, type Observable } from 'rxjs';
import { ConfigError } from '../errors.js';
import { Current } from '../transport/current.js';
import type { EmitQueue } from '../transport/emit-queue.js';
import { canonical } from './entry-hash.js';
import type { ManagedServer } from './managed-server.js';
import { ServerUnavailableError } from './manager-errors.js';
import type { ServerEntry } from './server-entry.js';

/** The servers of a manager, by name and in the order of their names. */
export class ServerSet {
  readonly #make: (entry: ServerEntry, after$: Observable<unknown>) => ManagedServer;
  readonly #current: Current<ReadonlyMap<string, ManagedServer>>;
  /** What of servers that were removed has not ended. */
  readonly #leaving = new Set<Observable<unknown>>();

  /** Replays. */
  readonly value$: Observable<ReadonlyMap<string, ManagedServer>>;

  /** @param make - Makes a server, which must not start before `after$` has completed: it may take the place of another. */
  constructor(make: (entry: ServerEntry, after$: Observable<unknown>) => ManagedServer, queue: EmitQueue) {
    this.#make = make;
    this.#current = new Current(new Map() as ReadonlyMap<string, ManagedServer>, queue);
    this.value$ = this.#current.value$;
  }

  get all(): readonly ManagedServer[] {
    return [...this.#current.value.values()];
  }

  find(name: string): ManagedServer | undefined {
    return this.#current.value.get(name);
  }

  /** @throws {@link ServerUnavailableError} there is none. */
  named(name: string): ManagedServer {
    const server = this.find(name);
    if (server === undefined) throw new ServerUnavailableError(name, 'is not among the entries');
    return server;
  }

  /**
   * Makes the servers be those of the entries; who is in both, in the same words, stays as it is.
   *
   * @throws {@link ConfigError} a name comes twice.
   */
  apply(entries: readonly ServerEntry[]): void {
    const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
    sorted.forEach(({ name }, index) => {
      if (name === sorted[index + 1]?.name) throw new ConfigError(`Two entries are named "${name}"; names must be unique`);
    });
    const wanted = new Map(sorted.map((entry) => [entry.name, entry]));
    const isKept = (server: ManagedServer) => isSame(wanted.get(server.entry.name), server.entry);
    for (const server of this.all) if (!isKept(server)) this.#leave(server);
    const after = sorted.map((entry): [string, ManagedServer] => {
      const known = this.find(entry.name);
      if (known === undefined || !isKept(known)) return [entry.name, this.#make(entry, merge(...this.#leaving))];
      known.describe(entry);
      return [entry.name, known];
    });
    this.#current.next(new Map(after));
  }

  /** Adds an entry, or puts it in the place of the one of that name. */
  put(entry: ServerEntry): ManagedServer {
    const others = this.all.map((server) => server.entry).filter(({ name }) => name !== entry.name);
    this.apply([...others, entry]);
    return this.named(entry.name);
  }

  /** Ends all; completes when nothing is left. */
  close(): Observable<void> {
    for (const server of this.all) this.#leave(server);
    const closed = new AsyncSubject<void>();
    merge(...this.#leaving).subscribe({
      complete: () => {
        this.#current.complete();
        closed.complete();
      },
    });
    return closed.asObservable();
  }

  #leave(server: ManagedServer): void {
    const left = new AsyncSubject<unknown>();
    this.#leaving.add(left);
    left.subscribe({ complete: () => this.#leaving.delete(left) });
    server.close().subscribe(left);
  }
}

/**
 * Whether two entries mean the same connection: where they come from and how
 * they are described does not count, nor do functions and streams in them.
 */
function isSame(a: ServerEntry | undefined, b: ServerEntry): boolean {
  const text = ({ config, hash, problem, enabled = true, connectTimeoutMs, requestTimeoutMs, tools }: ServerEntry) =>
    canonical({ config, hash, problem: problem?.message, enabled, connectTimeoutMs, requestTimeoutMs, tools });
  return a === b || (a !== undefined && text(a) === text(b));
}
