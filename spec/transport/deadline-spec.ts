import { expect } from 'chai';
import { asyncScheduler, NEVER, Observable, of, Subject, take, tap, throwError } from 'rxjs';
import { ConfigError, RequestTimeoutError } from '../../lib/errors.ts';
import { after, DeadlineClock, Wait } from '../../lib/transport/deadline-clock.ts';
import { checkTimeout, Deadline, deadline } from '../../lib/transport/deadline.ts';
import { inVirtualTime, record, testScheduler, timersLeftBy } from '../support/test-scheduler.ts';

/** A deadline that upper-case values extend, 'hold' holds and 'resume' resumes. */
const limit =
  (ms: number, totalMs = ms) =>
  <T>(source$: Observable<T>): Observable<T> =>
    new Observable((subscriber) => {
      const passed = (passedMs: number): void => {
        subscriber.error(new RequestTimeoutError('x', passedMs));
      };
      const wait = new Deadline(new DeadlineClock(), ms, totalMs, { passed });
      subscriber.add(wait);
      const extending$ = source$.pipe(
        tap((value) => {
          if (value === 'hold') wait.hold();
          else if (value === 'resume') wait.resume();
          else if (typeof value === 'string' && value === value.toUpperCase()) wait.extend();
        }),
      );
      extending$.subscribe(subscriber);
    });

describe('Deadline [R40]', () => {
  it('passes values and the end through in time', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' -a-b--|');
      const subs = '         ^-----!';
      const expected = '     -a-b--|';
      expectObservable(source$.pipe(limit(7))).toBe(expected);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('passes an error through in time', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' -a-#');
      const subs = '         ^--!';
      const expected = '     -a-#';
      expectObservable(source$.pipe(limit(7))).toBe(expected);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('errors on a silent source and unsubscribes from it [R41]', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('-');
      const subs = '                ^----!';
      const expected = '            -----#';
      expectObservable(source$.pipe(limit(5))).toBe(expected, undefined, new RequestTimeoutError('x', 5));
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('ends with an early unsubscribe', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' -a-b--');
      const subs = '         ^--!   ';
      const unsub = '        ---!   ';
      const expected = '     -a-    ';
      expectObservable(source$.pipe(limit(5)), unsub).toBe(expected);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('is not extended by values that do not count', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' -a-a-a-a-a');
      const subs = '         ^----!     ';
      const expected = '     -a-a-#     ';
      expectObservable(source$.pipe(limit(5, 100))).toBe(expected, undefined, new RequestTimeoutError('x', 5));
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('is extended by values that count [R44]', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' ---A---A---A-----------');
      const subs = '         ^---------------!      ';
      const expected = '     ---A---A---A----#      ';
      expectObservable(source$.pipe(limit(5, 100))).toBe(expected, undefined, new RequestTimeoutError('x', 5));
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('is extended from the value, not from the timer that looks for it', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const source$ = cold(' A--- ------');
      const expected = '     A----#     ';
      expectObservable(source$.pipe(limit(5, 100))).toBe(expected, undefined, new RequestTimeoutError('x', 5));
      const late$ = cold('   ----A------');
      const lateExpected = ' ----A----#';
      expectObservable(late$.pipe(limit(5, 100))).toBe(lateExpected, undefined, new RequestTimeoutError('x', 5));
    });
  });

  it('holds the total, which nothing extends [R44 B35]', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' 49ms A 49ms A 49ms A 49ms A 49ms A 49ms A');
      const subs = '         ^ 249ms !';
      const expected = '     49ms A 49ms A 49ms A 49ms A 49ms A#';
      expectObservable(source$.pipe(limit(100, 250))).toBe(expected, undefined, new RequestTimeoutError('x', 250));
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('takes the total when it is the shorter one', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const source$ = cold(' --A--A--A');
      const expected = '     --A--A-#';
      expectObservable(source$.pipe(limit(100, 7))).toBe(expected, undefined, new RequestTimeoutError('x', 7));
    });
  });

  describe('that is held', () => {
    const values = { h: 'hold', r: 'resume', A: 'A' };

    it('stands still, then goes on with what was left', () => {
      testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
        const source$ = cold(' --h 999ms r--------', values);
        const subs = '         ^ 1004ms !         ';
        const expected = '     --h 999ms r--#     ';
        expectObservable(source$.pipe(limit(5))).toBe(expected, values, new RequestTimeoutError('x', 5));
        expectSubscriptions(source$.subscriptions).toBe(subs);
      });
    });

    it('stands still until all have let go who hold it', () => {
      testScheduler().run(({ cold, expectObservable }) => {
        const source$ = cold(' --h---h---r---r------', values);
        const expected = '     --h---h---r---r--#   ';
        expectObservable(source$.pipe(limit(5))).toBe(expected, values, new RequestTimeoutError('x', 5));
      });
    });

    it('stops the total too, which still holds', () => {
      testScheduler().run(({ cold, expectObservable }) => {
        const source$ = cold(' ---A--h 99ms r-A---A----', values);
        const expected = '     ---A--h 99ms r-A--#     ';
        expectObservable(source$.pipe(limit(5, 11))).toBe(expected, values, new RequestTimeoutError('x', 11));
      });
    });

    it('may be extended meanwhile', () => {
      testScheduler().run(({ cold, expectObservable }) => {
        const source$ = cold(' --h--A-----r--------', values);
        const expected = '     --h--A-----r----#   ';
        expectObservable(source$.pipe(limit(5, 100))).toBe(expected, values, new RequestTimeoutError('x', 5));
      });
    });

    it('leaves no timer behind when it ends, nor while it is held', async () => {
      let held: Deadline | undefined;
      const left = await timersLeftBy(() => {
        held = new Deadline(new DeadlineClock(), 1000, 2000, { passed: () => {} });
        held.hold();
      });
      expect(left).to.equal(0);
      held?.unsubscribe();
    });
  });

  it('waits for ever with Infinity', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const source$ = cold(' 9999999999ms a|');
      const expected = '     9999999999ms a|';
      expectObservable(source$.pipe(limit(Infinity))).toBe(expected);
    });
  });

  it('may have an idle wait alone, or a total alone', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const source$ = cold('    --A--A------');
      const idle = '            --A--A---#  ';
      const total = '           --A--A-#    ';
      expectObservable(source$.pipe(limit(4, Infinity))).toBe(idle, undefined, new RequestTimeoutError('x', 4));
      expectObservable(source$.pipe(limit(Infinity, 7))).toBe(total, undefined, new RequestTimeoutError('x', 7));
    });
  });

  it('may be longer than a platform timer takes', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('-');
      const subs = '                ^ 2147483652ms !';
      const expected = '            2147483653ms #  ';
      expectObservable(source$.pipe(limit(2 ** 31 + 5))).toBe(expected, undefined, new RequestTimeoutError('x', 2 ** 31 + 5));
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('passes what a synchronous source gives', () => {
    const seen = record(of('a', 'b').pipe(limit(5)));
    expect(seen).to.deep.include({ values: ['a', 'b'], completed: 1, errors: [] });
    expect(record(throwError(() => new Error('x')).pipe(limit(5))).errors).to.have.length(1);
  });

  it('counts each subscription on its own', () => {
    inVirtualTime(({ at, flush }) => {
      const source$ = NEVER.pipe(limit(10));
      const first = record(source$);
      at(4, () => {
        const second = record(source$);
        at(20, () => expect(second.endedAt).to.equal(10));
      });
      flush();
      expect(first.endedAt).to.equal(10);
    });
  });

  it('leaves no timer, whatever ends it', async () => {
    const ends: [title: string, run: (source: Subject<string>) => void][] = [
      ['complete', (source) => source.complete()],
      ['error', (source) => source.error(new Error('x'))],
    ];
    for (const [title, end] of ends) {
      const left = await timersLeftBy(() => {
        const source = new Subject<string>();
        record(source.pipe(limit(60_000)));
        source.next('A');
        end(source);
      });
      expect(left, title).to.equal(0);
    }
    const early = await timersLeftBy(() => {
      record(NEVER.pipe(limit(2 ** 33))).unsubscribe();
      record(of('a').pipe(limit(60_000)));
      record(of('a').pipe(limit(60_000), take(1)));
    });
    expect(early).to.equal(0);
    const passed = await timersLeftBy(async () => {
      const seen = record(NEVER.pipe(limit(5, 10)));
      await new Promise((resolve) => setTimeout(resolve, 40));
      expect(seen.errors).to.have.length(1);
    });
    expect(passed).to.equal(0);
  });

  it('the count of timers can fail', async () => {
    expect(await timersLeftBy(() => void record(NEVER.pipe(limit(60_000))))).to.equal(1);
  });

  it('runs two timers at most, however often it is extended', async () => {
    const left = await timersLeftBy(() => {
      const source = new Subject<string>();
      record(source.pipe(limit(60_000, 600_000)));
      for (let i = 0; i < 1_000; i++) source.next('A');
    });
    expect(left).to.equal(2);
  });
});

describe('deadline()', () => {
  const plain = (ms: number) => deadline<string>({ ms, error: (passedMs) => new RequestTimeoutError('x', passedMs) });

  it('ends in time, whatever values come', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' -A-A-A-A-');
      const subs = '         ^----!    ';
      const expected = '     -A-A-#    ';
      expectObservable(source$.pipe(plain(5))).toBe(expected, undefined, new RequestTimeoutError('x', 5));
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('ends with an early unsubscribe', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' -a-b--');
      const subs = '         ^--!   ';
      const unsub = '        ---!   ';
      const expected = '     -a-    ';
      expectObservable(source$.pipe(plain(5)), unsub).toBe(expected);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });
});

describe('DeadlineClock', () => {
  /** Starts a wait; gives what takes it back. */
  const start = (clock: DeadlineClock, ms: number, end: () => void): (() => void) => {
    const wait = new Wait(clock, ms, { passed: end });
    return () => {
      wait.unsubscribe();
    };
  };

  it('runs one timer for a burst of waits', async () => {
    const left = await timersLeftBy(() => {
      const clock = new DeadlineClock();
      const { now } = asyncScheduler;
      asyncScheduler.now = () => 1; // one moment, however long it takes
      for (let i = 0; i < 1_000; i++) start(clock, 60_000, () => {});
      asyncScheduler.now = now;
    });
    expect(left).to.equal(1);
  });

  it('ends each wait in its own time, however they overlap', () => {
    inVirtualTime(({ at, flush, now }) => {
      const clock = new DeadlineClock();
      const late: number[] = [];
      const waits = [[0, 100], [0, 100], [30, 100], [30, 50], [99, 100], [100, 100], [100, 1], [250, 100], [250, 2 ** 31 + 5], [260, Infinity]] as const;
      for (const [began, ms] of waits) at(began, () => start(clock, ms, () => late.push(now() - began - ms)));
      flush();
      expect(late).to.deep.equal(Array(9).fill(0));
    });
  });

  it('takes a wait back without touching the others', () => {
    inVirtualTime(({ at, flush, now }) => {
      const clock = new DeadlineClock();
      const ended: string[] = [];
      const first = start(clock, 100, () => ended.push('first'));
      const second = start(clock, 100, () => ended.push('second'));
      at(20, () => start(clock, 100, () => ended.push(`third at ${now()}`)));
      at(30, () => {
        first();
        first();
      });
      at(40, second);
      at(50, () => start(clock, 100, () => ended.push(`fourth at ${now()}`)));
      at(60, second);
      flush();
      expect(ended).to.deep.equal(['third at 120', 'fourth at 150']);
    });
  });

  it('ends in time what begins while another wait of the same length ends', () => {
    inVirtualTime(({ flush, now }) => {
      const clock = new DeadlineClock();
      const ended: number[] = [];
      const again = (left: number) => {
        start(clock, 100, () => {
          ended.push(now());
          if (left > 0) again(left - 1);
        });
      };
      again(3);
      flush();
      expect(ended).to.deep.equal([100, 200, 300, 400]);
    });
  });

  it('leaves no timer when all is taken back, also what began while another wait ended', async () => {
    const left = await timersLeftBy(async () => {
      const clock = new DeadlineClock();
      const stops = [60_000, 60_000, 5].map((ms) => start(clock, ms, () => {}));
      await new Promise<void>((resolve) => {
        start(clock, 10, () => {
          stops.push(start(clock, 10, () => {}));
          resolve();
        });
      });
      for (const stop of stops) stop();
    });
    expect(left).to.equal(0);
  });

  it('has an end: what is over neither goes on nor begins afresh', () => {
    inVirtualTime(({ at, flush, now }) => {
      const clock = new DeadlineClock();
      const ended: string[] = [];
      const wait = new Wait(clock, 10, { passed: () => ended.push(`first at ${now()}`) });
      start(clock, 10, () => ended.push(`second at ${now()}`));
      at(20, () => {
        wait.hold();
        wait.resume();
        wait.restart();
        start(clock, 10, () => ended.push(`third at ${now()}`));
      });
      flush();
      expect(ended).to.deep.equal(['first at 10', 'second at 10', 'third at 30']);
    });
  });

  it('ends the others while one is taken back from inside', () => {
    inVirtualTime(({ flush, now }) => {
      const clock = new DeadlineClock();
      const ended: string[] = [];
      const stops: (() => void)[] = [];
      for (const name of ['a', 'b', 'c']) {
        stops.push(
          start(clock, 10, () => {
            ended.push(`${name}${now()}`);
            stops[1]!();
          }),
        );
      }
      flush();
      expect(ended).to.deep.equal(['a10', 'c10']);
    });
  });
});

describe('after', () => {
  for (const ms of [1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5, 2 ** 32 + 7, 3 * 2 ** 31]) {
    it(`works once, after ${ms} ms`, () => {
      inVirtualTime(({ flush, now }) => {
        const times: number[] = [];
        after(ms, () => times.push(now()));
        flush();
        expect(times).to.deep.equal([ms]);
      });
    });
  }

  it('does not fire early on the real clock when the time is too long for a timer', async () => {
    let fired = false;
    const subscription = after(2 ** 31 + 5, () => (fired = true));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(fired).to.equal(false);
    subscription.unsubscribe();
  });

  it('never works for Infinity, and needs no timer for that', async () => {
    expect(await timersLeftBy(() => void after(Infinity, () => {}))).to.equal(0);
  });

  it('can be called off', () => {
    inVirtualTime(({ at, flush, now }) => {
      const worked: number[] = [];
      after(5, () => worked.push(now()));
      const subscription = after(5, () => worked.push(-1));
      at(3, () => {
        subscription.unsubscribe();
      });
      flush();
      expect(worked).to.deep.equal([5]);
    });
  });

  it('of a time that is called off late leaves no timer', async () => {
    expect(
      await timersLeftBy(() => {
        after(2 ** 40, () => {}).unsubscribe();
      }),
    ).to.equal(0);
  });
});

describe('checkTimeout', () => {
  it('gives what makes sense back', () => {
    for (const ms of [1, 0.5, 2 ** 40, Infinity]) expect(checkTimeout('timeout', ms)).to.equal(ms);
  });

  for (const ms of [0, -0, -1, NaN, -Infinity, '5000', null, {}, 5n]) {
    it(`refuses ${typeof ms === 'bigint' ? '5n' : JSON.stringify(ms)}${typeof ms === 'number' ? ` (${ms})` : ''} by name`, () => {
      expect(() => checkTimeout('timeoutMs', ms as never)).to.throw(ConfigError, /^timeoutMs must be a number of milliseconds above 0/);
    });
  }
});
