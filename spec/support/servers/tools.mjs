// The tools that the legacy, modern and dual fixture servers share.

/**
 * What a tool may use, whichever SDK serves it.
 * @typedef {object} ToolContext
 * @property {string | number} id the JSON-RPC id of the call
 * @property {AbortSignal} signal aborts when the client cancels
 * @property {(progress: number, total: number, message: string) => Promise<void>} progress
 *   a no-op when the client gave no progress token
 * @property {(data: string) => Promise<void>} log a log notification that belongs to the call
 * @property {(data: string) => Promise<void>} logAside a log notification outside the call; goes out after a cancel, too
 * @property {Cancelled[]} cancelled the calls cancelled so far, shared by all calls of one session (legacy) or server
 * @property {() => Promise<void>} toolsChanged announces `notifications/tools/list_changed`
 */

/** @typedef {{ id: string | number, tag?: string }} Cancelled */
/** @typedef {{ content: { type: 'text', text: string }[], structuredContent?: Record<string, unknown>, isError?: boolean }} ToolResult */

/** @param {Record<string, { type: string }>} properties @param {string[]} [required] */
const input = (properties, required = Object.keys(properties)) => ({
  type: /** @type {const} */ ('object'),
  properties,
  required,
});

/** Five tools, so three pages of `pageSize`. */
export const tools = [
  { name: 'echo', description: 'Gives back its message', inputSchema: input({ message: { type: 'string' } }), annotations: { readOnlyHint: true } },
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: input({ a: { type: 'number' }, b: { type: 'number' } }),
    outputSchema: input({ sum: { type: 'number' } }),
    annotations: { readOnlyHint: true },
  },
  {
    name: 'slow',
    description: 'Takes `steps` times `interval` ms; sends progress and a log for each step; can be cancelled',
    inputSchema: input({ steps: { type: 'number' }, interval: { type: 'number' }, tag: { type: 'string' } }, []),
  },
  { name: 'boom', description: 'Always answers with isError', inputSchema: input({ message: { type: 'string' } }, []) },
  { name: 'cancelled', description: 'Lists the cancelled calls, of one tag if given', inputSchema: input({ tag: { type: 'string' } }, []) },
  { name: 'touch', description: 'Announces that the list of tools has changed', inputSchema: input({}) },
];

const pageSize = 2;

/** @param {string | undefined} cursor */
export function page(cursor) {
  const from = cursor === undefined ? 0 : Number(cursor);
  const to = from + pageSize;
  return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) };
}

/** @param {string} value @returns {ToolResult} */
const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<boolean>} whether the pause was cut short */
function pause(ms, signal) {
  if (signal.aborted) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve(signal.aborted);
    }
  });
}

/** @type {Record<string, (args: any, context: ToolContext) => Promise<ToolResult>>} */
const implementations = {
  async echo({ message }) {
    return text(message);
  },
  async add({ a, b }) {
    return { ...text(String(a + b)), structuredContent: { sum: a + b } };
  },
  async slow({ steps = 5, interval = 50, tag }, context) {
    const { id, signal } = context;
    const note = () => {
      context.cancelled.push({ id, ...(tag !== undefined && { tag }) });
      process.stderr.write(`cancelled ${id}\n`);
      void context.logAside(`cancelled ${id}`);
    };
    if (signal.aborted) note();
    signal.addEventListener('abort', note, { once: true });
    for (let step = 1; step <= steps; step++) {
      if (await pause(interval, signal)) return text('cancelled'); // The SDK drops the answer to a cancelled request.
      await context.progress(step, steps, `step ${step}`);
      await context.log(`step ${step} of ${steps}`);
    }
    signal.removeEventListener('abort', note);
    return text(`done after ${steps} steps`);
  },
  async boom({ message = 'boom' }) {
    return { ...text(message), isError: true };
  },
  async cancelled({ tag }, context) {
    const calls = context.cancelled.filter((call) => tag === undefined || call.tag === tag);
    return { ...text(JSON.stringify(calls.map(({ id }) => id))), structuredContent: { calls } };
  },
  async touch(_, context) {
    await context.toolsChanged();
    return text('touched');
  },
};

/** @param {string} name @returns {((args: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>) | undefined} */
export const toolNamed = (name) => (Object.hasOwn(implementations, name) ? implementations[name] : undefined);
