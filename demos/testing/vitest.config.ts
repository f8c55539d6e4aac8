import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const lib = (door: string): string => fileURLToPath(new URL(`../../lib/${door}.ts`, import.meta.url));

export default defineConfig({
  cacheDir: '../../node_modules/.cache/vitest',
  test: { include: ['*.vitest.ts'] },
  // Here the package is its own sources; a project of yours needs none of this.
  resolve: { alias: [{ find: /^rxjs-mcp$/, replacement: lib('index') }, { find: /^rxjs-mcp\/testing$/, replacement: lib('testing') }] },
});
