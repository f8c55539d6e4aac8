import { expect } from 'chai';
import * as yaml from 'js-yaml';
import { firstDifference, parseFrontmatter as parse, type FrontmatterFile } from '../../../lib/client/skills/frontmatter.ts';

const parseFrontmatter = (text: string): FrontmatterFile => parse(text, yaml);

const problemOf = (text: string): string => {
  try {
    return `none: ${JSON.stringify(parseFrontmatter(text))}`;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('parseFrontmatter()', () => {
  it('gives the mapping and what follows it', () => {
    expect(parseFrontmatter('---\nname: a\n---\n\n# A\n---\nb\n')).to.deep.equal({ frontmatter: { name: 'a' }, body: '\n# A\n---\nb\n' });
    expect(parseFrontmatter('---\nname: a\n---')).to.deep.equal({ frontmatter: { name: 'a' }, body: '' });
  });

  it('takes a byte order mark, CRLF and blanks after the lines', () => {
    expect(parseFrontmatter('\ufeff--- \r\nname: a\r\n---\t\r\nb\r\n')).to.deep.equal({ frontmatter: { name: 'a' }, body: 'b\r\n' });
  });

  it('reads YAML as of 1.2: folded and literal text, quotes, lists, anchors, and no dates', () => {
    const yaml = ['name: "a: b"', 'folded: >-', '  one', '  two', 'literal: |', '  x', 'list: [1, 2.5, true, null, yes]', 'nested: &n', '  version: "1.0"', 'again: *n', 'date: 2024-01-01', 'empty:'];
    expect(parseFrontmatter(`---\n${yaml.join('\n')}\n---\n`).frontmatter).to.deep.equal({
      name: 'a: b',
      folded: 'one two',
      literal: 'x\n',
      list: [1, 2.5, true, null, 'yes'],
      nested: { version: '1.0' },
      again: { version: '1.0' },
      date: '2024-01-01',
      empty: null,
    });
  });

  for (const [title, text, problem] of [
    ['no frontmatter', '# A\n', 'it has no frontmatter'],
    ['none at the very start', '\n---\nname: a\n---\n', 'it has no frontmatter'],
    ['none that ends', '---\nname: a\n', 'it has no frontmatter'],
    ['a fence that is longer', '----\nname: a\n----\n', 'it has no frontmatter'],
    ['an end inside a line', '---\nname: a ---\nb\n', 'it has no frontmatter'],
    ['an empty one', '---\n---\n', 'its frontmatter is no YAML'],
    ['a list', '---\n- a\n---\n', 'its frontmatter is no mapping'],
    ['a key twice', '---\na: 1\na: 2\n---\n', 'its frontmatter is no YAML: duplicated mapping key'],
    ['a tag that makes something else of it', '---\na: !!js/function "x"\n---\n', 'its frontmatter is no YAML'],
    ['two documents', '---\na: 1\n...\nb: 2\n---\n', 'its frontmatter is no YAML'],
    ['depths', `---\na: ${'['.repeat(20_000)}\n---\n`, 'its frontmatter is no YAML: nesting exceeded'],
    ['a flood of aliases', `---\na: &a [1]\nb: [${'*a, '.repeat(101)}]\n---\n`, 'its frontmatter is no YAML'],
    ['great length', `---\na: ${'x'.repeat(70_000)}\n---\n`, 'its frontmatter is longer than 65536 characters'],
  ] as const) {
    it(`refuses ${title}`, () => {
      expect(problemOf(text)).to.match(new RegExp(`^${problem}`));
    });
  }

  it('takes time in proportion to the length, also without an end', () => {
    expect(problemOf(`---\n${'\n--- x'.repeat(200_000)}`)).to.equal('it has no frontmatter');
    expect(problemOf(`---\n${'\n---'.padEnd(1_000_000, ' ')}x`)).to.equal('it has no frontmatter');
  });
});

describe('firstDifference()', () => {
  for (const [expected, actual, path] of [
    [{ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, undefined],
    [null, null, undefined],
    [{ a: 1 }, { a: 2 }, 'a'],
    [{ a: 1 }, { a: '1' }, 'a'],
    [{ a: null }, { a: false }, 'a'],
    [{ a: 1 }, {}, 'a'],
    [{}, { a: 1 }, 'a'],
    [{ b: { c: [1, 2] } }, { b: { c: [1, 3] } }, 'b.c.1'],
    [{ b: [1] }, { b: [1, 2] }, 'b.1'],
    [{ b: [] }, { b: {} }, 'b'],
    [{ a: 1 }, { a: 1, toString: 1 }, 'toString'],
    [JSON.parse('{"__proto__": 1}'), {}, '__proto__'],
  ] as [unknown, unknown, string | undefined][]) {
    it(`of ${JSON.stringify(expected)} and ${JSON.stringify(actual)} is ${path ?? 'none'}`, () => {
      expect(firstDifference(expected, actual)?.path).to.equal(path);
    });
  }

  it('ends where both go round in circles', () => {
    const circle = (): object => Object.assign({}, { a: {} });
    const [left, right] = [circle(), circle()] as { a: object }[];
    left!.a = left!;
    right!.a = right!;
    expect(firstDifference(left, right)?.path).to.match(/^a(\.a)+$/);
  });
});
