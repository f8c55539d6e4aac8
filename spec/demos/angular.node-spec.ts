// The workbench as people use it: built by `ng build`, over real servers, in Chromium.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { prepare } from '../../demos/angular/prepare.js';
import { startDemo, type Demo } from '../../demos/angular/start-demo.ts';
import { findChrome } from '../../scripts/find-chrome.js';
import { exempt } from '../support/leaks.ts';
import { until } from '../support/outcome.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describe('angular demo', function () {
  this.timeout(60_000);

  let demo: Demo;
  let browser: Browser;

  before(async function () {
    this.timeout(240_000); // installs what the demo needs, on a fresh clone
    const folder = prepare('workbench');
    [demo, browser] = await exempt(() => Promise.all([startDemo(folder), chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] })]));
  });

  after(async () => {
    await browser.close();
    await demo.stop();
  });

  describe('in the page', () => {
    let page: Page;
    const complaints: string[] = [];

    beforeEach(async () => {
      complaints.length = 0;
      page = await exempt(() => browser.newPage({ viewport: { width: 1280, height: 900 } }));
      page.setDefaultTimeout(10_000);
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (message) => {
        // Chromium itself reports answers such as those of a legacy server to the question whether it is modern.
        const isAnswer = /status of 40[045]/.test(message.text()) && message.location().url.endsWith('/mcp');
        if (message.type() === 'error' && !isAnswer) complaints.push(`${message.text()} ${message.location().url}`);
      });
      await page.goto(demo.url);
      await tool('count').waitFor();
    });

    afterEach(async () => {
      await page.close();
      await until(() => demo.bridge.connections.length === 0); // their processes have ended
    });

    const tool = (name: string): Locator => page.locator(`[data-tool="workshop__${name}"]`);
    const server = (name: string): Locator => page.locator(`[data-server="${name}"]`);
    const card = (name: string): Locator => page.getByRole('group', { name: `Call ${name}` });
    const readyServers = () => page.locator('[data-server] [data-tone="good"]').count();
    const click = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

    async function call(name: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
      await tool(name).click();
      await page.locator(`[data-tool="workshop__${name}"][aria-pressed="true"]`).waitFor(); // with a form of its own
      for (const [field, value] of Object.entries(values)) await page.locator(`#call-${field}`).fill(value);
      await click('Call');
    }

    it('shows the tools of all servers, over HTTP and over stdio by the bridge, and finds one', async () => {
      await until(async () => (await readyServers()) === 3);
      expect(await page.getByRole('heading', { level: 3 }).allTextContents()).to.deep.equal(['everything', 'stdio', 'workshop']);
      await page.getByRole('searchbox').fill('coffee');
      expect(await page.locator('[data-tool]').allTextContents()).to.deep.equal(['Order a coffee']);
      expect(complaints).to.deep.equal([]);
    });

    it('calls a tool of every server', async () => {
      await until(async () => (await readyServers()) === 3);
      for (const name of ['everything', 'stdio']) {
        await page.locator(`[data-tool="${name}__echo"]`).click();
        await page.locator(`[data-tool="${name}__echo"][aria-pressed="true"]`).waitFor(); // with a form of its own
        await page.locator('#call-message').fill(`hello ${name}`);
        await click('Call');
        await page.getByText(`Echo: hello ${name}`).waitFor();
      }
      expect(complaints).to.deep.equal([]);
    });

    it('shows progress as it moves, what the server logs, and the result', async () => {
      await call('count', { to: '6', msEach: '60' });
      const bar = card('count').getByRole('progressbar');
      await bar.waitFor();
      const seen = new Set<number>();
      await until(async () => {
        if (await bar.isVisible()) seen.add(Number(await bar.getAttribute('value')) || (await bar.evaluate((element: HTMLProgressElement) => element.value)));
        return (await card('count').getAttribute('data-phase')) === 'done';
      });
      expect(seen.size).to.be.above(1);
      expect(await card('count').locator('pre').textContent()).to.equal('Counted to 6.');
      await page.getByText('counted to 5').waitFor();
      expect(complaints).to.deep.equal([]);
    });

    it('cancels a call, and the server is told', async () => {
      const { cancelled } = demo.workshop.noticed;
      await call('count', { to: '1000' });
      await card('count').getByRole('progressbar').waitFor();
      await card('count').getByRole('button', { name: 'Cancel' }).click();
      await until(() => demo.workshop.noticed.cancelled === cancelled + 1);
      expect(await card('count').getAttribute('data-phase')).to.equal('cancelled');
      expect(complaints).to.deep.equal([]);
    });

    it('has structured results, pictures and errors', async () => {
      await call('plan', { place: 'Lisbon', stops: '["Porto"]' });
      await card('plan').getByLabel('Structured result').getByText('"Porto"').waitFor();
      await call('swatch');
      await until(() => card('swatch').locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth === 240).catch(() => false));
      await call('fail');
      await until(async () => (await card('fail').getAttribute('data-phase')) === 'failed');
      expect(complaints).to.deep.equal([]);
    });

    it('says what is wrong with an argument, and calls nothing', async () => {
      await call('plan', { days: '', stops: '[' });
      expect(await page.locator('.hint.problem').allTextContents()).to.deep.equal(['Needed', 'Not JSON']);
      expect(await card('plan').count()).to.equal(0);
      expect(await page.evaluate(() => document.activeElement?.id)).to.equal('call-place');
    });

    it('asks what a server asks, by keyboard too', async () => {
      await call('order');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Your name').waitFor();
      await page.keyboard.type('Ada');
      await dialog.getByLabel('Size').selectOption('large');
      await dialog.getByLabel('With milk').uncheck();
      await dialog.getByLabel('Your name').press('Enter');
      await card('order').getByText('A large coffee without milk for Ada.').waitFor();
      expect(await dialog.count()).to.equal(0);
      await call('sign-in');
      expect(await dialog.getByRole('link', { name: 'Open' }).getAttribute('href')).to.equal('https://example.com/sign-in');
      await page.keyboard.press('Escape');
      await card('sign-in').getByText('Not signed in.').waitFor();
      expect(complaints).to.deep.equal([]);
    });

    it('shows that a server is gone, and heals when it is back', async () => {
      await until(async () => (await readyServers()) === 3);
      await demo.workshop.stop();
      await server('workshop').getByRole('button', { name: 'Reconnect workshop' }).click();
      await server('workshop').locator('.problem').waitFor();
      expect(await readyServers()).to.equal(2);
      await exempt(() => demo.workshop.start());
      await until(async () => (await readyServers()) === 3);
      expect(await server('workshop').locator('.problem').count()).to.equal(0);
      await call('count', { to: '1', msEach: '1' });
      await card('count').getByText('Counted to 1.').waitFor();
    });

    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is accessible (${colorScheme}), and fits on a phone`, async () => {
        await page.emulateMedia({ colorScheme });
        await until(async () => (await readyServers()) === 3);
        await call('plan', { place: 'Lisbon' });
        await call('count', { to: '1000' });
        await card('count').getByRole('progressbar').waitFor();
        await page.addScriptTag({ path: axe });
        const violations = () => page.evaluate(async () => {
          const { violations: found } = await (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe.run();
          return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        });
        const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(await violations()).to.deep.equal([]);
        expect(await overflow()).to.equal(0);
        await page.setViewportSize({ width: 360, height: 740 });
        expect(await overflow()).to.equal(0);
        expect(await violations()).to.deep.equal([]);
        await call('order');
        await page.getByRole('dialog').waitFor();
        expect(await overflow()).to.equal(0);
        expect(await violations()).to.deep.equal([]);
      });
    }
  });

  describe('ng build', () => {
    const text = (folder: string): string => readdirSync(folder).filter((file) => file.endsWith('.js')).map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
    /** Strings that no minifier changes, each of one part. */
    const marks: Readonly<Record<string, string>> = {
      core: 'notifications/cancelled',
      angular: 'MCP: is provideMcp() among the providers?',
      manager: 'names must be unique',
      testing: ' to answer at this marble',
    };
    const parts = (code: string): string[] => Object.keys(marks).filter((part) => code.includes(marks[part]!));

    it('of a page that uses the core door alone takes nothing of the other parts', function () {
      this.timeout(120_000);
      expect(parts(text(prepare('core-only')))).to.deep.equal(['core']);
    });

    it('of the workbench takes what it uses; in the library there is all of it, so the marks are real', () => {
      expect(parts(text(prepare('workbench')))).to.deep.equal(['core', 'angular', 'manager']);
      const library = fileURLToPath(new URL('../../demos/angular/node_modules/rxjs-mcp/dist', import.meta.url));
      expect(parts(text(library) + text(join(library, 'chunks')))).to.deep.equal(Object.keys(marks));
    });
  });
});
