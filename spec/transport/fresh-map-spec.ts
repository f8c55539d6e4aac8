import { expect } from 'chai';
import { FreshMap } from '../../lib/transport/fresh-map.ts';

describe('FreshMap', () => {
  it('holds what a Map would, whatever comes and goes', () => {
    const fresh = new FreshMap<number | string, number>();
    const plain = new Map<number | string, number>();
    let seed = 1;
    for (let i = 0; i < 20_000; i++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const number = seed % 200;
      const key = seed % 3 === 0 ? String(number) : number;
      if (seed % 5 < 2) {
        fresh.set(key, i);
        plain.set(key, i);
      } else expect(fresh.delete(key)).to.equal(plain.delete(key));
      expect(fresh.get(key)).to.equal(plain.get(key));
      expect(fresh.has(key)).to.equal(plain.has(key));
      expect(fresh.size).to.equal(plain.size);
      if (i % 500 === 0) expect(fresh.entries()).to.deep.equal([...plain]);
    }
  });

  it('gives its entries as they were when it was asked', () => {
    const fresh = new FreshMap<number, string>();
    for (let i = 0; i < 100; i++) fresh.set(i, String(i));
    const entries = fresh.entries();
    for (const [key] of entries) fresh.delete(key);
    expect(entries).to.have.length(100);
    expect(fresh.entries()).to.deep.equal([]);
  });

  it('copies no more than comes', () => {
    const plain = Map.prototype.set;
    let sets = 0;
    Map.prototype.set = function (this: Map<unknown, unknown>, ...args) {
      sets++;
      return plain.apply(this, args);
    };
    try {
      const fresh = new FreshMap<number, number>();
      for (let i = 0; i < 10_000; i++) fresh.set(i, i);
      for (let i = 0; i < 10_000; i++) fresh.delete(i);
    } finally {
      Map.prototype.set = plain;
    }
    expect(sets).to.be.within(10_000, 20_000);
  });
});
