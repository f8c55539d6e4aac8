// Runs every `x-spec.ts` in headless Chromium; `x.node-spec.ts` is for Node only.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findChrome } from './scripts/find-chrome.js';
import { startFixtures } from './spec/support/servers/start.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** Bundles all specs into one file. @returns {Promise<string>} its path */
async function bundleSpecs() {
  const specs = readdirSync(join(root, 'spec'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-spec.ts') && !file.endsWith('.node-spec.ts'))
    .sort();
  const outfile = join(root, 'node_modules/.cache/karma/specs.js');
  await build({
    stdin: {
      contents: ['support/browser-setup.ts', ...specs].map((file) => `import './${file.replaceAll('\\', '/')}';`).join('\n'),
      resolveDir: join(root, 'spec'),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    sourcemap: true,
    ignoreAnnotations: true, // package.json says that no file has side effects; specs are nothing else
    tsconfig: join(root, 'spec/tsconfig.json'),
    external: ['*/shared-servers.ts'], // imported in Node only
    logLevel: 'warning',
  });
  return outfile;
}

/** Lets Karma name the lines of the specs, not of the bundle. */
const sourceMaps = {
  'preprocessor:source-map': ['factory', createSourceMaps],
};

function createSourceMaps() {
  return (/** @type {string} */ content, /** @type {any} */ file, /** @type {(content: string) => void} */ done) => {
    file.sourceMap = JSON.parse(readFileSync(`${file.originalPath}.map`, 'utf8'));
    done(content);
  };
}

/** @param {{ set: (options: object) => void }} config Karma's */
export default async function configure(config) {
  process.env.CHROME_BIN = findChrome();
  const [specs, { urls }] = await Promise.all([bundleSpecs(), startFixtures()]); // The fixtures end with this process.

  config.set({
    basePath: root,
    frameworks: ['mocha'],
    plugins: [require('karma-mocha'), require('karma-chrome-launcher'), sourceMaps],
    files: [{ pattern: specs, type: 'module' }],
    preprocessors: { [specs]: ['source-map'] },
    client: { mocha: { timeout: 10_000 }, fixtures: urls },
    listenAddress: '127.0.0.1',
    hostname: '127.0.0.1',
    browsers: ['HeadlessChromium'],
    customLaunchers: {
      HeadlessChromium: {
        base: 'ChromeHeadless',
        flags: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
        ],
      },
    },
    reporters: ['dots'],
    singleRun: true,
    autoWatch: false,
    failOnEmptyTestSuite: true,
    browserNoActivityTimeout: 60_000,
  });
}
