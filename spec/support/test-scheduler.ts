// Virtual time for specs: marbles with Chai's deep equality, and plain "do this at 5 ms".
import { expect } from 'chai';
import { asyncScheduler, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';

type Helpers = Parameters<Parameters<TestScheduler['run']>[0]>[0];

/** A scheduler for one spec: `testScheduler().run(({ cold, expectObservable }) => …)`. */
export function testScheduler(): TestScheduler {
  return new TestScheduler((actual, expected) => {
    expect(actual).to.deep.equal(expected);
  });
}

export interface VirtualTime extends Helpers {
  /** Does something at this millisecond; what is asked for first is done first. */
  at(ms: number, work: () => unknown): undefined;
  /** The millisecond it is. */
  now(): number;
}

/** Runs a spec whose clock is virtual: `flush()` lets all time pass, then look at what happened. */
export function inVirtualTime(spec: (time: VirtualTime) => void): void {
  testScheduler().run((helpers) => {
    const start = asyncScheduler.now();
    const now = (): number => asyncScheduler.now() - start;
    const at = (ms: number, work: () => unknown): undefined => {
      asyncScheduler.schedule(() => void work(), ms);
    };
    spec({ ...helpers, at, now });
  });
}

/** What an Observable did, as it happens: values, then `error` or `completed`. */
export interface Recorded<T> {
  readonly values: T[];
  /** The millisecond of each value. */
  readonly times: number[];
  readonly errors: any[];
  completed: number;
  /** The millisecond it ended by itself. */
  endedAt: number | undefined;
  unsubscribe(): void;
}

/** Subscribes and writes down what comes. */
export function record<T>(source$: Observable<T>): Recorded<T> {
  const start = asyncScheduler.now();
  const now = (): number => asyncScheduler.now() - start;
  const recorded: Recorded<T> = {
    values: [],
    times: [],
    errors: [],
    completed: 0,
    endedAt: undefined,
    unsubscribe: () => {
      subscription.unsubscribe();
    },
  };
  const subscription = source$.subscribe({
    next: (value) => {
      recorded.values.push(value);
      recorded.times.push(now());
    },
    error: (error: unknown) => {
      recorded.errors.push(error);
      recorded.endedAt = now();
    },
    complete: () => {
      recorded.completed++;
      recorded.endedAt = now();
    },
  });
  return recorded;
}

/** Counts the real timers that RxJS starts and does not end while `spec` runs. */
export async function timersLeftBy(spec: () => void | Promise<void>): Promise<number> {
  const { setInterval, clearInterval } = globalThis;
  const live = new Set<unknown>();
  globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
    const id = setInterval(...args);
    live.add(id);
    return id;
  }) as typeof globalThis.setInterval;
  globalThis.clearInterval = ((id: Parameters<typeof clearInterval>[0]) => {
    live.delete(id);
    clearInterval(id);
  });
  try {
    await spec();
    return live.size;
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
    for (const id of live) clearInterval(id as Parameters<typeof clearInterval>[0]);
  }
}
