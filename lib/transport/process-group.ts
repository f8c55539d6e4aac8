import process from 'node:process';
import spawn from 'cross-spawn';
import { concat, defer, EMPTY, filter, interval, merge, take, timer, type Observable } from 'rxjs';

/** How often it is looked whether the group is gone, in milliseconds. */
const POLL_MS = 25;

const groups = new Set<ProcessGroup>();

/**
 * A child and all it has started. `npx` and its kind only start the server:
 * ending them alone would leave the server behind.
 */
export class ProcessGroup {
  constructor(readonly pid: number) {
    if (groups.size === 0) process.on('exit', killAll);
    groups.add(this);
  }

  /** Sends a signal to every process of the group. Windows has no signals: there the tree is ended. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (process.platform === 'win32') {
      spawn('taskkill', ['/pid', String(this.pid), '/t', ...(signal === 'SIGKILL' ? ['/f'] : [])], { stdio: 'ignore' }).on('error', () => {
        // no taskkill: nothing more can be done
      });
      return;
    }
    this.#signal(signal);
  }

  /** Ends what the child left behind: SIGTERM, a wait, SIGKILL. Completes at once when nothing is left. */
  endRest(waitMs: number): Observable<never> {
    const gone$ = (ms: number) =>
      merge(interval(POLL_MS).pipe(filter(() => !this.#isAlive())), timer(ms)).pipe(take(1));
    const step = (signal: 'SIGTERM' | 'SIGKILL') =>
      defer(() => {
        if (!this.#isAlive()) return EMPTY;
        this.kill(signal);
        return gone$(waitMs);
      });
    return concat(step('SIGTERM'), step('SIGKILL')).pipe(filter((_): _ is never => false));
  }

  /** Nothing of it runs any more. */
  forget(): void {
    groups.delete(this);
    if (groups.size === 0) process.off('exit', killAll);
  }

  #isAlive(): boolean {
    return process.platform !== 'win32' && this.#signal(0);
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.pid, signal);
    } catch {
      return false; // nobody there
    }
  }
}

function killAll(): void {
  for (const group of groups) group.kill('SIGKILL');
}
