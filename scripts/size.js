// `npm run size`: how much a page downloads that connects over HTTP and calls a tool, everything included.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const limit = 20_000;

const { outputFiles, metafile } = await build({
  entryPoints: [fileURLToPath(new URL('size-entry.ts', import.meta.url))],
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  write: false,
  metafile: true,
  outfile: 'size.js',
  logLevel: 'warning',
});

/** @param {string} path */
function ownerOf(path) {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? path.split('/').slice(0, 2).join('/');
}

/** @type {Record<string, number>} */
const parts = {};
const [output] = Object.values(metafile.outputs);
for (const [path, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
  const owner = ownerOf(path);
  parts[owner] = (parts[owner] ?? 0) + bytesInOutput;
}

/** @param {number} bytes */
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

const bytes = outputFiles[0]?.contents ?? new Uint8Array();
const size = gzipSync(bytes, { level: 9 }).length;

const rows = Object.entries(parts).sort(([, a], [, b]) => b - a);
for (const [owner, part] of rows) console.log(`${owner.padEnd(24)} ${kB(part).padStart(9)} minified`);
console.log(`${'all'.padEnd(24)} ${kB(bytes.length).padStart(9)} minified, ${kB(size)} gzipped (limit ${kB(limit)})`);
if (size > limit) {
  console.error('Too large.');
  process.exitCode = 1;
}
