import { expect } from 'chai';
import { EMPTY, of, throwError } from 'rxjs';
import { firstOf } from '../../lib/transport/first-of.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

const none = () => new Error('nothing');

describe('firstOf', () => {
  it('emits the first value, and lets the rest go', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' --a--b--|');
      const subs = '         ^-!';
      const expected = '     --(a|)';
      expectObservable(firstOf(() => source$, none)).toBe(expected);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('errors where there is no value, and with what the source errors with', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      expectObservable(firstOf(() => cold('--|'), none)).toBe('--#', undefined, new Error('nothing'));
      expectObservable(firstOf(() => cold('--#'), none)).toBe('--#');
      expectObservable(firstOf(() => cold('---'), none)).toBe('---');
    });
    expect(record(firstOf(() => EMPTY, none)).errors.map(String)).to.deep.equal(['Error: nothing']);
    expect(record(firstOf(() => throwError(() => new Error('own')), none)).errors.map(String)).to.deep.equal(['Error: own']);
  });

  it('asks for its source with each subscription, and not before', () => {
    let asked = 0;
    const first$ = firstOf(() => {
      asked++;
      return of(asked, 'late');
    }, none);
    expect(asked).to.equal(0);
    expect([record(first$).values, record(first$).values]).to.deep.equal([[1], [2]]);
  });

  it('errors with what asking throws', () => {
    const thrown$ = firstOf((): [] => {
      throw new Error('asked');
    }, none);
    expect(record(thrown$).errors.map(String)).to.deep.equal(['Error: asked']);
  });

  it('unsubscribes early', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('----a');
      const subs = '        ^-!';
      expectObservable(firstOf(() => source$, none), '--!').toBe('---');
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });
});
