import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** The program of the page, as one script. */
export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path('page/app.ts')],
    conditions: ['es2015'], // RxJS without the helpers of its ES5 code
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    sourcemap: 'inline',
    ignoreAnnotations: true, // package.json says that no file has side effects; a page is nothing else
    tsconfig: path('../../spec/tsconfig.json'),
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}
