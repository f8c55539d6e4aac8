// The process of one client: `node client-process.mjs CLIENT LIBRARY`. Does what it is ordered over IPC, and reports what it took.
import { runWorkload } from './workloads.mjs';

/** @type {Record<import('./types.ts').ClientName, string>} */
const MODULES = {
  bare: 'bare',
  'bare-node-http': 'bare',
  ours: 'ours',
  'ours-fetch': 'ours',
  official: 'official',
  'official-default': 'official',
  sdk: 'sdk',
  'ai-sdk': 'ai-sdk',
};

const [name, library = ''] = process.argv.slice(2);
const client = /** @type {import('./types.ts').ClientName} */ (name);
/** @type {{ connect: import('./types.ts').Connect }} */
const { connect } = await import(`./clients/${MODULES[client]}.mjs`);
/** @type {import('./types.ts').BenchClient | undefined} */
let connected;

/** @param {import('./types.ts').Target} target */
const open = (target) => connect(target, { client, library });

/** @param {import('./types.ts').Order} order @returns {Promise<import('./types.ts').Reply>} */
async function obey(order) {
  switch (order.order) {
    case 'connect':
      await connected?.close();
      connected = await open(order.target);
      await connected.listTools();
      return {};
    case 'run':
      return { measurement: await runWorkload(order.workload, connected, open) };
    case 'close':
      await connected?.close();
      return {};
  }
}

process.on('message', (/** @type {import('./types.ts').Order} */ order) => {
  obey(order).then(
    (reply) => process.send?.(reply),
    (error) => process.send?.({ error: String(error?.stack ?? error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({});
