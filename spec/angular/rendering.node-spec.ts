// Pages that are rendered on a server, and taken over by the browser: with and without zone.js, each in a process or page
// of its own where zone.js patches what is global.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChrome } from '../../scripts/find-chrome.js';
import { fixtureUrls } from '../support/fixtures.ts';
import { startRawHttp } from '../support/node-fixtures.ts';
import { exempt } from '../support/leaks.ts';
import type { PageOptions } from './page.ts';
import type { Rendered } from './render.ts';

/** As the project demands it. */
const STABLE_MS = 1_000;
const TOOLS = ['add', 'boom', 'cancelled', 'echo', 'slow', 'touch'];
const MODES = ['zoneless', 'zone'] as const;

const listed = (html: string): string[] => [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, name = '']) => name);
const transferred = (html: string) => JSON.parse(/<script id="ng-state" type="application\/json">(.*?)<\/script>/.exec(html)?.[1] ?? '{}') as Record<string, any>;
const named = (...servers: string[]) => servers.flatMap((server) => TOOLS.map((tool) => `${server}__${tool}`));

/** In a process of its own, which ends by itself, or the spec does not. */
async function render(options: PageOptions, script = ''): Promise<Rendered> {
  const program = fileURLToPath(new URL('render.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx/esm', program, JSON.stringify(options), script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(output.stderr);
  return JSON.parse(output.stdout.slice(output.stdout.indexOf('{'))) as Rendered; // after Angular's greeting
}

describe('a page rendered on the server', function () {
  this.timeout(30_000);
  this.retries(2); // servers have half a second: not enough where the machine has much else to do

  for (const mode of MODES) {
    describe(mode, () => {
      it('is stable in time, with the tools of all servers in its HTML and in its state', async () => {
        const { legacy, modern } = await fixtureUrls();
        const { html, ms } = await render({ mode, urls: { legacy, modern } });
        expect(listed(html)).to.deep.equal(named('legacy', 'modern'));
        const lists = Object.entries(transferred(html)).filter(([key]) => key.startsWith('rxjs-mcp [') && key.includes('tools')).map(([, list]) => JSON.stringify(list));
        expect(lists.map((list) => TOOLS.filter((name) => list.includes(`"name":"${name}"`)))).to.deep.equal([TOOLS, TOOLS]);
        expect(ms).to.be.below(STABLE_MS);
      });

      it('has the answer of a call that it makes', async () => {
        const { modern } = await fixtureUrls();
        const { html } = await render({ mode, urls: { modern }, call: { server: 'modern', tool: 'echo' } });
        expect(html).to.include('<p>[{"type":"text","text":"hello"}]</p>');
      });

      it('does not wait for a server that does not answer', async () => {
        const { modern } = await fixtureUrls();
        await using mute = await startRawHttp(() => {});
        const { html, ms } = await render({ mode, urls: { mute: mute.url, modern } });
        expect(listed(html)).to.deep.equal(named('modern'));
        expect(ms).to.be.below(STABLE_MS);
        expect(mute.requests).to.have.length(2);
      });
    });
  }
});

describe('a page in the browser', function () {
  this.timeout(30_000);

  let browser: Browser;
  let script: string;
  let host: Server;
  let origin: string;
  let html = '';

  before(async () => {
    const [launched, bundle] = await exempt(() =>
      Promise.all([
        chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] }),
        build({
          entryPoints: [fileURLToPath(new URL('browse.ts', import.meta.url))],
          bundle: true,
          write: false,
          format: 'esm',
          target: 'es2016', // so that zone.js can follow what is async
          define: { 'process.env': '{}' },
          ignoreAnnotations: true,
        }),
      ]),
    );
    browser = launched;
    script = bundle.outputFiles[0]!.text;
    host = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html').setHeader('connection', 'close').end(isScript ? script : html);
    });
    await exempt(async () => once(host.listen(0, '127.0.0.1'), 'listening'));
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  });

  after(async () => {
    await browser.close();
    host.closeAllConnections();
    host.close();
  });

  async function browse(options: PageOptions, prepare: (page: Page) => Promise<unknown> = async () => {}) {
    const scripts = `<script>var options = ${JSON.stringify(options)}</script><script type="module" src="/page.js"></script>`;
    ({ html } = await render({ ...options, mode: 'zoneless' }, scripts));
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await prepare(page);
    await page.goto(origin);
    const stableAfter = () => page.waitForFunction(() => (globalThis as { stableAfter?: number }).stableAfter).then((handle) => handle.jsonValue());
    const items = () => page.locator('li').allTextContents();
    return { page, errors, stableAfter, items };
  }

  for (const mode of MODES) {
    describe(mode, () => {
      it('shows the tools before its own connection is ready, and keeps nothing waiting', async () => {
        const { legacy } = await fixtureUrls();
        let letGo = (): void => {};
        const held = new Promise<void>((resolve) => (letGo = resolve));
        const hold = (page: Page) => page.route(legacy, (route) => held.then(() => route.continue()));
        const { page, errors, stableAfter, items } = await browse({ mode, urls: { legacy } }, hold);
        expect(await stableAfter()).to.be.below(STABLE_MS);
        expect(await items()).to.deep.equal(named('legacy').map((name) => `${name}…`));
        letGo();
        await page.waitForFunction(() => !document.body.innerText.includes('…'));
        expect(await items()).to.deep.equal(named('legacy'));
        expect(errors).to.deep.equal([]);
        await page.close();
      });

      it('is stable with open connections, and has the answers of its calls', async () => {
        const { legacy, modern } = await fixtureUrls();
        const { page, errors, stableAfter } = await browse({ mode, urls: { legacy, modern }, call: { server: 'legacy', tool: 'echo' } });
        await stableAfter();
        expect(await page.locator('p').textContent()).to.include('hello');
        expect(errors).to.deep.equal([]);
        await page.close();
      });
    });
  }
});
