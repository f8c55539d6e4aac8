import { asyncScheduler, noop, type Observable } from 'rxjs';
import { TestScheduler, type RunHelpers } from 'rxjs/testing';
import { McpClient } from '../client/client.js';
import type { ClientWith } from '../client/door.js';
import type { ClientFeature } from '../client/feature.js';
import { ProtocolError, type McpError } from '../errors.js';
import { McpManager } from '../manager/manager.js';
import type { ManagerOptions } from '../manager/manager-types.js';
import { collect } from './collect.js';
import { inWords } from './difference.js';
import type { Inbound } from './inbound.js';
import { assertMarbles, type Moment } from './marble-compare.js';
import { OutboundLog } from './outbound-log.js';
import type { InboundOptions, McpMarbles, McpMarblesOptions } from './marble-types.js';
import type { OutboundOptions } from './outbound-view.js';
import { scriptedEntries } from './scripted-entries.js';
import { ScriptedServer } from './scripted-server.js';
import type { ScriptedServerOptions } from './scripted-defaults.js';
import { MarbleSetupError } from './testing-errors.js';
import { DEFAULT_LIMIT_MS, settleAsap, VirtualTime } from './virtual-time.js';

type Test<F extends readonly ClientFeature[]> = (marbles: McpMarbles<F>) => void;

/**
 * A marble test of everything above a server: transport, client and manager in
 * virtual time. Runs at once, and is over when it returns; client, managers and
 * connections are closed then.
 *
 * @throws {@link MarbleMismatchError} something else happened than the diagrams say.
 * @throws {@link MarbleSetupError} the test cannot work as it is written.
 * @public
 */
export function runMcpMarbles(test: Test<readonly []>): void;
export function runMcpMarbles<const F extends readonly ClientFeature[] = readonly []>(options: McpMarblesOptions<F>, test: Test<F>): void;
export function runMcpMarbles<const F extends readonly ClientFeature[]>(...given: [Test<F>] | [McpMarblesOptions<F>, Test<F>]): void {
  const [options, test]: [McpMarblesOptions<F>, (marbles: McpMarbles<F>) => unknown] = given.length === 1 ? [{}, given[0]] : given;
  const { assertDeepEqual = assertMarbles, untilMs = DEFAULT_LIMIT_MS } = options;
  const scheduler = new TestScheduler((actual, expected) => {
    assertDeepEqual(actual, expected);
  });
  settleAsap();
  scheduler.run((helpers) => {
    const run = new MarbleRun(helpers, new VirtualTime(scheduler, untilMs), options);
    try {
      const result: unknown = test(run.open());
      if (result instanceof Promise) {
        result.catch(noop);
        throw new MarbleSetupError('A marble test cannot be asynchronous: time passes while it runs, with advance() and flush(), and at its end');
      }
      run.finish();
    } finally {
      run.end();
    }
  });
}

/** One run: what it made, and what is to be compared at its end. */
class MarbleRun<const F extends readonly ClientFeature[]> {
  readonly #helpers: RunHelpers;
  readonly #time: VirtualTime;
  readonly #options: McpMarblesOptions<F>;
  readonly #logs = new Map<ScriptedServer, OutboundLog>();
  readonly #closing: (() => void)[] = [];
  readonly #comparisons: (() => void)[] = [];
  /** What was thrown inside the test's own actions. */
  readonly #thrown: unknown[] = [];

  constructor(helpers: RunHelpers, time: VirtualTime, options: McpMarblesOptions<F>) {
    this.#helpers = helpers;
    this.#time = time;
    this.#options = options;
  }

  open(): McpMarbles<F> {
    const { opening = 'before', client: clientOptions } = this.#options;
    const server = this.#serve({ unmatched: 'silent', ...this.#options, handshake: opening !== 'diagram' });
    let last = 0;
    let prefix = opening === 'before' ? 'opening-' : undefined;
    const nextId = () => (prefix === undefined ? ++last : `${prefix}${++last}`);
    const client = new McpClient([server.open], { nextId, ...clientOptions }) as ClientWith<F>;
    this.#closing.push(() => void client.close());
    if (opening === 'before') this.#connect(client);
    prefix = undefined;
    last = 0;
    this.#logs.get(server)?.forget();
    const { cold, hot, time } = this.#helpers;
    return { cold, hot, time, client, server, ...this.#expectations(), ...this.#helpersFor(server) };
  }

  /** Lets all time pass, and compares. */
  finish(): void {
    try {
      this.#time.flush();
    } catch (error) {
      throw this.#thrown[0] ?? error;
    }
    if (this.#thrown.length > 0) throw this.#thrown[0];
    for (const compare of this.#comparisons.splice(0)) compare();
  }

  /** Ends what was made, however the test went. */
  end(): void {
    for (const close of this.#closing) close();
    for (const server of this.#logs.keys()) server.stop();
    settleAsap();
    this.#time.drop();
  }

  /** Those of RxJS, but that a diagram begins at the moment when it is written. */
  #expectations(): Pick<RunHelpers, 'expectObservable' | 'expectSubscriptions'> {
    const { expectObservable, expectSubscriptions } = this.#helpers;
    return {
      expectObservable: (observable, subscription) => {
        const expectation = expectObservable(observable, subscription);
        const fromNow = this.#fromNow();
        return {
          toBe: (marbles, values, error) => {
            expectation.toBe(fromNow(marbles), values, error);
          },
          toEqual: expectation.toEqual,
        };
      },
      expectSubscriptions: (log) => {
        const { toBe } = expectSubscriptions(log);
        const fromNow = this.#fromNow();
        return {
          toBe: (marbles) => {
            toBe([marbles].flat().map(fromNow));
          },
        };
      },
    };
  }

  /** Puts the time that has passed before a diagram. */
  #fromNow(): (marbles: string) => string {
    const now = this.#time.now();
    return (marbles) => (now === 0 ? marbles : `${now}ms ${marbles}`);
  }

  #helpersFor(server: ScriptedServer): Omit<McpMarbles<F>, 'client' | 'server' | keyof RunHelpers> & { flush: () => void } {
    return {
      scriptedServer: (options) => this.#serve(options),
      createManager: (servers, options) => this.#manage(servers, options),
      inbound: (marbles, values, options) => {
        this.#inbound(marbles, values, { from: server, ...options });
      },
      expectOutbound: (marbles, values, { at = server, ...options } = {}) => {
        this.#expectOutbound(at, TestScheduler.parseMarbles(this.#fromNow()(marbles), values, undefined, true, true), options);
      },
      when: (marbles, actions) => {
        this.#each(marbles, (letter) => {
          if (!Object.hasOwn(actions, letter)) throw new MarbleSetupError(`There is no action for the marble "${letter}"`);
          actions[letter]?.();
        });
      },
      at: (ms, action) => {
        asyncScheduler.schedule(() => {
          this.#guarded(action);
        }, ms);
      },
      now: () => this.#time.now(),
      advance: (ms) => {
        this.#time.advance(ms);
      },
      flush: () => {
        this.finish();
      },
    };
  }

  #serve(options?: ScriptedServerOptions): ScriptedServer {
    const server = new ScriptedServer(options);
    this.#logs.set(server, new OutboundLog(server, () => this.#time.now()));
    return server;
  }

  #manage(servers: Readonly<Record<string, ScriptedServer>>, options: ManagerOptions = {}): McpManager {
    const manager = new McpManager(
      ({ name = '' }, clientOptions) => {
        const server = servers[name];
        if (server === undefined) throw new MarbleSetupError(`There is no scripted server named "${name}"`);
        return new McpClient([server.open], clientOptions);
      },
      [scriptedEntries(servers)],
      options,
    );
    this.#closing.push(() => void manager.close());
    return manager;
  }

  #connect(client: McpClient): void {
    const connecting = collect(client.connect());
    this.#time.advance(0);
    if (!client.connected) throw new MarbleSetupError(`The client is not connected at frame 0, ${connecting.error === undefined ? 'since a rule delays or leaves out an answer: see opening' : inWords(connecting.error)}`);
  }

  #inbound(marbles: string, values: Readonly<Record<string, Inbound>> = {}, { from, error = new ProtocolError('The transport failed') }: InboundOptions): void {
    if (from === undefined) return;
    const send = (letter: string): void => {
      const value = Object.hasOwn(values, letter) ? values[letter] : undefined;
      if (value === undefined) throw new MarbleSetupError(`There is no message for the marble "${letter}"`);
      from.connection.send(typeof value === 'function' ? (value as (connection: unknown) => object)(from.connection) : value);
    };
    const end = (cause?: McpError): void => {
      from.close(cause);
    };
    this.#each(marbles, send, end, error);
  }

  #expectOutbound(server: ScriptedServer, expected: readonly { frame: number; notification: object }[], options: OutboundOptions): void {
    const log = this.#logs.get(server);
    if (log === undefined) throw new MarbleSetupError('expectOutbound() needs a server that was made by this run');
    const { assertDeepEqual = assertMarbles } = this.#options;
    const seen = log.length;
    this.#comparisons.push(() => {
      const { actual, wanted } = log.against(expected as readonly Moment[], options, seen);
      assertDeepEqual(actual, wanted);
    });
  }

  /** Does something at each marble of a diagram. */
  #each(marbles: string, each: (letter: string) => void, end?: (cause?: McpError) => void, error?: McpError): void {
    const marbles$: Observable<string> = this.#helpers.hot(marbles, undefined, error);
    marbles$.subscribe({
      next: (letter) => {
        this.#guarded(() => {
          each(letter);
        });
      },
      error: (cause: unknown) => end?.(cause as McpError),
      complete: () => end?.(),
    });
  }

  #guarded(action: () => unknown): void {
    try {
      action();
    } catch (error) {
      this.#thrown.push(error);
    }
  }
}
