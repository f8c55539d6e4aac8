// `npm run mutants`: breaks the library in the ways that spec/mutants.json lists, one at a time and in a copy, and expects a
// spec to notice each. An entry is { "name", "file", "search", "replace", "spec" [, "grep"] }; `search` must occur exactly once.
// `npm run mutants -- TEXT` runs those whose name or file holds TEXT.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ name: string, file: string, search: string, replace: string, spec: string | string[], grep?: string }} Mutant */

const root = fileURLToPath(new URL('..', import.meta.url));
const [filter = ''] = process.argv.slice(2);

/** @type {Mutant[]} */
const all = JSON.parse(readFileSync(join(root, 'spec/mutants.json'), 'utf8'));
const mutants = all.filter(({ name, file }) => name.includes(filter) || file.includes(filter));

const copy = realpathSync(mkdtempSync(join(tmpdir(), 'rxjs-mcp-mutants-')));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
for (const path of ['lib', 'spec', 'package.json', 'tsconfig.json', '.mocharc.json', 'eslint.config.js']) {
  cpSync(join(root, path), join(copy, path), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');

/** @param {Pick<Mutant, 'spec' | 'grep'>} mutant @returns {{ verdict: 'green' | 'red' | 'hangs' | 'broken', output: string }} */
function runSpecs({ spec, grep }) {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const args = [mocha, '--bail', '--no-color', ...(grep === undefined ? [] : ['--grep', grep]), ...[spec].flat()];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout: 120_000, killSignal: 'SIGKILL' });
  const output = stdout + stderr;
  if (error) return { verdict: 'hangs', output };
  if (status === 0) return { verdict: /^ +[1-9]\d* passing/m.test(output) ? 'green' : 'broken', output };
  return { verdict: /^ +\d+ failing/m.test(output) ? 'red' : 'broken', output };
}

/** @param {Mutant} mutant @returns {string} what went wrong; empty when the mutant was noticed */
function judge(mutant) {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, 'utf8');
  const places = source.split(mutant.search).length - 1;
  if (places !== 1) return `stale: its text occurs ${places} times`;
  writeFileSync(path, source.replace(mutant.search, () => mutant.replace));
  const { verdict, output } = runSpecs(mutant);
  writeFileSync(path, source);
  if (verdict === 'green') return 'survived';
  return verdict === 'broken' ? `no spec ran:\n${output}` : '';
}

// The specs must be green without mutants, or the red says nothing.
for (const spec of new Set(mutants.flatMap(({ spec }) => spec))) {
  const { verdict, output } = runSpecs({ spec });
  if (verdict === 'green') continue;
  console.error(`${spec} fails without any mutant:\n${output}`);
  process.exit(1);
}

let noticed = 0;
for (const mutant of mutants) {
  const fault = judge(mutant);
  console.log(`${fault === '' ? 'noticed ' : 'MISSED  '} ${mutant.file}: ${mutant.name}${fault === '' ? '' : ` (${fault})`}`);
  if (fault === '') noticed++;
}
console.log(`${noticed} of ${mutants.length} mutants noticed`);
if (noticed < mutants.length || mutants.length === 0) process.exitCode = 1;
