// `npm run conformance`: the public conformance suite, one scenario at a time and strictly: the runner exits with 0, and at
// least one check succeeded. `-- --only NAME` runs one scenario, at all its revisions, and shows what the runner printed.
// The suite and its scenarios need Node 22 or later; on an older one, Node 24 is installed into a cache below node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

/** @typedef {{ scenario: string, revision: string | null }} Run a revision of null leaves the choice to the suite */

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'spec/conformance');
const cache = join(root, 'node_modules/.cache');
const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** @returns {string} the path of a Node that can run the suite, relative to the root */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const prefix = join(cache, 'node24');
  const path = join(prefix, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(path)) {
    console.error(`Installing Node 24 for the suite (this is ${process.version})…`);
    mkdirSync(prefix, { recursive: true });
    const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--prefix', prefix, `${name}@24`];
    const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
    if (status !== 0 || !existsSync(path)) fail('Node 24 could not be installed.');
  }
  return relative(root, path);
}

/** @returns {Promise<string>} the path of the test client, as one file of JavaScript, relative to the root */
async function bundleClient() {
  const entry = join(folder, 'client.ts');
  if (!existsSync(entry)) fail('There is no test client: spec/conformance/client.ts is missing.');
  const outfile = join(cache, 'conformance/client.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
    // Some dependencies are CommonJS and ask for Node's modules.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  return relative(root, outfile);
}

/**
 * @param {string} node @param {string} client @param {Run} run
 * @returns {{ passed: boolean, reason: string, output: string }}
 */
function execute(node, client, { scenario, revision }) {
  const results = join(cache, 'conformance/results');
  rmSync(results, { recursive: true, force: true });
  const args = [
    ...[join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), 'client', '--command', `${node} ${client}`],
    ...['--scenario', scenario, '--force', '-o', results],
    ...(revision === null ? [] : ['--spec-version', revision]),
  ];
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: root, encoding: 'utf8', timeout: 60_000 });
  const files = existsSync(results) ? readdirSync(results, { recursive: true, encoding: 'utf8' }) : [];
  /** @param {string} name */
  const result = (name) => {
    const file = files.find((path) => path.endsWith(name));
    return file === undefined ? '' : readFileSync(join(results, file), 'utf8');
  };
  /** @type {{ id: string, status: string }[]} */
  const checks = JSON.parse(result('checks.json') || '[]');
  const output = [stdout, stderr, '--- the client:', result('stdout.txt'), result('stderr.txt')].join('\n');
  const failed = checks.filter((check) => check.status === 'FAILURE').map(({ id }) => id);
  const succeeded = checks.some((check) => check.status === 'SUCCESS');
  if (status !== 0) return { passed: false, reason: failed.join(', ') || `the runner exited with ${status}`, output };
  return { passed: succeeded, reason: succeeded ? '' : 'no check succeeded', output };
}

/** @param {Run} run */
const nameOf = ({ scenario, revision }) => (revision === null ? scenario : `${scenario} @ ${revision}`);

/** @type {Record<string, (string | null)[]>} */
const scenarios = read('scenarios.json');
/** @type {string[]} */
const notYet = read('not-yet.json');

/** @type {Run[]} */
const runs = Object.entries(scenarios)
  .filter(([scenario]) => only === undefined || scenario === only)
  .flatMap(([scenario, revisions]) => revisions.map((revision) => ({ scenario, revision })));
if (runs.length === 0) fail(`There is no scenario ${only}.`);

const client = await bundleClient();
const node = findNode();

let passes = 0;
/** @type {string[]} */
const problems = [];
for (const run of runs) {
  const name = nameOf(run);
  const { passed, reason, output } = execute(node, client, run);
  const expected = !notYet.includes(name);
  if (passed) passes++;
  if (passed && !expected) problems.push(`${name} passes: take it off not-yet.json`);
  if (!passed && expected) problems.push(`${name} fails: ${reason}`);
  console.log(`${passed ? 'pass' : expected ? 'FAIL' : 'not yet'}`.padEnd(8) + name.padEnd(56) + reason);
  if (only !== undefined) console.log(output);
}
const known = new Set(Object.entries(scenarios).flatMap(([scenario, revisions]) => revisions.map((revision) => nameOf({ scenario, revision }))));
for (const name of notYet) if (!known.has(name)) problems.push(`${name} in not-yet.json is no scenario`);

for (const problem of problems) console.error(problem);
console.log(`${passes} of ${runs.length}`);
if (problems.length > 0) process.exitCode = 1;
