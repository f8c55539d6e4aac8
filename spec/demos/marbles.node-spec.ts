// The marbles demo as people see it: a real page in Chromium, with real servers; and its pure parts.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { expect } from 'chai';
import { chromium, type Browser, type Page } from 'playwright-core';
import { TestScheduler } from 'rxjs/testing';
import { measureLoad } from '../../demos/marbles/load.ts';
import { belongsTo, codeOf, diagramOf } from '../../demos/marbles/page/diagram.ts';
import { FrameTimes } from '../../demos/marbles/page/frames.ts';
import { laneY } from '../../demos/marbles/page/geometry.ts';
import type { Happening, Kind, LaneId } from '../../demos/marbles/page/happening.ts';
import { History } from '../../demos/marbles/page/history.ts';
import { Lane, LANES } from '../../demos/marbles/page/lanes.ts';
import { ROWS } from '../../demos/marbles/page/requests.ts';
import { Ring } from '../../demos/marbles/page/ring.ts';
import { sampleArguments } from '../../demos/marbles/page/sample.ts';
import { parseRecording } from '../../lib/testing/recording.ts';
import { findChrome } from '../../scripts/find-chrome.js';
import { until } from '../support/outcome.ts';
import { testScheduler } from '../support/test-scheduler.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const [WORKSHOP, EVERYTHING, STDIO] = ['0', '1', '2'];

/** Of a diagram in the syntax of `TestScheduler.run`. */
const parsed = (marbles: string, values?: Readonly<Record<string, unknown>>) => testScheduler().run(() => TestScheduler.parseMarbles(marbles, values, undefined, true, true));

describe('marbles demo', function () {
  this.timeout(60_000);
  let demo: ChildProcess;
  let output = '';
  let url = '';
  let browser: Browser;
  let page: Page;
  /** What the browser complained about. */
  let complaints: string[];

  before(async () => {
    demo = spawn(process.execPath, ['--import', 'tsx', 'demos/marbles/main.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const pipe of [demo.stdout, demo.stderr]) pipe?.setEncoding('utf8').on('data', (text: string) => (output += text));
    browser = await chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] });
    [url = ''] = await until(() => /http:\S+/.exec(output) ?? undefined);
  });

  after(async () => {
    await browser.close();
    if (demo.exitCode !== null) return;
    demo.kill('SIGKILL');
    await once(demo, 'close');
  });

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
    complaints = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
  });

  afterEach(async () => {
    await page.close();
    expect(complaints).to.deep.equal([]);
  });

  async function open(query = ''): Promise<void> {
    await page.goto(url + query);
    await page.waitForSelector('[data-ready]');
  }

  async function connectTo(server: string | undefined): Promise<void> {
    await page.selectOption('#server', server ?? '');
    await page.click('#connect');
    await page.waitForSelector('#tools input');
  }

  async function call(tool: string, args?: object): Promise<void> {
    await page.check(`#tools input[value="${tool}"]`);
    if (args !== undefined) await page.fill('#args', JSON.stringify(args));
    await page.click('#call');
  }

  /** The latest call is over, and says this. */
  async function ended(): Promise<string> {
    await page.waitForSelector('#calls li:first-child.over');
    return (await page.textContent('#calls li:first-child .said')) ?? '';
  }

  /** The marks in the page, from left to right: `lane kind`. */
  async function marks(): Promise<string[]> {
    await page.waitForFunction(() => marbles.counters.drawn === marbles.counters.received);
    const found = await page.$$eval('#plot .mark', (groups) => groups.map((group) => ({ kind: /k-(\w+)/.exec(group.getAttribute('class') ?? '')?.[1], at: group.getAttribute('transform') ?? '' })));
    return found
      .map(({ kind, at }) => ({ kind, x: Number(/[\d.-]+/.exec(at)?.[0]), y: Number(/([\d.]+)\)/.exec(at)?.[1]) }))
      .sort((a, b) => a.x - b.x)
      .map(({ kind, y }) => `${LANES.find((_, index) => laneY(index) === y)?.id} ${kind}`);
  }

  /** What was asked for is drawn. */
  const frames = (): Promise<unknown> => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

  /** Zoomed in so far that marks stand for themselves. */
  const zoomTo = async (step: number): Promise<void> => page.locator('#zoom').fill(String(step));

  it('opens, connects and shows the tools', async () => {
    await open();
    expect(await page.textContent('#state')).to.equal('not connected');
    expect(await page.locator('#server option').count()).to.equal(5);
    await connectTo(WORKSHOP);
    expect(await page.textContent('#state')).to.equal('workshop · 2026-07-28');
    expect(await page.locator('#tools label').allTextContents()).to.deep.equal(['build', 'measure', 'break', 'wait']);
    expect(await page.inputValue('#args')).to.equal('{ "steps": 8, "msEach": 250 }');
  });

  it('draws a call with its progress and its result, each in its lane', async () => {
    await open();
    await connectTo(WORKSHOP);
    await zoomTo(1);
    await call('build', { steps: 3, msEach: 200 });
    expect(await ended()).to.equal('All 3 steps are done.');
    const seen = await marks();
    const row = LANES.length - ROWS + 2; // after server/discover and tools/list
    const inRow = seen.filter((mark) => mark.startsWith(`${LANES[row]?.id} `)).map((mark) => mark.split(' ')[1]);
    expect(inRow.join(' ')).to.match(/^sent (progress ){2,3}result$/); // the last progress comes with the result, mostly in its column
    expect(seen).to.include('outbound sent').and.include('inbound result').and.include('notifications notification').and.include('state state');
    expect(await page.locator('#plot .span.k-result').count()).to.equal(3);
  });

  it('tells errors, timeouts and cancellations apart, and the server hears of the last', async () => {
    await open();
    await connectTo(WORKSHOP);
    await call('break');
    expect(await ended()).to.equal('It broke.');
    await page.fill('#deadline', '0.5');
    await call('wait');
    expect(await ended()).to.equal('Request timeout after 500ms');
    await page.fill('#deadline', '30');
    const before = output.length;
    await call('build', { steps: 100, msEach: 100 });
    await page.waitForFunction(() => (document.querySelector('#calls .said')?.textContent ?? '').includes('step 2'));
    await page.click('#calls li:first-child button');
    expect(await ended()).to.equal('cancelled');
    await until(() => /call \d+ was cancelled after \d+ of 100 steps/.test(output.slice(before)));
    const endings = (await marks()).filter((mark) => /^request-\d (error|timeout|cancelled)/.test(mark)).map((mark) => mark.split(' ')[1]);
    expect(endings).to.deep.equal(['error', 'timeout', 'cancelled']);
  });

  it('refuses arguments that are no JSON object', async () => {
    await open();
    await connectTo(WORKSHOP);
    await page.fill('#args', '{"steps"');
    await page.click('#call');
    expect(await page.textContent('#args-problem')).to.equal('The arguments must be a JSON object.');
    expect(await page.locator('#calls li').count()).to.equal(0);
  });

  it('shows the message behind a mark, by pointer and by keys', async () => {
    await open();
    await connectTo(WORKSHOP);
    await call('break');
    await ended();
    await page.click('#pause');
    await frames();
    const box = await page.locator(`#plot .mark.k-error[transform$=" ${laneY(1)})"]`).boundingBox();
    const [x, y] = [box!.x + box!.width / 2, box!.y + box!.height / 2];
    await page.mouse.move(x, y);
    expect(await page.textContent('#message-title')).to.match(/^result #\d+ of #\d+ break$/);
    expect(JSON.parse((await page.textContent('#message-json')) ?? '').result.content).to.deep.equal([{ type: 'text', text: 'It broke.' }]);
    expect(await page.isVisible('#pinned')).to.equal(false);
    await page.mouse.click(x, y);
    expect(await page.isVisible('#pinned')).to.equal(true);

    await page.focus('#plot');
    for (let step = 0; step < 3; step++) await page.keyboard.press('+');
    await page.keyboard.press('ArrowUp');
    expect(await page.textContent('#message-title')).to.match(/^tools\/call #\d+$/);
    await page.keyboard.press('ArrowLeft');
    expect(await page.textContent('#message-title')).to.match(/^(tools\/list|server\/discover) #\d+$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown'); // there are no notifications
    expect(await page.textContent('#message-json')).to.include('"status"');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#pinned')).to.equal(false);
    expect(await page.textContent('#message-title')).to.equal('Nothing chosen');
  });

  it('pauses while messages go on, scrubs, and resumes', async () => {
    await open();
    await connectTo(WORKSHOP);
    const shift = () => page.getAttribute('#plot .moving', 'transform');
    const pressed = () => page.textContent('#pause');
    await page.focus('#plot');
    await page.keyboard.press('Space');
    expect(await pressed()).to.equal('Resume');
    await frames();
    const held = await shift();
    const received = await page.evaluate(() => marbles.counters.received);
    await call('measure');
    await ended();
    await page.waitForFunction((before) => marbles.counters.drawn > before, received);
    expect(await shift()).to.equal(held);
    const { min, max } = await page.$eval('#scrub', (slider) => ({ min: Number((slider as HTMLInputElement).min), max: Number((slider as HTMLInputElement).max) }));
    expect(max).to.be.greaterThan(min);
    await page.locator('#scrub').fill(String(min));
    await page.waitForFunction((before) => document.querySelector('#plot .moving')?.getAttribute('transform') !== before, held);
    expect(await pressed()).to.equal('Resume');
    await page.click('#pause');
    expect(await pressed()).to.equal('Pause');
    const live = await shift();
    await page.waitForFunction((before) => document.querySelector('#plot .moving')?.getAttribute('transform') !== before, live);
  });

  it('zooms: what falls into one column is one mark with a number', async () => {
    await open();
    await connectTo(WORKSHOP);
    await call('build', { steps: 6, msEach: 60 });
    await ended();
    await page.focus('#plot');
    for (let step = 0; step < 4; step++) await page.keyboard.press('-');
    expect(await page.textContent('#zoom-value')).to.equal('120 s');
    const numbers = () => page.locator('#plot .mark.many text').allTextContents();
    await until(async () => (await numbers()).map(Number).some((number) => number >= 4));
    for (let step = 0; step < 9; step++) await page.keyboard.press('+');
    expect(await page.textContent('#zoom-value')).to.equal('1 s');
  });

  it('writes what is in sight as a diagram that a spec can parse', async () => {
    await open();
    await connectTo(WORKSHOP);
    await call('build', { steps: 3, msEach: 50 });
    await ended();
    const exported = async (title: RegExp) => {
      const options = await page.locator('#export-lane option').allTextContents();
      await page.selectOption('#export-lane', { index: options.findIndex((option) => title.test(option)) });
      const code = await page.inputValue('#export-text');
      const [, name] = /^const (\w+)/.exec(code) ?? [];
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is code that is exported
      return new Function(`${code}; return [${name}, ${name}Values];`)() as [string, Record<string, any>];
    };
    await page.click('#export');
    const [marbles, values] = await exported(/^notifications\$/);
    const notifications = parsed(marbles, values).map(({ notification }) => (notification as any).value);
    expect(notifications.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params.progress)).to.deep.equal([1, 2, 3]);
    const [request, requestValues] = await exported(/request #\d+ build/);
    const moments = parsed(request, requestValues);
    expect(moments.map(({ notification: { kind } }) => kind).join('')).to.equal('NNNNC');
    expect(moments[0]?.frame).to.be.at.least(50);
    expect((moments.at(-2)?.notification as any).value.result.content[0].text).to.equal('All 3 steps are done.');
    await page.click('#export-close');
    expect(await page.isVisible('#export-dialog')).to.equal(false);
  });

  it('gives a recording that the testing door reads', async () => {
    await open();
    await connectTo(WORKSHOP);
    await call('measure', { what: 'abc' });
    await ended();
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    const { events } = parseRecording(readFileSync(await download.path(), 'utf8'));
    expect(events.map(({ direction, connection }) => `${direction}${connection}`)).to.deep.equal(['out1', 'in1', 'out1', 'in1', 'out1', 'in1']);
    expect(events[0]?.message).to.include({ method: 'server/discover' });
    expect(JSON.stringify(events.at(-1)?.message)).to.include('abc is 3 letters long');
  });

  it('reaches a stdio server through the bridge, again and again', async () => {
    await open();
    for (let time = 0; time < 2; time++) {
      await connectTo(STDIO);
      await call('echo', { message: `hello ${time}` });
      expect(await ended()).to.equal(`Echo: hello ${time}`);
      await page.click('#disconnect');
      await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'not connected');
    }
    expect((await marks()).filter((mark) => mark.startsWith('state'))).to.not.be.empty;
  });

  it('speaks with a server of an older revision over HTTP', async () => {
    await open();
    await connectTo(EVERYTHING);
    expect(await page.textContent('#state')).to.include('2025-11-25');
    await call('trigger-long-running-operation', { duration: 20, steps: 100 });
    await page.waitForSelector('#plot .mark.k-progress');
    await page.click('#calls li:first-child button');
    expect(await ended()).to.equal('cancelled');
    await page.waitForFunction(() => marbles.counters.drawn === marbles.counters.received);
    expect((await marks()).filter((mark) => /^request-\d cancelled/.test(mark))).to.have.length(1);
    // The browser says that the server refused the opening of the newest revision; the client then takes an older one.
    expect(complaints.splice(0)).to.have.length(1).and.satisfy(([text]: string[]) => text?.includes('status of 400'));
  });

  it('says why it cannot connect', async () => {
    await open();
    await page.selectOption('#server', 'typed');
    await page.fill('#address', 'nonsense:');
    await page.click('#connect');
    await page.waitForSelector('#state[data-status=failed]');
    await page.fill('#address', 'ws://127.0.0.1:1/');
    await page.click('#connect');
    await page.waitForFunction(() => (document.querySelector('#state')?.textContent ?? '').includes('Cannot reach ws:'));
    expect(complaints.splice(0).every((text) => text.includes('ws://127.0.0.1:1'))).to.equal(true);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no accessibility violations and fits 360 pixels, in ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await open();
      await connectTo(WORKSHOP);
      await call('break');
      await ended();
      await call('wait');
      await page.focus('#plot');
      await page.keyboard.press('ArrowRight');
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 820 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).to.equal(0);
        expect(await violations()).to.deep.equal([]);
      }
      await page.click('#export');
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).to.equal(0);
      expect(await violations()).to.deep.equal([]);
    });
  }

  it('sees violations where there are some', async () => {
    await open();
    await page.evaluate(() => document.querySelector('#scrub')?.parentElement?.replaceWith(document.createElement('input')));
    expect(await violations()).to.deep.equal(['label']);
  });

  async function violations(): Promise<string[]> {
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
      const { violations: found } = await (globalThis as any).axe.run();
      return found.map(({ id }: { id: string }) => id);
    });
  }

  it('keeps up with 1,000 notifications a second: none lost, frames steady, memory bounded', async () => {
    await open('?keep=2000');
    const { sent, counted, undrawn, idle, loaded, heapAtHalf, heapAtEnd, elements } = await measureLoad(page, { perSecond: 1_000, seconds: 8 });
    expect(sent).to.equal(8_000);
    expect(counted).to.equal(sent);
    expect(undrawn).to.equal(0);
    expect(await page.evaluate(() => marbles.counters.retained)).to.equal(2_000);
    expect(loaded.p95).to.be.at.most(4 * idle.p95);
    expect(heapAtEnd / heapAtHalf).to.be.below(1.3);
    expect(elements).to.be.below(1_000);
    expect(await page.evaluate(() => marbles.frames.count)).to.be.greaterThan(0);
  });

  it('ends with Ctrl-C, and nothing is left', async function () {
    if (process.platform === 'win32') this.skip(); // no signals there
    await open();
    const everything = await page.evaluate(async () => ((await (await fetch('/offers')).json()) as { url: string }[])[1]!.url);
    await connectTo(STDIO);
    await page.goto('about:blank');
    const closed = once(demo, 'close');
    demo.kill('SIGINT');
    const [code] = await closed;
    expect(code).to.equal(0);
    for (const address of [url, everything]) await until(() => fetch(address).then(() => false, () => true));
  });
});

describe('marbles demo, page or not', () => {
  describe('Ring', () => {
    it('keeps the latest, under their places', () => {
      const ring = new Ring<string>(3);
      for (const letter of 'abcde') ring.push(letter);
      expect([ring.first, ring.next]).to.deep.equal([2, 5]);
      expect([1, 2, 4, 5].map((place) => ring.at(place))).to.deep.equal([undefined, 'c', 'e', undefined]);
      expect([...ring.between(0, 4)]).to.deep.equal(['c', 'd']);
    });
  });

  const happening = (place: number, ms: number, lane: LaneId = 'inbound', kind: Kind = 'notification', content: object = { place }): Happening => ({ place, ms, connection: 1, direction: 'in', content: content as never, title: '', marks: [{ lane, kind }] });

  describe('Lane', () => {
    const lane = (): Lane => {
      const filled = new Lane('inbound');
      for (const [place, ms] of [0, 4, 11, 12, 35].entries()) filled.add(happening(place, ms), place === 2 ? 'error' : 'notification', 10);
      return filled;
    };

    it('puts what falls into one column into one bucket, which looks like the gravest', () => {
      const buckets = lane().between(-Infinity, Infinity);
      expect(buckets.map(({ column, count, kind }) => [column, count, kind])).to.deep.equal([[0, 2, 'notification'], [1, 2, 'error'], [3, 1, 'notification']]);
    });

    it('finds buckets by column, by place and beside each other', () => {
      const filled = lane();
      expect(filled.between(1, 2).map(({ column }) => column)).to.deep.equal([1]);
      const middle = filled.holding(3)!;
      expect(middle.column).to.equal(1);
      expect([filled.neighbour(middle, -1)?.column, filled.neighbour(middle, 1)?.column, filled.holding(9)]).to.deep.equal([0, 3, undefined]);
    });

    it('forgets buckets only when all of their marks are gone', () => {
      const filled = lane();
      filled.forgetBefore(3);
      expect(filled.between(-Infinity, Infinity).map(({ column }) => column)).to.deep.equal([1, 3]);
      expect(filled.neighbour(filled.at(0)!, -1)).to.equal(undefined);
      for (let place = 5; place < 5_000; place++) {
        filled.add(happening(place, place * 10), 'notification', 10);
        filled.forgetBefore(place - 10);
      }
      expect(filled.length).to.equal(11);
    });
  });

  describe('diagramOf', () => {
    const of = (...moments: number[]) => diagramOf(moments.map((ms, place) => happening(place, ms)), { lane: 'inbound' });

    it('counts a frame a millisecond', () => {
      const diagram = of(100, 101, 103, 153, 153, 200);
      expect(diagram.marbles).to.equal('ab-c 49ms (de) 43ms f');
      expect(parsed(diagram.marbles).map(({ frame }) => frame)).to.deep.equal([0, 1, 3, 53, 53, 100]);
      expect(diagram.movedMs).to.equal(0);
    });

    it('tells how far marks were moved, as a group takes the frames of its letters', () => {
      const diagram = of(0, 0, 2);
      expect(diagram.marbles).to.equal('(ab)c');
      expect(diagram.movedMs).to.equal(2);
    });

    it('has a letter for each value, and one for equal ones', () => {
      const same = [0, 10, 20].map((ms, place) => happening(place, ms, 'inbound', 'notification', { n: place % 2 }));
      const { marbles, values } = diagramOf(same, { lane: 'inbound' });
      expect([marbles, values]).to.deep.equal(['a 9ms b 9ms a', { a: { n: 0 }, b: { n: 1 } }]);
      const many = of(...Array.from({ length: 400 }, (_, n) => n * 2));
      expect(parsed(many.marbles, many.values).map(({ notification }) => (notification as any).value.place)).to.deep.equal(Array.from({ length: 400 }, (_, n) => n));
    });

    it('is empty where nothing is', () => {
      expect(codeOf(of(), 'x')).to.equal("const x = '';\nconst xValues = {\n};\n");
    });
  });

  describe('History', () => {
    const record = (direction: 'in' | 'out', message: object, time: number) => ({ direction, message: message as never, time, server: undefined });
    const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 't' } });

    it('follows a request from its row to its end, once', () => {
      const history = new History(10, 1_000, () => undefined);
      history.message(record('out', request(1), 1_000));
      history.message(record('out', request(2), 1_001));
      history.message(record('in', { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 2, progress: 1 } }, 1_002));
      history.message(record('out', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }, 1_003));
      history.ended(2, 'cancelled', '', 1_004);
      history.message(record('in', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, 1_005));
      const rows = [...history.ring.between(0, 9)].map(({ ms, marks }) => [ms, ...marks.map(({ lane, kind }) => `${lane} ${kind}`)]);
      expect(rows).to.deep.equal([
        [0, 'outbound sent', 'request-0 sent'],
        [1, 'outbound sent', 'request-1 sent'],
        [2, 'inbound notification', 'notifications notification', 'request-1 progress'],
        [3, 'outbound sent', 'request-1 cancelled'],
        [5, 'inbound error', 'request-0 error'],
      ]);
      expect(history.requests.openCount).to.equal(0);
      expect(belongsTo({ request: history.requests.all[1]! })(history.ring.at(2)!)).to.equal(true);
    });

    it('never goes back in time, and ends what is open with the connection', () => {
      const history = new History(10, 1_000, () => undefined);
      history.message(record('out', request(1), 1_010));
      history.state({ status: 'closed' }, 1_005);
      const rows = [...history.ring.between(0, 9)].map(({ ms, title }) => `${ms} ${title}`);
      expect(rows).to.deep.equal(['10 tools/call #1', '10 closed', '10 cancelled: #1 t']);
    });

    it('gives a new request the row that was free longest', () => {
      const history = new History(100, 0, () => undefined);
      for (let id = 1; id <= ROWS; id++) history.message(record('out', request(id), id));
      for (const id of [2, 1]) history.message(record('in', { jsonrpc: '2.0', id, result: {} }, 10 + ROWS - id));
      for (const id of [11, 12, 13]) history.message(record('out', request(id), 20));
      expect(history.requests.all.slice(-3).map(({ lane }) => lane)).to.deep.equal(['request-1', 'request-0', 'request-2']);
    });
  });

  it('uses the library through its doors only', () => {
    const folder = new URL('../../demos/marbles/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const imports = files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').match(/(?<=')[^']*\/lib\/[^']*(?=')/g) ?? []);
    expect([...new Set(imports)].sort()).to.deep.equal(['../../../lib/index.ts', '../../lib/node.ts']);
  });

  it('FrameTimes tells percentiles', () => {
    const frames = new FrameTimes();
    let at = 0;
    for (let n = 0; n <= 100; n++) frames.tick((at += n === 50 ? 90 : 10));
    expect(frames.figures()).to.deep.equal({ count: 100, p50: 10, p95: 10, p99: 90, max: 90 });
    frames.reset();
    expect(frames.figures().count).to.equal(0);
  });

  it('sampleArguments takes defaults, and what is required', () => {
    const properties = { a: { type: 'number' }, b: { type: 'string' }, c: { enum: ['x', 'y'] }, d: { default: 4 }, e: { type: 'array' } };
    expect(sampleArguments({ type: 'object', properties, required: ['a', 'c', 'e'] })).to.deep.equal({ a: 1, c: 'x', d: 4, e: [] });
  });
});
