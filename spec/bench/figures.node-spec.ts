import { expect } from 'chai';
import { figuresOf, isOver } from '../../bench/figures.ts';
import { runRounds } from '../../bench/rounds.ts';
import type { Scenario } from '../../bench/scenario.ts';
import { lowerBound, median, pairedRatios } from '../../bench/statistics.ts';
import type { ClientName } from '../../bench/types.ts';

const round = (...values: readonly number[]) => values.map((time) => ({ time }));

describe('figures of the benchmark', () => {
  const scenario: Scenario = {
    name: 'sample',
    clients: ['bare', 'ours'],
    metrics: { time: { title: 'time', unit: 'ms', relativeTo: 'bare', budgets: { ours: 2 } } },
    open: () => Promise.reject(new Error('Not opened')),
  };

  it('has medians', () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([4, 1, 2, 3])).to.equal(2.5);
    expect(pairedRatios([2, 9], [1, 3])).to.deep.equal([2, 3]);
  });

  it('is sure of no more than the sign test allows', () => {
    expect(lowerBound([3, 1, 2])).to.equal(1);
    expect(lowerBound([5, 4, 3, 2, 1])).to.equal(1); // 1 in 32
    expect(lowerBound([1, 2, 3, 4, 5, 6, 7, 8])).to.equal(2); // 9 in 256
    expect(lowerBound([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).to.equal(3); // 67 in 2048
  });

  it('compares within rounds, not across', () => {
    const figures = figuresOf(scenario, { bare: round(1, 10, 100), ours: round(3, 15, 400) });
    const [bare, ours] = figures;
    expect(bare).to.include({ client: 'bare', value: 10, ratio: 1, budget: undefined });
    expect(ours).to.include({ client: 'ours', value: 15, ratio: 3, budget: 2, atLeast: 1.5 });
  });

  it('is over a budget only beyond the noise', () => {
    const over = (...ours: readonly number[]) => figuresOf(scenario, { bare: round(1, 1, 1, 1, 1), ours: round(...ours) }).some(isOver);
    expect(over(2.5, 2.5, 2.5, 2.5, 2.5)).to.equal(true);
    expect(over(1.9, 2.5, 2.5, 2.5, 2.5)).to.equal(false);
  });

  it('takes turns, another client first each time', async () => {
    const order: ClientName[] = [];
    const open = (client: ClientName) =>
      Promise.resolve({
        sample: () => {
          order.push(client);
          return Promise.resolve({ time: order.length });
        },
        close: () => Promise.resolve(),
      });
    const samples = await runRounds({ ...scenario, isCold: true, open }, ['bare', 'ours'], 2);
    expect(order).to.deep.equal(['bare', 'ours', 'ours', 'bare']);
    expect(samples).to.deep.equal({ bare: round(1, 4), ours: round(2, 3) });
    order.length = 0;
    const warm = await runRounds({ ...scenario, open }, ['bare', 'ours'], 1);
    const warmUps = (order.length - 2) / 2;
    expect(warmUps).to.be.above(0);
    expect(order).to.deep.equal([...Array<string>(warmUps).fill('bare'), ...Array<string>(warmUps).fill('ours'), 'bare', 'ours']);
    expect(warm).to.deep.equal({ bare: round(order.length - 1), ours: round(order.length) });
  });
});
