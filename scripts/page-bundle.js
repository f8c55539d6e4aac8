// A page as a bundler makes it, everything included: for the sizes in `npm run size` and in the benchmark.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * @param {string} entry a file
 * @param {string[]} conditions which of the builds that packages offer: RxJS has its ES2015 code under `es2015`, its ES5 code, with the helpers that takes, by default
 */
export async function pageBundle(entry, conditions) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    conditions,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    outfile: 'page.js',
    logLevel: 'warning',
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  const [output] = Object.values(metafile.outputs);
  return { inputs: output?.inputs ?? {}, minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length };
}
