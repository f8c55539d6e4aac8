import { isObservable, Observable, Subject } from 'rxjs';
import type { McpClient } from '../client/client.js';
import type { McpManager } from '../manager/manager.js';
import { Connection } from '../session/connection.js';
import type { Transport } from '../transport/transport.js';
import { collect } from './collect.js';
import { callers, IntervalWatch } from './interval-watch.js';
import { LeakError } from './testing-errors.js';

/** What can be looked at. @public */
export type LeakTarget = McpClient | McpManager | Transport;

/** Something that should be over. @public */
export interface Leak {
  /** It was not closed; a request waits; a stream goes on; somebody is subscribed; a timer runs. */
  readonly kind: 'open' | 'request' | 'stream' | 'subscription' | 'timer';
  /** For people: what it is, and where it was made if that is known. */
  readonly message: string;
}

/** Has the subscriptions to the streams of something counted from now on, and gives it back. @public */
export type Watch = <T extends LeakTarget>(target: T) => T;

/** A stream's name, and where somebody subscribed to it. */
interface Subscribed {
  readonly stream: string;
  readonly at: string;
}

/**
 * What of a client, a manager, a connection or a transport is not over: it
 * itself, requests that wait, streams that have not completed.
 *
 * @public
 */
export function leaks(target: LeakTarget): readonly Leak[] {
  const name = nameOf(target);
  const open: Leak[] = isOver(target.diagnostics$) ? [] : [{ kind: 'open', message: `The ${name} is not closed${statusOf(target)}` }];
  const waiting = pendingOf(target);
  const requests: Leak[] = waiting === 0 ? [] : [{ kind: 'request', message: `${waiting} ${waiting === 1 ? 'request' : 'requests'} of the ${name} without an answer` }];
  const streams = open.length > 0 ? [] : eventStreamsOf(target).filter((stream) => !isOver(streamOf(target, stream)));
  return [...open, ...requests, ...streams.map((stream): Leak => ({ kind: 'stream', message: `${stream} of the ${name} has not completed` }))];
}

/**
 * Runs a test, and looks then whether anything is left: timers of RxJS that it
 * started, and, of what it had watched, all that {@link leaks} finds and every
 * subscription to a stream.
 *
 * ```ts
 * await expectNoLeaks(async (watch) => {
 *   const client = watch(createClient(server.open));
 *   …
 *   await lastValueFrom(client.close(), { defaultValue: undefined });
 * });
 * ```
 *
 * @throws {@link LeakError} something is left. Of an asynchronous test the promise rejects.
 * @public
 */
export function expectNoLeaks(test: (watch: Watch) => Promise<unknown>): Promise<void>;
export function expectNoLeaks(test: (watch: Watch) => void): void;
export function expectNoLeaks(test: (watch: Watch) => unknown): Promise<void> | void {
  const intervals = new IntervalWatch();
  const watched: { readonly target: LeakTarget; readonly live: ReadonlySet<Subscribed> }[] = [];
  const watch: Watch = (target) => {
    watched.push({ target, live: counted(target) });
    return target;
  };
  const finish = (): void => {
    const timers = intervals.end().map((at): Leak => ({ kind: 'timer', message: `A timer of RxJS still runs, started\n${at}` }));
    const found = [...watched.flatMap(({ target, live }) => [...leaks(target), ...subscriptionsTo(target, live)]), ...timers];
    if (found.length > 0) throw new LeakError(found);
  };
  let result: unknown;
  try {
    result = test(watch);
  } catch (error) {
    intervals.end();
    throw error;
  }
  if (!(result instanceof Promise)) {
    finish();
    return;
  }
  return result.then(finish, (error: unknown) => {
    intervals.end();
    throw error;
  });
}

/** Streams of what happens: over as soon as their owner is closed. The others may have something to replay, or to fetch. */
const EVENT_STREAMS = ['notifications$', 'diagnostics$', 'errors$', 'inbound$', 'deliveries$', 'wire$', 'state$', 'connection$', 'renewals$'];

const eventStreamsOf = (target: object): string[] => EVENT_STREAMS.filter((name) => name in target);

function subscriptionsTo(target: LeakTarget, live: ReadonlySet<Subscribed>): Leak[] {
  return [...live].map(({ stream, at }) => ({ kind: 'subscription', message: `Somebody is subscribed to ${stream} of the ${nameOf(target)}, since\n${at}` }));
}

/** Puts a stream that keeps count in the place of each stream. */
function counted(target: LeakTarget): ReadonlySet<Subscribed> {
  const live = new Set<Subscribed>();
  for (const [name, value] of Object.entries(target)) {
    if (!isObservable(value) || value instanceof Subject) continue;
    const source$: Observable<unknown> = value;
    const counting$ = new Observable((subscriber) => {
      const subscribed = { stream: name, at: callers() };
      live.add(subscribed);
      subscriber.add(() => live.delete(subscribed));
      source$.subscribe(subscriber);
    });
    Reflect.set(target, name, counting$);
  }
  return live;
}

const streamOf = (target: object, name: string): Observable<unknown> => Reflect.get(target, name) as Observable<unknown>;

/** Whether whoever subscribes now is told at once that it has ended. */
function isOver(stream$: Observable<unknown>): boolean {
  const seen = collect(stream$);
  const { status } = seen;
  seen.unsubscribe();
  return status === 'completed';
}

function nameOf(target: LeakTarget): string {
  if (target instanceof Connection) return 'connection';
  return 'clientOf' in target ? 'manager' : 'callTool' in target ? 'client' : 'transport';
}

function statusOf(target: LeakTarget): string {
  if (!('state$' in target)) return '';
  const { values } = once<{ readonly status: string }>(target.state$);
  return `: it is ${values[0]?.status ?? 'unknown'}`;
}

function pendingOf(target: LeakTarget): number {
  if (target instanceof Connection) return target.pendingRequests;
  if (!('connection$' in target)) return 0;
  return once(target.connection$).values[0]?.pendingRequests ?? 0;
}

/** What a stream replays. */
function once<T>(stream$: Observable<T>): { readonly values: readonly T[] } {
  const seen = collect(stream$);
  seen.unsubscribe();
  return seen;
}
