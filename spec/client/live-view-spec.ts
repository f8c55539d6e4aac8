import { expect } from 'chai';
import { catchError, concat, defer, EMPTY, map, mergeMap, NEVER, Observable, of, Subject, throwError, timer } from 'rxjs';
import { liveView } from '../../lib/client/live-view.ts';
import { ConnectionClosedError, NotConnectedError, RpcError } from '../../lib/errors.ts';
import { inVirtualTime, record, testScheduler } from '../support/test-scheduler.ts';

/** Fetches from each of these in turn, the last one for ever. */
const inTurn = <T>(...sources: Observable<T>[]) => {
  let n = 0;
  return () => sources[Math.min(n++, sources.length - 1)]!;
};

/** A fetch that takes 10 ms, and how often it was begun and is running. */
function fetching<T>(value: (n: number) => T, ms = 10) {
  const counts = { begun: 0, running: 0, most: 0 };
  const fetch = () =>
    new Observable<T>((subscriber) => {
      const n = ++counts.begun;
      counts.most = Math.max(counts.most, ++counts.running);
      subscriber.add(timer(ms).pipe(map(() => value(n))).subscribe(subscriber));
      return () => --counts.running;
    });
  return { counts, fetch };
}

describe('liveView', () => {
  it('fetches when it is due for the first time, and again when it is due again', () => {
    testScheduler().run(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const due$ = hot('     -d- 300ms -d----- ');
      const dueSubs = '      ^-- 300ms ------! ';
      const first$ = cold('   --a|              ');
      const firstSubs = '    -^--!              ';
      const second$ = cold('               --b| ');
      const secondSubs = '   --- 300ms -^--!   ';
      const unsub = '        --- 300ms ------! ';
      const expected = '     ---a 299ms ---b-- ';
      expectObservable(liveView(due$, inTurn(first$, second$)), unsub).toBe(expected);
      expectSubscriptions(due$.subscriptions).toBe(dueSubs);
      expectSubscriptions(first$.subscriptions).toBe(firstSubs);
      expectSubscriptions(second$.subscriptions).toBe(secondSubs);
    });
  });

  it('is shared, and late subscribers get the latest value at once', () => {
    testScheduler().run(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const due$ = hot('    d- 300ms d------- ');
      const dueSubs = '     ^- 300ms -------! ';
      const first$ = cold(' -a|               ');
      const second$ = cold('         ---b|    ');
      const early = '       ^- 300ms -----!   ';
      const earlySees = '   -a 300ms ---b--   ';
      const late = '        -- 300ms -^-----! ';
      const lateSees = '    -- 300ms -a-b---- ';
      const view$ = liveView(due$, inTurn(first$, second$));
      expectObservable(view$, early).toBe(earlySees);
      expectObservable(view$, late).toBe(lateSees);
      expectSubscriptions(due$.subscriptions).toBe(dueSubs);
      expectSubscriptions(first$.subscriptions).toBe('  ^-!               ');
      expectSubscriptions(second$.subscriptions).toBe(' -- 300ms ^---!    ');
    });
  });

  it('emits nothing for a value like the one before, however it was made', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      const names = ['a', 'a', 'b', 'b', 'a'];
      const { counts, fetch } = fetching((n) => [{ name: names[n - 1] }]);
      const seen = record(liveView(due$, fetch));
      for (let n = 0; n < names.length; n++) at(n * 500, () => due$.next());
      flush();
      expect(counts.begun).to.equal(5);
      expect(seen.values).to.deep.equal([[{ name: 'a' }], [{ name: 'b' }], [{ name: 'a' }]]);
      expect(seen.times).to.deep.equal([10, 1_010, 2_010]);
      seen.unsubscribe();
    });
  });

  it('a burst costs two fetches [B84]', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      const { counts, fetch } = fetching((n) => n, 30);
      const seen = record(liveView(due$, fetch));
      for (let n = 0; n < 50; n++) at(n / 5, () => due$.next());
      flush();
      expect(counts).to.deep.equal({ begun: 2, running: 0, most: 1 });
      expect(seen.times).to.deep.equal([30, 260]);
      seen.unsubscribe();
    });
  });

  for (const [when, ms] of [
    ['as the fetch begins', 0],
    ['during the fetch', 15],
    ['as the value comes', 30],
    ['in the pause after it', 100],
  ] as const) {
    it(`a change ${when} is not lost, and waits for the pause [B84]`, () => {
      inVirtualTime(({ at, flush }) => {
        const due$ = new Subject<void>();
        const { counts, fetch } = fetching((n) => n, 30);
        const seen = record(liveView(due$, fetch));
        at(0, () => due$.next());
        at(ms, () => due$.next());
        flush();
        expect(seen.values).to.deep.equal([1, 2]);
        expect(seen.times).to.deep.equal([30, 260]);
        expect(counts).to.deep.equal({ begun: 2, running: 0, most: 1 });
        seen.unsubscribe();
      });
    });
  }

  it('a change from inside the call that fetches is not lost [B84]', () => {
    inVirtualTime(({ flush }) => {
      const due$ = new Subject<void>();
      let fetches = 0;
      const view$ = liveView(due$, () => {
        if (++fetches === 1) due$.next();
        return of(fetches);
      });
      const seen = record(view$);
      due$.next();
      flush();
      expect(seen.values).to.deep.equal([1, 2]);
      seen.unsubscribe();
    });
  });

  it('after the pause a change is fetched at once', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      const { fetch } = fetching((n) => n, 30);
      const seen = record(liveView(due$, fetch));
      at(0, () => due$.next());
      at(231, () => due$.next());
      flush();
      expect(seen.times).to.deep.equal([30, 261]);
      seen.unsubscribe();
    });
  });

  for (const [when, delay] of [
    ['before each answer', 0],
    ['after each answer', 20],
  ] as const) {
    it(`a server that announces a change ${when} is asked at most every 200 ms [B84]`, () => {
      inVirtualTime(({ at, flush }) => {
        const due$ = new Subject<void>();
        const { counts, fetch } = fetching((n) => n);
        const loop$ = () => {
          at(delay, () => due$.next());
          return fetch();
        };
        const seen = record(liveView(due$, loop$));
        at(0, () => due$.next());
        at(60_000, () => seen.unsubscribe());
        flush();
        expect(counts.begun).to.be.within(270, 300);
        expect(counts).to.include({ running: 0, most: 1 });
        expect(seen.values).to.have.length.within(270, 300);
      });
    });
  }

  it('an error reaches all subscribers, and the next one starts afresh: it gets no old error and no old value', () => {
    testScheduler().run(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const error = new RpcError(-32603, 'no');
      const due$ = hot('     d- 300ms d---- 300ms --d--- ');
      const dueSubs = [
        '                    ^- 300ms -!--           ',
        '                    -- 300ms ----- 300ms ^----! ',
      ];
      const first$ = cold('  -a|                     ');
      const second$ = cold('          -#              ');
      const third$ = cold('                           -c|');
      const one = '          ^-                      ';
      const oneSees = '      -a 300ms -#             ';
      const other = '        -^                      ';
      const otherSees = '    -a 300ms -#             ';
      const next = '         -- 300ms ----- 300ms ^----! ';
      const nextSees = '     -- 300ms ----- 300ms ---c-- ';
      const view$ = liveView(due$, inTurn(first$, second$.pipe(failing(error)), third$));
      expectObservable(view$, one).toBe(oneSees, undefined, error);
      expectObservable(view$, other).toBe(otherSees, undefined, error);
      expectObservable(view$, next).toBe(nextSees);
      expectSubscriptions(due$.subscriptions).toBe(dueSubs);
    });
  });

  it('a subscriber that comes back inside its error handler starts afresh', () => {
    inVirtualTime(({ flush }) => {
      const fail$ = throwError(() => new RpcError(-32603, 'no'));
      const view$ = liveView(concat(of(undefined), NEVER), inTurn<string>(fail$, of('better')));
      const values: string[] = [];
      const again = view$.pipe(catchError(() => view$)).subscribe((value) => values.push(value));
      flush();
      expect(values).to.deep.equal(['better']);
      again.unsubscribe();
    });
  });

  it('what fetch throws is an error of the view', () => {
    inVirtualTime(({ flush }) => {
      const seen = record(
        liveView(of(undefined), () => {
          throw new Error('odd');
        }),
      );
      flush();
      expect(seen.errors.map(String)).to.deep.equal(['Error: odd']);
    });
  });

  it('an error of the source is the error of the view, and ends a running fetch', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const due$ = cold('   d--#   ');
      const fetch$ = cold(' -----a|');
      const fetchSubs = '   ^--!   ';
      const expected = '    ---#   ';
      expectObservable(liveView(due$, () => fetch$)).toBe(expected);
      expectSubscriptions(fetch$.subscriptions).toBe(fetchSubs);
    });
  });

  for (const error of [new ConnectionClosedError(), new NotConnectedError()]) {
    it(`a connection that ends during a fetch is no error, and the next due fetches (${error.name})`, () => {
      testScheduler().run(({ cold, hot, expectObservable, expectSubscriptions }) => {
        const due$ = hot('      d---- 300ms d---- ');
        const dueSubs = '       ^---- 300ms ----! ';
        const lost$ = cold('    ---#              ');
        const lostSubs = '      ^--!              ';
        const found$ = cold('               -a|   ');
        const unsub = '         ----- 300ms ----! ';
        const expected = '      ----- 300ms -a--- ';
        expectObservable(liveView(due$, inTurn(lost$.pipe(failing(error)), found$)), unsub).toBe(expected);
        expectSubscriptions(due$.subscriptions).toBe(dueSubs);
        expectSubscriptions(lost$.subscriptions).toBe(lostSubs);
      });
    });
  }

  it('a due that comes with the loss of the connection is fetched after the pause', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      const lost$ = timer(10).pipe(mergeMap(() => throwError(() => new ConnectionClosedError())));
      const seen = record(liveView(due$, inTurn<unknown>(lost$, of('back'))));
      at(0, () => due$.next());
      at(11, () => due$.next());
      flush();
      expect(seen).to.deep.include({ values: ['back'], times: [210], errors: [] });
      seen.unsubscribe();
    });
  });

  it('the last to leave ends the source and the running fetch; the next one starts afresh [B91]', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const due$ = cold('   d--------         ');
      const dueSubs = ['    ^---!             ', '--------^----!'];
      const fetch$ = cold(' -------a|         ');
      const fetchSubs = ['  ^---!             ', '--------^----!'];
      const one = '         ^--!              ';
      const other = '       -^--!             ';
      const next = '        --------^----!    ';
      const nothing = '     --------------    ';
      const view$ = liveView(due$, () => fetch$);
      for (const subs of [one, other, next]) expectObservable(view$, subs).toBe(nothing);
      expectSubscriptions(due$.subscriptions).toBe(dueSubs);
      expectSubscriptions(fetch$.subscriptions).toBe(fetchSubs);
    });
  });

  it('replays nothing once everybody has left [B91]', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const due$ = cold('   d--------      ');
      const fetch$ = cold(' --a|           ');
      const one = '         ^---!          ';
      const oneSees = '     --a--          ';
      const next = '        ------^----!   ';
      const nextSees = '    --------a--    ';
      const view$ = liveView(due$, () => fetch$);
      expectObservable(view$, one).toBe(oneSees);
      expectObservable(view$, next).toBe(nextSees);
    });
  });

  it('leaving with a change waiting begins no fetch', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      const { counts, fetch } = fetching((n) => n);
      const seen = record(liveView(due$, fetch));
      at(0, () => due$.next());
      at(5, () => due$.next());
      at(8, () => seen.unsubscribe());
      flush();
      expect(counts).to.deep.equal({ begun: 1, running: 0, most: 1 });
    });
  });

  it('leaves nothing behind after 1,000 subscribers [B91]', () => {
    inVirtualTime(({ flush, now }) => {
      const due$ = new Subject<number>();
      let live = 0;
      const counted$ = new Observable<number>((subscriber) => {
        live++;
        subscriber.add(due$.subscribe(subscriber));
        subscriber.next(0);
        return () => live--;
      });
      const { counts, fetch } = fetching((n) => n, 60_000);
      const view$ = liveView(counted$, fetch);
      const start = now();
      for (let n = 0; n < 1_000; n++) {
        const seen = record(view$);
        expect([live, counts.running]).to.deep.equal([1, 1]);
        seen.unsubscribe();
      }
      const many = Array.from({ length: 1_000 }, () => record(view$));
      expect([live, counts.running]).to.deep.equal([1, 1]);
      for (const seen of many) seen.unsubscribe();
      expect([live, counts.running, due$.observed]).to.deep.equal([0, 0, false]);
      flush();
      expect(now(), 'no timer is left').to.equal(start);
    });
  });

  it('completes after its source, when the last fetch is done', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      const { counts, fetch } = fetching((n) => n);
      const seen = record(liveView(due$, fetch));
      at(0, () => due$.next());
      at(5, () => due$.next());
      at(6, () => due$.complete());
      flush();
      expect(seen).to.deep.include({ values: [1, 2], completed: 1, errors: [] });
      expect(counts.running).to.equal(0);
    });
  });

  it('completes empty with an empty source, and at once', () => {
    testScheduler().run(({ expectObservable }) => {
      expectObservable(liveView(EMPTY, () => of('a'))).toBe('|');
    });
  });

  it('a source that never emits fetches nothing', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const due$ = cold('     ----- ');
      const fetch$ = cold('   a|    ');
      const unsub = '         ----! ';
      const expected = '      ----- ';
      expectObservable(liveView(due$, () => fetch$), unsub).toBe(expected);
      expectSubscriptions(due$.subscriptions).toBe('^---!');
      expectSubscriptions(fetch$.subscriptions).toBe([]);
    });
  });

  it('a fetch that never ends is the only one', () => {
    inVirtualTime(({ at, flush }) => {
      const due$ = new Subject<void>();
      let fetches = 0;
      const seen = record(liveView(due$, () => defer(() => (fetches++, NEVER))));
      for (const ms of [0, 500, 1_000]) at(ms, () => due$.next());
      flush();
      expect(fetches).to.equal(1);
      expect(seen).to.deep.include({ values: [], completed: 0, errors: [] });
      seen.unsubscribe();
      expect(due$.observed).to.equal(false);
    });
  });
});

/** The same, with this error instead of its own. */
function failing<T>(error: unknown) {
  return (source$: Observable<T>) =>
    new Observable<T>((subscriber) =>
      source$.subscribe({
        next: (value) => subscriber.next(value),
        error: () => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
}
