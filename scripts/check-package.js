// `npm run check:package`: builds, and looks at the package as its users get it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  console.log(`> ${command} ${args.join(' ')}`);
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}

/** Bundles an import of one of our doors, by its public name. @param {string} door @param {'browser' | 'node'} platform */
const bundle = (door, platform) =>
  build({
    stdin: { contents: `import * as all from '${door}'; console.log(all);`, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform,
    logLevel: 'silent',
    absWorkingDir: root,
  }).then(
    () => '',
    (/** @type {Error} */ error) => error.message,
  );

run('npm', 'run', 'build');
run(join(root, 'node_modules/.bin/publint'), '--strict');
run(join(root, 'node_modules/.bin/attw'), '--pack', '--profile', 'esm-only');

const failures = [
  [await bundle('rxjs-mcp', 'browser'), ''],
  [await bundle('rxjs-mcp/node', 'node'), ''],
  [await bundle('rxjs-mcp/testing', 'browser'), ''],
  [await bundle('rxjs-mcp/angular', 'browser'), ''],
  [await bundle('rxjs-mcp/node', 'browser'), 'Could not resolve "rxjs-mcp/node"'], // the Node door is closed to browsers
].filter(([actual = '', expected = '']) => (expected === '' ? actual !== '' : !actual.includes(expected)));
for (const [actual] of failures) console.error(actual === '' ? 'A browser bundle can import rxjs-mcp/node.' : actual);
if (failures.length > 0) process.exitCode = 1;
else console.log('The doors resolve where they should, and only there.');
