import { expect } from 'chai';
import { RpcError } from '../../lib/index.ts';
import { firstDifference, inWords, matches } from '../../lib/testing/difference.ts';

const cyclic = (name: string) => {
  const value: Record<string, unknown> = { name };
  value.self = value;
  return value;
};

describe('firstDifference()', () => {
  for (const [what, a, b] of [
    ['plain values', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ['NaN', NaN, NaN],
    ['a property that is undefined, and none', { a: undefined }, {}],
    ['errors', new RpcError(-1, 'no', { x: 1 }), new RpcError(-1, 'no', { x: 1 })],
    ['dates', new Date(5), new Date(5)],
    ['maps and sets', [new Map([['a', 1]]), new Set([1])], [new Map([['a', 1]]), new Set([1])]],
    ['cycles', cyclic('a'), cyclic('a')],
  ] as const) {
    it(`finds none between ${what} that are equal`, () => {
      expect(firstDifference(a, b)).to.equal(undefined);
    });
  }

  for (const [a, b, path] of [
    [1, '1', ''],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, 'a.b[1]'],
    [[1], [1, 2], '[1]'],
    [{ a: 1 }, { a: 1, 'b.c': 2 }, '["b.c"]'],
    [{ a: [] }, { a: {} }, 'a'],
    [{ a: null }, { a: {} }, 'a'],
    [{}, [], ''],
    [new RpcError(-1, 'no'), new RpcError(-2, 'no'), 'code'],
    [new Error('yes'), new Error('no'), 'message'],
    [new RpcError(-1, 'no', 1), new RpcError(-1, 'no', 2), 'data'],
    [new TypeError('no'), new RangeError('no'), ''],
    [new Date(5), new Date(6), 'time'],
    [new Set([1]), new Set([2]), '0'],
    [cyclic('a'), cyclic('b'), 'name'],
    [(): number => 1, (): number => 1, ''],
  ] as const) {
    it(`finds the one between ${inWords(a)} and ${inWords(b)}`, () => {
      expect(firstDifference(a, b)?.path).to.equal(path);
      expect(firstDifference(b, a)?.path).to.equal(path);
    });
  }
});

describe('matches()', () => {
  for (const [pattern, value, expected] of [
    [{}, { a: 1 }, true],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
    [{ a: { b: 1 } }, { a: { b: 2 } }, false],
    [{ a: [1] }, { a: [1, 2] }, false],
    [{ a: 1 }, {}, false],
    [{ a: undefined }, {}, true],
  ] as const) {
    it(`${inWords(value)} ${expected ? 'has' : 'has not'} ${inWords(pattern)}`, () => {
      expect(matches(pattern, value)).to.equal(expected);
    });
  }
});

describe('inWords()', () => {
  it('tells of any value in a line', () => {
    expect([undefined, null, 'a', { a: 1 }, new RpcError(-1, 'no'), () => 1, cyclic('a')].map(inWords)).to.deep.equal(['nothing', 'null', '"a"', '{"a":1}', 'RpcError: MCP error -1: no', 'a function', 'an object without JSON']);
    expect(inWords('x'.repeat(1_000))).to.have.length.below(310);
  });
});
