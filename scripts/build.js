// `npm run build`: dist/ as users get it. tsc writes the declarations; the code of each door is bundled, with what several of
// them share in chunks, since Node takes longer to find two hundred modules than to run them. What is loaded on demand stays so.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = resolve(root, process.argv[2] ?? 'dist'); // a demo keeps a copy of its own
rmSync(outdir, { recursive: true, force: true });

const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.json', '--emitDeclarationOnly', '--outDir', outdir], { cwd: root, stdio: 'inherit' });

/** @type {{ exports: Record<string, string | { default: string }> }} */
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const doors = Object.values(exports).flatMap((door) => (typeof door === 'object' ? door.default.replace('./dist/', 'lib/').replace(/\.js$/, '.ts') : []));

await build({
  absWorkingDir: root,
  entryPoints: doors,
  outbase: 'lib',
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  packages: 'external',
  external: ['node:*'],
  target: 'es2022',
  sourcemap: true,
  logLevel: 'warning',
});
process.exitCode = status ?? 1;
