// Makes the demo ready: installs what it needs, copies the library into it as npm would, and builds. What is there and
// still good is left alone.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const modules = join(here, 'node_modules');

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  const shell = process.platform === 'win32' && command === 'npm';
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/** @param {string} path @returns {number} when something in it was changed last */
function changedAt(path) {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

/**
 * Does a step again when one of its sources is newer than its last time.
 * @param {string} name @param {string[]} sources @param {() => void} work
 */
function step(name, sources, work) {
  const stamp = join(modules, `.cache/${name}.stamp`);
  const newest = Math.max(...sources.map(changedAt));
  if (existsSync(stamp) && Number(readFileSync(stamp, 'utf8')) >= newest) return;
  work();
  mkdirSync(join(modules, '.cache'), { recursive: true });
  writeFileSync(stamp, String(newest));
}

/** @param {'workbench' | 'core-only'} project @returns {string} the folder of what `ng build` wrote */
export function prepare(project) {
  if (!existsSync(join(modules, '.package-lock.json')) || !existsSync(join(modules, '@angular/build'))) {
    console.error('Installing what the demo needs…');
    run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  }
  const library = [join(root, 'lib'), join(root, 'package.json')];
  step('library', library, () => {
    run(process.execPath, join(root, 'scripts/build.js'), join(modules, 'rxjs-mcp/dist'));
    cpSync(join(root, 'package.json'), join(modules, 'rxjs-mcp/package.json'));
  });
  step(project, [...library, join(here, 'src'), join(here, 'angular.json'), join(here, 'tsconfig.json')], () => {
    run(process.execPath, join(modules, '@angular/cli/bin/ng.js'), 'build', project, '--progress=false');
  });
  return join(here, 'dist', project, 'browser');
}
