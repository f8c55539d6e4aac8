import { expect } from 'chai';
import { ConfigError } from '../../lib/errors.ts';
import { Replies } from '../../lib/session/replies.ts';
import type { RequestId } from '../../lib/wire/message.ts';

const result = (id: RequestId, value: object = {}) => ({ jsonrpc: '2.0', id, result: value }) as any;

/** Waits, and writes down what comes. */
function waitFor(replies: Replies, id: RequestId): unknown[] {
  const seen: unknown[] = [];
  replies.add(id, {
    settle: (reply: any) => seen.push(reply.result),
    fail: (error) => seen.push(error.message),
    inform: (news) => seen.push(news.type),
    hold: () => seen.push('hold'),
    resume: () => seen.push('resume'),
  });
  return seen;
}

describe('Replies', () => {
  it('hands a reply to the one who waits for its id', () => {
    const replies = new Replies();
    const one = waitFor(replies, 1);
    const two = waitFor(replies, 2);
    expect(replies.size).to.equal(2);
    expect(replies.settle(result(2, { n: 2 }))).to.equal(true);
    expect(two).to.deep.equal([{ n: 2 }]);
    expect(one).to.deep.equal([]);
    expect(replies.size).to.equal(1);
  });

  it('settles once: a second reply finds nobody [B30]', () => {
    const replies = new Replies();
    const one = waitFor(replies, 1);
    expect([replies.settle(result(1)), replies.settle(result(1)), replies.settle(result(9))]).to.deep.equal([true, false, false]);
    expect(one).to.have.length(1);
  });

  it('finds a number whose id comes back as text, but prefers the text [B27]', () => {
    const replies = new Replies();
    const number = waitFor(replies, 1);
    const text = waitFor(replies, '1');
    replies.settle(result('1', { to: 'text' }));
    replies.settle(result('1', { to: 'number' }));
    expect([text, number]).to.deep.equal([[{ to: 'text' }], [{ to: 'number' }]]);
    const zero = waitFor(replies, 0);
    expect(['00', '0.0', '-0', ''].map((id) => replies.settle(result(id)))).to.deep.equal([false, false, false, false]);
    expect(replies.settle(result('0'))).to.equal(true);
    expect(zero).to.have.length(1);
  });

  it('refuses an id that is in use, and leaves the first one alone [R10]', () => {
    const replies = new Replies();
    const first = waitFor(replies, 1);
    expect(() => waitFor(replies, 1)).to.throw(ConfigError);
    expect(replies.settle(result(1))).to.equal(true);
    expect(first).to.have.length(1);
  });

  it('says whether the reply was owed to who leaves', () => {
    const replies = new Replies();
    waitFor(replies, 1);
    waitFor(replies, 2);
    replies.settle(result(2));
    waitFor(replies, 3);
    replies.fail(3, new Error('x'));
    expect([1, 1, 2, 3, 4].map((id) => replies.remove(id))).to.deep.equal([true, false, false, false, false]);
    expect(replies.size).to.equal(0);
  });

  it('has forgotten a request before it settles: it may be followed by another from inside', () => {
    const replies = new Replies();
    const sizes: number[] = [];
    const silent = { settle: () => {}, fail: () => {}, inform: () => {}, hold: () => {}, resume: () => {} };
    replies.add(1, { ...silent, settle: () => sizes.push(replies.size) });
    replies.add(2, { ...silent, fail: () => sizes.push(replies.size) });
    replies.settle(result(1));
    replies.failAll(() => new Error('over'));
    expect(sizes).to.deep.equal([1, 0]);
  });

  it('holds one, or all, and resumes those that still wait', () => {
    const replies = new Replies();
    const one = waitFor(replies, 1);
    const two = waitFor(replies, 2);
    const held = [replies.hold(2), replies.hold(undefined), replies.hold('unknown')];
    const later = waitFor(replies, 3);
    replies.settle(result(2, { n: 2 }));
    for (const hold of held) hold.unsubscribe();
    expect(one).to.deep.equal(['hold', 'resume']);
    expect(two).to.deep.equal(['hold', 'hold', { n: 2 }]);
    expect(later).to.deep.equal([]);
  });

  it('fails one, or all with an error each', () => {
    const replies = new Replies();
    const waiting = [1, 2, 3].map((id) => waitFor(replies, id));
    expect(replies.fail(2, new Error('two'))).to.equal(true);
    expect(replies.fail(2, new Error('again'))).to.equal(false);
    let n = 0;
    replies.failAll(() => new Error(`all ${++n}`));
    expect(waiting).to.deep.equal([['all 1'], ['two'], ['all 2']]);
    expect(replies.size).to.equal(0);
  });

  it('hands news on, and forgets news for nobody', () => {
    const replies = new Replies();
    const one = waitFor(replies, 1);
    const news = { type: 'progress', progress: { progressToken: 1, progress: 1 } } as const;
    replies.inform(1, news);
    replies.inform(2, news);
    replies.settle(result(1));
    replies.inform(1, news);
    expect(one).to.deep.equal(['progress', {}]);
  });

  it('keeps who waits while thousands come and go', () => {
    const replies = new Replies();
    const patient = waitFor(replies, 'patient');
    for (let id = 0; id < 3_000; id++) {
      const seen = waitFor(replies, id);
      if (id % 3 === 0) replies.remove(id);
      else replies.settle(result(id, { id }));
      expect(replies.size).to.equal(1);
      expect(seen).to.deep.equal(id % 3 === 0 ? [] : [{ id }]);
    }
    expect(replies.settle(result('patient'))).to.equal(true);
    expect(patient).to.deep.equal([{}]);
  });

  it('costs the same for one pending request as for 10,000', () => {
    const visits = (pending: number): number => {
      const replies = new Replies();
      const waiting = Array.from({ length: pending }, (_, id) => waitFor(replies, id));
      const { get, has } = Map.prototype;
      const iterating = ['forEach', 'keys', 'values', 'entries', Symbol.iterator] as const;
      const originals = iterating.map((name) => Map.prototype[name]);
      let visited = 0;
      const counting = (original: (key: any) => any) =>
        function (this: Map<unknown, unknown>, key: unknown) {
          visited++;
          return original.call(this, key);
        };
      Map.prototype.get = counting(get);
      Map.prototype.has = counting(has);
      for (const name of iterating) {
        (Map.prototype as any)[name] = () => {
          throw new Error('Every waiting request was looked at');
        };
      }
      try {
        replies.settle(result(pending >> 1));
        replies.settle(result('unknown'));
      } finally {
        Object.assign(Map.prototype, { get, has });
        iterating.forEach((name, i) => ((Map.prototype as any)[name] = originals[i]));
      }
      expect(waiting[pending >> 1]).to.have.length(1);
      return visited;
    };
    expect(visits(10_000)).to.equal(visits(1));
  });
});
