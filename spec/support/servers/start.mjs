// Starts the HTTP fixtures in a process of their own, for Mocha as for Karma.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * The URLs of the MCP endpoints; `webSocket` and `bridge` are the roots of what is in the files of these names, `raw` is the root of the scenarios, `<raw>/NAME?run=ID`.
 * @typedef {{ everything: string, everythingSse: string, legacy: string, modern: string, dual: string, inquiring: string, skills: string, webSocket: string, bridge: string, raw: string }} FixtureUrls
 */

/**
 * @param {(keyof FixtureUrls)[]} [only] all fixtures when left out; the URLs of the others are then missing
 * @returns {Promise<{ urls: FixtureUrls, pid: number, stop: () => Promise<void> }>} `stop` kills the process
 */
export async function startFixtures(only = []) {
  const host = fileURLToPath(new URL('host.mjs', import.meta.url));
  const child = fork(host, only, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk) => (errors = (errors + chunk).slice(-4096)));
  const exited = /** @type {Promise<void>} */ (new Promise((resolve) => void child.once('exit', () => resolve())));

  /** @type {FixtureUrls} */
  const urls = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(/** @type {FixtureUrls} */ (message)));
    child.once('exit', (code) => reject(new Error(`The fixture servers exited with ${code}: ${errors}`)));
    child.once('error', reject);
  });
  return {
    urls,
    pid: /** @type {number} */ (child.pid),
    stop() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}
