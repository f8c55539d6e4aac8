// Finds a Chromium for the browser specs, or installs one. As a program it prints the path.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'chrome.exe', 'msedge.exe'];

const wellKnown = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((folder) =>
    join(process.env[folder] ?? '', 'Google/Chrome/Application/chrome.exe'),
  ),
];

const onPath = () =>
  (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));

const installed = () => [...onPath(), ...wellKnown].find((path) => existsSync(path));

/** @param {string} command @param {string[]} args */
const succeeds = (command, args) => spawnSync(command, args, { stdio: ['ignore', 2, 2] }).status === 0;

function fromDebian() {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return undefined;
  console.error('No Chromium found; installing it from Debian…');
  return succeeds('apt-get', ['update']) && succeeds('apt-get', ['install', '-y', 'chromium']) ? installed() : undefined;
}

function fromDownload() {
  console.error('No Chromium found; downloading one…');
  const cache = fileURLToPath(new URL('../node_modules/.cache/chrome', import.meta.url));
  const cli = fileURLToPath(new URL('../cjs/main-cli.js', import.meta.resolve('@puppeteer/browsers')));
  try {
    const args = [cli, 'install', 'chrome@stable', '--path', cache, '--format', '{{path}}'];
    const path = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] }).trim();
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** @returns {string} the path of a Chromium; throws with advice when there is none to be had */
export function findChrome() {
  const { CHROME_BIN } = process.env;
  if (CHROME_BIN) {
    if (existsSync(CHROME_BIN)) return CHROME_BIN;
    throw new Error(`CHROME_BIN is ${CHROME_BIN}, but there is no such file.`);
  }
  const path = installed() ?? fromDebian() ?? fromDownload();
  if (path) return path;
  throw new Error('The browser specs need Chromium or Chrome. Install one, or set CHROME_BIN to the path of its program.');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) console.log(findChrome());
