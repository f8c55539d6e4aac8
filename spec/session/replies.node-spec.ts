import { getHeapSpaceStatistics } from 'node:v8';
import { expect } from 'chai';
import { Replies, type Waiting } from '../../lib/session/replies.ts';

const MB = 1_000_000;

/** What has lived long enough not to be looked at often any more, in bytes. */
const oldGeneration = (): number => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? NaN;

/** Lets pass what makes everything that is held now old. */
function age(): void {
  for (let i = 0; i < 200_000; i++) Array<number>(100).fill(i);
}

describe('Replies over a long time', () => {
  it('let what has ended be freed young', () => {
    const replies = new Replies();
    const waitFor = (id: number | string): void => {
      const held = Array<number>(100).fill(0);
      const waiting: Waiting = { settle: () => held.length, fail: () => {}, inform: () => {}, hold: () => {}, resume: () => {} };
      replies.add(id, waiting);
    };
    waitFor('patient');
    age();
    const before = oldGeneration();
    for (let id = 0; id < 100_000; id++) {
      // 100 MB in all
      waitFor(id);
      if (id >= 64) replies.settle({ jsonrpc: '2.0', id: id - 64, result: {} });
    }
    expect(oldGeneration() - before).to.be.below(5 * MB);
    expect(replies.size).to.equal(65);
  });
});
