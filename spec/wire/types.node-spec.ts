// Our declarations against those of the official package. The comparing is done by `npm run types`; what runs is a count.
import * as core from '@modelcontextprotocol/core';
import * as coreSkills from '@modelcontextprotocol/core/ext/skills';
import { expect } from 'chai';
import { none, type Paths, type Surplus, type Unfit } from './compare-types.ts';
import { OUR_SKILLS, OURS, WITHOUT_COUNTERPART } from './official-types.ts';
import { NARROWER, ONLY_OURS, ONLY_THEIRS, WIDER } from './type-differences.ts';

type Packages = typeof core & typeof coreSkills;
type Ours = typeof OURS & typeof OUR_SKILLS;
type Name = keyof Ours;
type Schema<K> = K extends `${infer N}Schema` ? (Packages[K & keyof Packages] extends { parse: unknown } ? N : never) : never;
type OfficialName = Schema<keyof Packages>;
/** What the package says when it has parsed a value. */
type Official<N extends Name> = Packages[`${N}Schema` & keyof Packages] extends { parse: (...args: never[]) => infer T } ? T : never;

type Wider = { [N in Name]: Paths<N, Unfit<Ours[N], Official<N>>> }[Name];
type Narrower = { [N in Name]: Paths<N, Unfit<Official<N>, Ours[N]>> }[Name];
type OnlyOurs = { [N in Name]: Paths<N, Surplus<Ours[N], Official<N>>> }[Name];
type OnlyTheirs = { [N in Name]: Paths<N, Surplus<Official<N>, Ours[N]>> }[Name];
type ListedOurs = { [F in keyof typeof ONLY_OURS]: Paths<(typeof ONLY_OURS)[F]['of'][number], F> }[keyof typeof ONLY_OURS];

describe('types against the official package [R01]', () => {
  it('each of its types has a counterpart here, or a reason why not', () => {
    none<Exclude<OfficialName, Name | keyof typeof WITHOUT_COUNTERPART>>();
    none<Exclude<Name | keyof typeof WITHOUT_COUNTERPART, OfficialName>>();
    const names = Object.keys({ ...core, ...coreSkills }).flatMap((name) => (name.endsWith('Schema') ? [name.slice(0, -'Schema'.length)] : []));
    expect(Object.keys({ ...OURS, ...OUR_SKILLS, ...WITHOUT_COUNTERPART }).sort()).to.deep.equal(names.sort());
    expect(names).to.have.length.above(180);
  });

  it('what is ours is theirs, but for what is listed', () => {
    none<Exclude<Wider, keyof typeof WIDER>>();
    none<Exclude<keyof typeof WIDER, Wider>>();
  });

  it('what is theirs is ours, but for what is listed', () => {
    none<Exclude<Narrower, keyof typeof NARROWER>>();
    none<Exclude<keyof typeof NARROWER, Narrower>>();
  });

  it('they declare the same fields, but for what is listed', () => {
    none<Exclude<OnlyTheirs, keyof typeof ONLY_THEIRS>>();
    none<Exclude<keyof typeof ONLY_THEIRS, OnlyTheirs>>();
    none<Exclude<OnlyOurs, ListedOurs>>();
    none<Exclude<ListedOurs, OnlyOurs>>();
  });

  it('each difference says why', () => {
    for (const { why } of Object.values({ ...WIDER, ...NARROWER, ...ONLY_OURS, ...ONLY_THEIRS })) expect(why).to.match(/\w/);
  });

  it('a difference is seen', () => {
    interface Theirs {
      a: string;
      b?: number | undefined;
    }
    none<Unfit<{ a: string; b?: number | undefined }, Theirs>>();
    none<Unfit<Theirs, { a: string; b?: number | undefined; [key: string]: unknown }> extends '*' ? never : 1>();
    none<Exclude<'a', Unfit<{ a?: string; b?: number | undefined }, Theirs>>>(); // optional
    none<Exclude<'a', Unfit<{ b?: number | undefined }, Theirs>>>(); // missing
    none<Exclude<'b', Unfit<{ a: string; b: string }, Theirs>>>(); // another type
    none<Exclude<'*', Unfit<string | number, string>>>(); // a union
    none<Exclude<'c', Surplus<Theirs & { c: 1 }, Theirs>>>();
    // @ts-expect-error -- a field of another type
    none<Unfit<{ a: number }, { a: string }>>();
    // @ts-expect-error -- a difference that there is not
    none<Exclude<'Tool.name', Wider>>();
    // @ts-expect-error -- a type that is in no list
    none<Exclude<'Nothing', Name>>();
  });
});
