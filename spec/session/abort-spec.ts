import { expect } from 'chai';
import { AbortError } from '../../lib/errors.ts';
import { abortionOf, type AbortSignalLike } from '../../lib/session/abort.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

/** A signal that counts who listens. */
class CountingSignal implements AbortSignalLike {
  readonly listeners = new Set<() => void>();
  aborted = false;
  reason: unknown;

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  abort(reason?: unknown): void {
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.listeners]) listener();
  }
}

describe('abortionOf [R42 B37]', () => {
  it('is nothing without a signal and a notifier', () => {
    expect(abortionOf({})).to.equal(undefined);
    expect(abortionOf({ signal: undefined, abort$: undefined })).to.equal(undefined);
  });

  it('errors at once with the reason of a signal that is aborted already, and does not listen', () => {
    const reason = new Error('tenant X revoked');
    const signal = new CountingSignal();
    signal.abort(reason);
    const seen = record(abortionOf({ signal })!);
    expect(seen).to.deep.include({ values: [], completed: 0 });
    expect(seen.errors).to.have.length(1);
    expect(seen.errors[0]).to.equal(reason);
    expect(signal.listeners.size).to.equal(0);
  });

  it('errors with the reason when the signal aborts, and stops listening', () => {
    const signal = new CountingSignal();
    const seen = record(abortionOf({ signal })!);
    expect(signal.listeners.size).to.equal(1);
    signal.abort('any value will do');
    expect(seen.errors).to.deep.equal(['any value will do']);
    expect(signal.listeners.size).to.equal(0);
  });

  it('keeps a reason that is false', () => {
    for (const reason of [0, '', false]) {
      const signal = new CountingSignal();
      const seen = record(abortionOf({ signal })!);
      signal.abort(reason);
      expect(seen.errors).to.deep.equal([reason]);
    }
  });

  it('errors with an AbortError when a signal has no reason', () => {
    const signal = new CountingSignal();
    const seen = record(abortionOf({ signal })!);
    signal.abort();
    expect(seen.errors[0]).to.be.instanceOf(AbortError);
  });

  it('takes a real AbortSignal, whose own reason is an AbortError', () => {
    const controller = new AbortController();
    const seen = record(abortionOf({ signal: controller.signal })!);
    controller.abort();
    expect(seen.errors[0]).to.equal(controller.signal.reason);
    expect(seen.errors[0].name).to.equal('AbortError');
  });

  it('listens while somebody is subscribed', () => {
    const signal = new CountingSignal();
    const abortion$ = abortionOf({ signal })!;
    expect(signal.listeners.size).to.equal(0);
    const two = [record(abortion$), record(abortion$)];
    expect(signal.listeners.size).to.equal(2);
    for (const one of two) one.unsubscribe();
    expect(signal.listeners.size).to.equal(0);
  });

  it('turns a value of abort$ into an AbortError', () => {
    testScheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const abort$ = hot('--x--x|');
      const subs = '      ^-!    ';
      const expected = '  --#    ';
      expectObservable(abortionOf({ abort$ })!).toBe(expected, undefined, new AbortError());
      expectSubscriptions(abort$.subscriptions).toBe(subs);
    });
  });

  it('passes an error of abort$ on: it is the reason', () => {
    testScheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const reason = new Error('enough');
      const abort$ = hot('--#', undefined, reason);
      const subs = '      ^-!';
      const expected = '  --#';
      expectObservable(abortionOf({ abort$ })!).toBe(expected, undefined, reason);
      expectSubscriptions(abort$.subscriptions).toBe(subs);
    });
  });

  it('does nothing when abort$ completes, also at once', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const abort$ = cold('--|');
      const subs = '       ^-!';
      const expected = '   ---';
      expectObservable(abortionOf({ abort$ })!).toBe(expected);
      expectObservable(abortionOf({ abort$: cold('|') })!).toBe('-');
      expectSubscriptions(abort$.subscriptions).toBe(subs);
    });
  });

  it('ends both when one of the two aborts', () => {
    testScheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const abort$ = hot('--x');
      const subs = '      ^-!';
      const expected = '  --#';
      const signal = new CountingSignal();
      expectObservable(abortionOf({ signal, abort$ })!).toBe(expected, undefined, new AbortError());
      expectSubscriptions(abort$.subscriptions).toBe(subs);
      hot('---x').subscribe(() => expect(signal.listeners.size).to.equal(0));
    });

    testScheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const signal = new CountingSignal();
      const abort$ = hot('---');
      const subs = '      ^!';
      const expected = '  -#';
      hot('-x').subscribe(() => signal.abort('stop'));
      expectObservable(abortionOf({ signal, abort$ })!).toBe(expected, undefined, 'stop');
      expectSubscriptions(abort$.subscriptions).toBe(subs);
    });
  });
});
