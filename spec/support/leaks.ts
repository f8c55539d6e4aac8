// Node only: finds what a spec left behind. Every timer, child, socket, server and watcher is followed from its creation to its
// end, so that a leak is reported with the line that made it.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Node's names for what must not outlive a spec. Not here: what belongs to Node itself, or ends by itself at once. */
const kinds: Readonly<Record<string, string>> = {
  Timeout: 'timer',
  PROCESSWRAP: 'child process',
  PIPEWRAP: 'pipe',
  PIPESERVERWRAP: 'pipe server',
  TCPWRAP: 'socket',
  TCPSERVERWRAP: 'server',
  UDPWRAP: 'UDP socket',
  FSEVENTWRAP: 'file watcher',
  STATWATCHER: 'file watcher',
  WORKER: 'worker',
};

/** What Node hands to the hook: a `Timeout`, or the native handle behind a socket, server or child. */
interface Resource {
  /** Of a socket that an HTTP agent hands out again: what it wraps. */
  readonly handle?: Resource;
  hasRef?(): boolean;
  unref?(): void;
  kill?(signal: number): void;
}

interface Tracked {
  readonly kind: string;
  readonly resource: WeakRef<Resource>;
  readonly stack: readonly string[];
}

const live = new Map<number, Tracked>();
const exemption = new AsyncLocalStorage<true>();

/** Runs code whose resources may outlive a spec; what they in turn create is exempt as well. */
export const exempt = <T>(run: () => T): T => exemption.run(true, run);

createHook({
  init(id, type, _trigger, resource) {
    const kind = kinds[type];
    if (kind === undefined || exemption.getStore()) return;
    const stack = framesHere();
    if (stack.find(outsideNode)?.includes('/mocha/lib/runnable')) return; // Mocha's own clock
    const { handle = resource } = resource as Resource;
    live.set(id, { kind, resource: new WeakRef(handle), stack });
  },
  destroy(id) {
    live.delete(id);
  },
}).enable();

export interface Leak {
  readonly kind: string;
  /** Where it was created. */
  readonly stack: string;
}

/** What is alive now: the base to compare with later. */
export const mark = (): ReadonlySet<number> => new Set(live.keys());

/**
 * What was made since `base` and is still there. What just ends gets `grace` milliseconds to do so.
 * Each leak is reported once and disarmed, so that it cannot keep the run from ending.
 */
export async function leaksSince(base: ReadonlySet<number>, grace = 500): Promise<Leak[]> {
  const isLeak = ([id, { kind, resource }]: [number, Tracked]): boolean => {
    if (base.has(id)) return false;
    const current = resource.deref();
    if (!current) return false;
    // Idle keep-alive sockets and timers that do not hold the process are the platform's; a child counts in any case.
    return kind === 'child process' || current.hasRef?.() !== false;
  };
  const leaks = (): [number, Tracked][] => [...live].filter(isLeak);

  const end = performance.now() + grace;
  while (leaks().length > 0 && performance.now() < end) await exempt(() => sleep(10));
  return leaks().map(([id, { kind, resource, stack }]) => {
    live.delete(id);
    const current = resource.deref();
    if (kind === 'child process') current?.kill?.(9);
    current?.unref?.();
    return { kind, stack: ownFrames(stack) };
  });
}

function framesHere(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const frames = (new Error().stack ?? '').split('\n').slice(3);
  Error.stackTraceLimit = stackTraceLimit;
  return frames;
}

const outsideNode = (frame: string): boolean => !/\(?node:/.test(frame);

function ownFrames(frames: readonly string[]): string {
  const own = frames.filter((frame) => outsideNode(frame) && !frame.includes('/node_modules/'));
  return (own.length > 0 ? own : frames).slice(0, 6).join('\n');
}
