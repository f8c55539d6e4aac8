// Renders the page on the server: `tsx render.ts OPTIONS SCRIPT` does so twice, prints what came of the second time as JSON,
// and ends when nothing is left. A program, since zone.js and Angular's own DOM change what is global in a process.
import { makePage, type PageOptions } from './page.ts';

export interface Rendered {
  readonly html: string;
  /** How long it took until the page was stable and written, in milliseconds. */
  readonly ms: number;
}

/** @param script - Of the page, in the browser. */
async function render(options: PageOptions, script: string): Promise<Rendered> {
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

const options = JSON.parse(process.argv[2] ?? '{}') as PageOptions;
const script = process.argv[3] ?? '';
await render(options, script);
process.stdout.write(JSON.stringify(await render(options, script)));
