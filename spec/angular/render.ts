// Renders the page on the server. As a program, for zone.js, which patches all of a process: `tsx render.ts OPTIONS`
// does so twice, prints what came of the second time as JSON, and ends when nothing is left.
import { fileURLToPath } from 'node:url';
import { makePage, type PageOptions } from './page.ts';

export interface Rendered {
  readonly html: string;
  /** How long it took until the page was stable and written, in milliseconds. */
  readonly ms: number;
}

/** @param script - Of the page, in the browser. */
export async function render(options: PageOptions, script = ''): Promise<Rendered> {
  const zone = 'zone.js/node'; // has no types
  if (options.mode === 'zone') await import(zone);
  await import('@angular/compiler');
  const { bootstrapApplication } = await import('@angular/platform-browser');
  const { provideServerRendering, renderApplication } = await import('@angular/platform-server');
  const { page, config } = await makePage(options, provideServerRendering());
  const started = performance.now();
  const document = `<html><head></head><body><app-root></app-root>${script}</body></html>`;
  const html = await renderApplication((context) => bootstrapApplication(page, config, context), { document, url: '/' });
  return { html, ms: performance.now() - started };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = JSON.parse(process.argv[2] ?? '{}') as PageOptions;
  await render(options);
  process.stdout.write(JSON.stringify(await render(options)));
}
