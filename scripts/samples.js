// `npm run test:samples`: runs the specs of demos/testing with Jasmine and with Vitest, as users do.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const runs = [
  ['--import=tsx/esm', path('node_modules/jasmine/bin/jasmine.js'), '--config=jasmine.json'],
  [path('node_modules/vitest/vitest.mjs'), 'run'],
];
for (const args of runs) {
  const { status } = spawnSync(process.execPath, args, { cwd: path('demos/testing'), stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
