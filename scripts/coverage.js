// `npm run coverage`: writes docs/coverage.md, the list of rows with the specs that cover them.
// `--check` writes nothing, and fails when that file is stale. Both fail when a row has no spec.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { behaviours, faults, later } from './coverage-rows.js';

/** @typedef {{ title: string, file: string }} Spec */

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/coverage.md');

/** Every spec that would run, as Mocha itself sees them. @returns {Spec[]} */
function allSpecs() {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const output = join(root, 'node_modules/.cache/specs.json');
  mkdirSync(join(output, '..'), { recursive: true });
  const args = [mocha, '--dry-run', '--reporter=json', `--reporter-option=output=${output}`, 'spec/**/*-spec.ts'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Mocha cannot list the specs:\n${stdout}${stderr}`);
  /** @type {{ passes: { fullTitle: string, file: string }[] }} */
  const { passes } = JSON.parse(readFileSync(output, 'utf8'));
  return passes.map(({ fullTitle, file }) => ({ title: fullTitle, file: relative(root, file).replaceAll('\\', '/') }));
}

const tag = /\[((?:[RB]\d\d)(?:[\s,]+[RB]\d\d)*)\]/g;

/** @param {string} title @returns {string[]} */
const rowsOf = (title) => [...title.matchAll(tag)].flatMap(([, rows = '']) => rows.split(/[\s,]+/));

/** @param {Spec[]} specs @returns {Map<string, Spec[]>} */
function byRow(specs) {
  /** @type {Map<string, Spec[]>} */
  const rows = new Map();
  for (const spec of specs) {
    for (const row of new Set(rowsOf(spec.title))) rows.set(row, [...(rows.get(row) ?? []), spec]);
  }
  return rows;
}

/** @param {Map<string, Spec[]>} covered */
function problemsOf(covered) {
  const expected = { ...behaviours, ...faults };
  return [
    ...Object.keys(expected).flatMap((row) => (covered.has(row) || later.includes(row) ? [] : [`${row} has no spec: ${expected[row]}`])),
    ...later.flatMap((row) => (covered.has(row) ? [`${row} has specs now: take it off the list of later rows`] : [])),
    ...[...covered.keys()].flatMap((row) => (row in expected ? [] : [`${row} is no row: ${covered.get(row)?.[0]?.title}`])),
  ];
}

/** @param {Map<string, Spec[]>} covered */
function page(covered) {
  /** @param {string} heading @param {Record<string, string>} rows */
  const section = (heading, rows) => [
    `## ${heading}`,
    '',
    '| row | | specs |',
    '|---|---|---|',
    ...Object.entries(rows).map(([row, name]) => `| ${row} | ${name} | ${later.includes(row) ? '*to come*' : cell(covered.get(row) ?? [])} |`),
    '',
  ];
  return [
    '# Coverage',
    '',
    'Which specs cover which row, written by `npm run coverage`. ◐ runs in Node, ● in Node and Chromium.',
    '',
    ...section('Behaviours', behaviours),
    ...section('Faults of other clients', faults),
  ].join('\n');
}

/** @param {Spec[]} specs */
const cell = (specs) =>
  specs
    .map(({ title, file }) => {
      const mark = file.endsWith('.node-spec.ts') ? '◐' : '●';
      const text = title.replace(tag, '').replace(/\s+/g, ' ').trim().replaceAll('|', '\\|').replaceAll('<', '&lt;');
      return `${mark} [${text}](../${file})`;
    })
    .join('<br>');

const covered = byRow(allSpecs());
const problems = problemsOf(covered);
const content = page(covered);

if (process.argv.includes('--check')) {
  let current = '';
  try {
    current = readFileSync(target, 'utf8');
  } catch {
    // Missing is stale.
  }
  if (current !== content) problems.push('docs/coverage.md is stale: run `npm run coverage`');
} else {
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(target, content);
}

for (const problem of problems) console.error(problem);
console.log(`${covered.size} of ${Object.keys({ ...behaviours, ...faults }).length} rows have specs; ${later.length} are to come.`);
if (problems.length > 0) process.exitCode = 1;
