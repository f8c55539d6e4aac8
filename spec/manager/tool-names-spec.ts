import { expect } from 'chai';
import { exposedName, exposedNames } from '../../lib/manager/tool-names.ts';

/** A generator with a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
}

/** Pieces of which names are made that are hard to keep apart. */
const PIECES = ['a', 'b', '_', '__', '-', '.', '/', ' ', '0', '9', 'é', '世', '😀', 'search', 'A', '_deadbeef', 'x'.repeat(30), ''];

const PROVIDERS = [/^[a-zA-Z0-9_-]{1,64}$/, /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/];

function tools(seed: number, count: number): { server: string; tool: string }[] {
  const next = random(seed);
  const name = () => Array.from({ length: 1 + next(4) }, () => PIECES[next(PIECES.length)]).join('');
  const all = Array.from({ length: count }, () => ({ server: name(), tool: name() }));
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

describe('exposed names of tools [B83]', () => {
  it('are server and tool as they are, where that is plain', () => {
    expect(exposedName('github', 'create_issue')).to.equal('github__create_issue');
    expect(exposedName('my-server', 'Search-2')).to.equal('my-server__Search-2');
  });

  it('tell apart what is written alike', () => {
    const pairs = [['a__b', 'c'], ['a', 'b__c'], ['a_', 'b'], ['a', '_b'], ['a.b', 'c'], ['a b', 'c'], ['a_b', 'c'], ['A', 'x'], ['a', 'x']] as const;
    const names = pairs.map(([server, tool]) => exposedName(server, tool));
    expect(new Set(names).size).to.equal(pairs.length);
  });

  it('cannot be made to look like one that carries a hash', () => {
    const hashed = exposedName('a', 'b.c'); // a__b_c_ and eight digits
    const [server, tool] = hashed.split('__') as [string, string];
    expect(exposedName(server, tool)).not.to.equal(hashed);
  });

  for (let seed = 1; seed <= 20; seed++) {
    it(`are unique, good for every provider, stable and reversible (seed ${seed})`, () => {
      const all = tools(seed, 300);
      const names = exposedNames(all);
      expect(names.size).to.equal(all.length); // unique
      expect(new Set(names.values()).size).to.equal(all.length); // reversible: every tool is found under one
      for (const [name, tool] of names) {
        for (const provider of PROVIDERS) expect(name).to.match(provider);
        expect(name).to.equal(exposedName(tool.server, tool.tool)); // by its own two names alone: stable whatever else there is
      }
      const shuffled = [...all].reverse();
      expect([...exposedNames(shuffled).keys()].sort()).to.deep.equal([...names.keys()].sort());
      const fewer = all.filter((_, index) => index % 3 > 0);
      for (const [name, tool] of exposedNames(fewer)) expect(names.get(name)).to.deep.equal(tool);
    });
  }

  it('keep to a shorter limit', () => {
    for (const limit of [20, 40, 64, 128]) {
      for (const [name] of exposedNames(tools(7, 200), limit)) expect(name.length).to.be.at.most(limit);
    }
    expect(exposedName('s', 't'.repeat(100), 128)).to.equal(`s__${'t'.repeat(100)}`);
  });

  it('get longer hashes when two have the same', () => {
    const one = { server: 'a', tool: 'b' };
    const names = exposedNames([one, { ...one }]); // as if two had the same name
    expect(names.size).to.equal(1);
    expect([...names.keys()][0]).to.match(/_[0-9a-f]{16}$/);
  });
});
