import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import process from 'node:process';
import { last, map, takeUntil, takeWhile, timer, type Observable, type Unsubscribable } from 'rxjs';

export interface ProcessCount {
  readonly processesStarted: number;
  readonly processesLeft: number;
}

const POLL_MS = 25;
/** Longer than any server has to end, in milliseconds. */
const PATIENCE_MS = 8_000;

/** Node announces every child here, whoever starts it: the library, or this demo. */
const CHANNEL = 'child_process';

/** Knows the processes that were started since, and asks the operating system, not the library, whether they are gone. */
export class ProcessWatch implements Unsubscribable {
  readonly #children: ChildProcess[] = [];
  readonly #add = (message: unknown) => {
    this.#children.push((message as { process: ChildProcess }).process);
  };

  constructor() {
    subscribe(CHANNEL, this.#add);
  }

  /** Counts until all are gone, or until they have had their time. Emits the last count. */
  left(): Observable<ProcessCount> {
    return timer(0, POLL_MS).pipe(
      map(() => this.#count()),
      takeWhile(({ processesLeft }) => processesLeft > 0, true),
      takeUntil(timer(PATIENCE_MS)),
      last(),
    );
  }

  unsubscribe(): void {
    unsubscribe(CHANNEL, this.#add);
  }

  #count(): ProcessCount {
    const pids = this.#children.flatMap(({ pid }) => pid ?? []);
    return { processesStarted: pids.length, processesLeft: pids.filter(isAlive).length };
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
