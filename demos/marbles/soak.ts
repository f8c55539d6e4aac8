// `npm run demo:marbles:soak`: a minute of 1,000 notifications a second into the page, and what that did to it. With
// `-- --seconds 600 --per-second 2000` other figures.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { concatMap, take } from 'rxjs';
import { findChrome } from '../../scripts/find-chrome.js';
import { measureLoad, type LoadFigures } from './load.ts';
import { serveDemo } from './serve-demo.ts';

const { seconds = '60', 'per-second': perSecond = '1000' } = parseArgs({ options: { seconds: { type: 'string' }, 'per-second': { type: 'string' } } }).values;
/** Fewer than come in half of the time: then the heap is as full half-way as it will be. */
const KEEP = 5_000;

serveDemo(0, () => undefined)
  .pipe(concatMap(soak), take(1))
  .subscribe((figures) => {
    print(figures);
    if (figures.sent !== figures.counted || figures.undrawn > 0) process.exitCode = 1;
  });

async function soak(url: string): Promise<LoadFigures> {
  const browser = await chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${url}?keep=${KEEP}`);
    await page.waitForSelector('[data-ready]');
    return await measureLoad(page, { seconds: Number(seconds), perSecond: Number(perSecond) });
  } finally {
    await browser.close();
  }
}

function print({ sent, counted, undrawn, idle, loaded, heapAtHalf, heapAtEnd, elements }: LoadFigures): void {
  const MB = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`${sent} notifications sent, ${counted} counted by the page, ${undrawn} not drawn; ${elements} marks in the page at the end`);
  console.table({ idle, loaded });
  console.log(`heap after garbage collection: ${MB(heapAtHalf)} half-way, ${MB(heapAtEnd)} at the end`);
}
