// `npm run types`: type-checks every part of the repository under its own rules.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The rooms that must stay free of DOM and Node types come first: their errors name the rule best. */
const projects = ['lib/wire', 'lib/session', '.', 'spec', 'demos/testing'];

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));

/** @param {string} project @returns {Promise<number>} */
const check = (project) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [tsc, '--noEmit', '--pretty', '-p', project], { cwd: root, stdio: 'inherit' });
    child.on('exit', (code) => resolve(code ?? 1));
  });

const codes = await Promise.all(projects.map(check));
const failed = projects.filter((_, index) => codes[index] !== 0);
if (failed.length > 0) {
  console.error(`Type errors in: ${failed.join(', ')}`);
  process.exitCode = 1;
}
