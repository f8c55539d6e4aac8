// `npm run size`: how much a page downloads that connects over HTTP and calls a tool, everything included.
// RxJS offers bundlers its ES2015 code under the condition `es2015` (Angular's build asks for it by itself) and its ES5
// code, with the helpers that takes, by default. Both are printed; evergreen browsers need the first, which has the limit.
import { fileURLToPath } from 'node:url';
import { pageBundle } from './page-bundle.js';

const limit = 24_700;

const entry = fileURLToPath(new URL('size-entry.ts', import.meta.url));

/** @param {string} path */
function ownerOf(path) {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? path.split('/').slice(0, 2).join('/');
}

/** @param {number} bytes */
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

const modern = await pageBundle(entry, ['es2015']);
const es5 = await pageBundle(entry, []);

/** @type {Record<string, number>} */
const parts = {};
for (const [path, { bytesInOutput }] of Object.entries(modern.inputs)) {
  const owner = ownerOf(path);
  parts[owner] = (parts[owner] ?? 0) + bytesInOutput;
}
const rows = Object.entries(parts).sort(([, a], [, b]) => b - a);
for (const [owner, part] of rows) console.log(`${owner.padEnd(24)} ${kB(part).padStart(9)} minified`);
console.log(`${'all'.padEnd(24)} ${kB(modern.minified).padStart(9)} minified, ${kB(modern.gzipped)} gzipped (limit ${kB(limit)})`);
console.log(`${'with RxJS as ES5'.padEnd(24)} ${kB(es5.minified).padStart(9)} minified, ${kB(es5.gzipped)} gzipped`);
if (modern.gzipped > limit) {
  console.error('Too large.');
  process.exitCode = 1;
}
