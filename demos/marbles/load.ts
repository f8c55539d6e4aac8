import type { CDPSession, Page } from 'playwright-core';
import type { FrameFigures } from './page/frames.ts';
import type {} from './page/handle.ts';

export interface Load {
  readonly perSecond: number;
  readonly seconds: number;
}

/** What a page measured of itself under load. */
export interface LoadFigures {
  /** Notifications that the server sent, and that the page counted and drew. */
  readonly sent: number;
  readonly counted: number;
  readonly undrawn: number;
  /** Frame times of the connected page while nothing comes, and under load. */
  readonly idle: FrameFigures;
  readonly loaded: FrameFigures;
  /** JavaScript heap after garbage collection, in bytes: half-way and at the end. */
  readonly heapAtHalf: number;
  readonly heapAtEnd: number;
  /** Marks in the page at the end. */
  readonly elements: number;
}

/** How long the idle page is looked at, in frames. */
const IDLE_FRAMES = 120;

/** Has the firehose pour into a page of the demo that is open, and looks at what that does to it. */
export async function measureLoad(page: Page, { perSecond, seconds }: Load): Promise<LoadFigures> {
  const waitMs = seconds * 2_000 + 30_000;
  await page.selectOption('#server', { label: 'Firehose (1,000 notifications a second, HTTP)' });
  await page.click('#connect');
  await page.waitForSelector('#tools input[value=pour]');
  const cdp = await page.context().newCDPSession(page);

  await page.evaluate(() => marbles.reset());
  await page.waitForFunction((frames) => marbles.frames.count >= frames, IDLE_FRAMES, { timeout: waitMs });
  const idle = await page.evaluate(() => marbles.frames);

  const [sentBefore, countedBefore] = [await sent(page), await counted(page)];
  await page.fill('#args', JSON.stringify({ perSecond, seconds }));
  await page.evaluate(() => marbles.reset());
  await page.click('#call');
  await page.waitForFunction((half) => marbles.counters.notifications >= half, countedBefore + (perSecond * seconds) / 2, { timeout: waitMs, polling: 100 });
  const heapAtHalf = await heap(cdp);
  await page.waitForSelector('#calls li:first-child.over', { timeout: waitMs });
  const loaded = await page.evaluate(() => marbles.frames);
  const heapAtEnd = await heap(cdp);
  const [sentAfter, countedAfter] = [await sent(page), await counted(page)];
  await page.waitForFunction(() => marbles.counters.drawn === marbles.counters.received, undefined, { timeout: waitMs });
  const { received, drawn, elements } = await page.evaluate(() => marbles.counters);
  await cdp.detach();
  return { sent: sentAfter - sentBefore, counted: countedAfter - countedBefore, undrawn: received - drawn, idle, loaded, heapAtHalf, heapAtEnd, elements };
}

const sent = (page: Page): Promise<number> => page.evaluate(async () => (await (await fetch('/firehose/sent')).json()) as number);

const counted = (page: Page): Promise<number> => page.evaluate(() => marbles.counters.notifications);

async function heap(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize;
}
