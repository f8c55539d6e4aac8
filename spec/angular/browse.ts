// The page in the browser, bundled by a spec. It tells on `window` when the application became stable.
import { makePage, type PageOptions } from './page.ts';

const host = globalThis as unknown as { options: PageOptions; stableAfter?: number };

/** No `await` outside of a function: for zone.js all of them are made into generators. */
async function browse(): Promise<void> {
  if (host.options.mode === 'zone') await import('zone.js');
  await import('@angular/compiler');
  const { bootstrapApplication } = await import('@angular/platform-browser');
  const { page, config } = await makePage(host.options);
  const started = performance.now();
  const app = await bootstrapApplication(page, config);
  await app.whenStable();
  host.stableAfter = performance.now() - started;
}

void browse();
