// `npm run demo:angular [-- PORT]`: an agent workbench in Angular, over real servers.
import { prepare } from './prepare.js';
import { startDemo } from './start-demo.ts';

const demo = await startDemo(prepare('workbench'), Number(process.argv[2] ?? 0));
console.log(`The workbench is at ${demo.url} (Ctrl+C ends it and its servers)`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void demo.stop().then(() => process.exit());
  });
}
