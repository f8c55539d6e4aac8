// `npm run thirty`: connects thirty servers, many of them in trouble, and prints when each is there, or why it is not.
import { lastValueFrom, tap } from 'rxjs';
import { createManager } from '../lib/node.ts';
import { thirty } from '../spec/manager/thirty.ts';
import { startFixtures } from '../spec/support/servers/start.mjs';

const SLOW_MS = 20_000;

const fixtures = await startFixtures();
const planned = thirty(fixtures.urls, SLOW_MS);
const manager = createManager([planned.map(({ entry }) => entry)]);
const start = performance.now();
const at = (): string => `${((performance.now() - start) / 1_000).toFixed(2).padStart(6)} s`;

const tools = manager.tools$.subscribe((list) => {
  console.log(`${at()}  ${list.length} tools of ${new Set(list.map(({ server }) => server)).size} servers can be seen`);
});
const each$ = manager.discoverAndConnect().pipe(
  tap((result) => {
    console.log(`${at()}  ${result.server.padEnd(20)} ${result.status === 'ready' ? `ready, ${result.tools} tools` : `${result.state.phase}: ${String(result.error)}`}`);
  }),
);
await lastValueFrom(each$);
tools.unsubscribe();
console.log(`${at()}  all have come to an end of their start`);
await lastValueFrom(manager.close(), { defaultValue: undefined });
console.log(`${at()}  closed`);
await fixtures.stop();
