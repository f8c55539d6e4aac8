// What clients do while they are measured. Every result is looked at: a fast wrong answer counts for nothing.

/** @typedef {import('./types.ts').BenchClient} BenchClient */

/** @param {() => Promise<void>} work @returns {Promise<import('./types.ts').Measurement>} */
async function measured(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000, peakMB: (process.resourceUsage().maxRSS * 1_024) / 1e6 };
}

/**
 * Calls a tool `count` times, `width` of them at once.
 *
 * @param {BenchClient} client @param {string} tool @param {number} count @param {number} width @returns {Promise<void>}
 */
function calls(client, tool, count, width) {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let settled = 0;
    const next = () => {
      if (sent === count) return;
      const i = sent++;
      client.call(
        tool,
        { i, of: count },
        (text) => {
          if (text !== String(i)) reject(new Error(`Call ${i} of ${count} got "${text}"`));
          else if (++settled === count) resolve();
          else next();
        },
        reject,
      );
    };
    for (let lane = 0; lane < width; lane++) next();
  });
}

/** How many subscribers a client has, and what all of them have received: they stay from round to round. */
let subscribers = 0;
let received = 0;
let onReceived = () => {};

/** @param {BenchClient} client @param {number} wanted */
function subscribe(client, wanted) {
  for (; subscribers < wanted; subscribers++) {
    client.listen?.(() => {
      received++;
      onReceived();
    });
  }
}

/** @param {BenchClient} client @param {number} count @returns {Promise<void>} */
function notifications(client, count) {
  return new Promise((resolve, reject) => {
    received = 0;
    let answered = false;
    const check = () => {
      if (answered && received === count * subscribers) resolve();
    };
    onReceived = check;
    const done = () => {
      answered = true;
      check();
    };
    client.call('notify', { count }, done, reject);
  });
}

/** @param {BenchClient} client @param {number} bytes @returns {Promise<void>} */
function large(client, bytes) {
  return new Promise((resolve, reject) => {
    const done = (/** @type {string} */ text) => (text.length === bytes ? resolve() : reject(new Error(`${text.length} of ${bytes} characters came`)));
    client.call('large', { bytes }, done, reject);
  });
}

/** @param {BenchClient} client @param {number} count @returns {Promise<void>} */
function progress(client, count) {
  return new Promise((resolve, reject) => {
    let news = 0;
    const check = () => (news === count ? resolve() : reject(new Error(`${news} of ${count} news of progress came`)));
    if (client.callWithProgress === undefined) reject(new Error('This client has no progress'));
    client.callWithProgress?.('progress', { count }, () => news++, check, reject);
  });
}

/** @param {(target: import('./types.ts').Target) => Promise<BenchClient>} open @param {import('./types.ts').Target} target @param {number} times */
async function starts(open, target, times) {
  /** @type {import('./types.ts').Measurement[]} */
  const each = [];
  for (let i = 0; i < times; i++) {
    /** @type {BenchClient | undefined} */
    let client;
    each.push(
      await measured(async () => {
        client = await open(target);
        if ((await client.listTools()) === 0) throw new Error('No tools');
      }),
    );
    await client?.close();
  }
  /** @param {'wallMs' | 'cpuMs'} key */
  const sum = (key) => each.reduce((total, measurement) => total + measurement[key], 0);
  return { wallMs: sum('wallMs'), cpuMs: sum('cpuMs'), peakMB: Math.max(...each.map(({ peakMB }) => peakMB)) };
}

/**
 * @param {import('./types.ts').Workload} workload
 * @param {BenchClient | undefined} client
 * @param {(target: import('./types.ts').Target) => Promise<BenchClient>} open
 */
export async function runWorkload(workload, client, open) {
  if (workload.kind === 'start') return starts(open, workload.target, workload.times);
  if (client === undefined) throw new Error('Not connected');
  switch (workload.kind) {
    case 'calls':
      return measured(() => calls(client, 'echo', workload.count, workload.width));
    case 'held':
      return measured(async () => {
        for (let i = 0; i < workload.times; i++) await calls(client, 'held', workload.count, workload.count);
      });
    case 'notifications':
      subscribe(client, workload.subscribers);
      return measured(() => notifications(client, workload.count));
    case 'large':
      globalThis.gc?.(); // few messages and much garbage: nobody pays for what came before
      return measured(async () => {
        for (let i = 0; i < workload.times; i++) await large(client, workload.bytes);
      });
    case 'progress':
      return measured(() => progress(client, workload.count));
  }
}
