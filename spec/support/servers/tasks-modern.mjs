// A server of 2026-07-28 with the extension io.modelcontextprotocol/tasks, written from its text (SEP-2663), without any SDK.
// It has no clock: a task goes on by one step whenever somebody asks about it. `modernTasks()` is the server as a function of
// messages, for memory pairs; see tasks-program.mjs for stdio and HTTP.

/** @typedef {{ id?: any, method?: string, params?: any }} Message */
/** @typedef {{ started: number, polls: number, cancelled: string[], updates: object[], declined: number }} Counts */
/** @typedef {{ state: Record<string, any>, steps: number, end: Record<string, any>, ask?: Record<string, any> | undefined, answers: Record<string, any> }} Work */

const EXTENSION = 'io.modelcontextprotocol/tasks';

export class Failure extends Error {
  /** @param {number} code @param {string} message @param {unknown} [data] */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const text = (/** @type {string} */ value, more = {}) => ({ content: [{ type: 'text', text: value }], ...more });
const question = (/** @type {string} */ message) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
});

/**
 * The server, and what it has done.
 * @param {{ pollIntervalMs?: number }} [options]
 */
export function modernTasks({ pollIntervalMs = 20 } = {}) {
  /** @type {Counts} */
  const counts = { started: 0, polls: 0, cancelled: [], updates: [], declined: 0 };
  /** @type {Map<string, Work>} */
  const tasks = new Map();

  /** @param {any} params */
  function call({ name, arguments: args = {} }) {
    const { steps = 2 } = args;
    switch (name) {
      case 'plain':
        return { resultType: 'complete', ...text('plain') };
      case 'counts':
        return { resultType: 'complete', ...text(JSON.stringify(counts)) };
      case 'work':
        return create(steps, { status: 'completed', result: text('worked', { structuredContent: { steps } }) });
      case 'tool-error':
        return create(steps, { status: 'completed', result: text('no luck', { isError: true }) });
      case 'fail':
        return create(steps, { status: 'failed', statusMessage: 'It broke', error: { code: -32603, message: 'API rate limit exceeded' } });
      case 'ask':
        return create(steps, { status: 'completed' }, { name: question('Your name?'), ...(args.two ? { other: question('Another?') } : {}) });
      case 'forever':
        return create(Infinity, {});
      default:
        throw new Failure(-32602, `Unknown tool: ${name}`);
    }
  }

  /** @param {number} steps @param {Record<string, any>} end @param {Record<string, any>} [ask] */
  function create(steps, end, ask) {
    const now = new Date(0).toISOString();
    const state = { taskId: `task-${++counts.started}`, status: 'working', statusMessage: 'step 0', createdAt: now, lastUpdatedAt: now, ttlMs: 60_000, pollIntervalMs };
    tasks.set(state.taskId, { state, steps, end, ask, answers: {} });
    return { resultType: 'task', ...state };
  }

  /** @param {any} params @returns {Work} */
  function known({ taskId }) {
    const task = tasks.get(taskId);
    if (!task) throw new Failure(-32602, 'Failed to retrieve task: Task not found');
    return task;
  }

  /** One step further. @param {Work} task */
  function advance(task) {
    const { state, answers } = task;
    if (['completed', 'failed', 'cancelled'].includes(state.status)) return;
    if (--task.steps > 0) {
      state.statusMessage = `step ${Number(state.statusMessage.slice(5)) + 1}`;
      return;
    }
    const open = Object.entries(task.ask ?? {}).filter(([key]) => !(key in answers));
    if (open.length > 0) Object.assign(state, { status: 'input_required', inputRequests: Object.fromEntries(open) });
    else {
      delete state.inputRequests;
      Object.assign(state, task.end, task.ask && { result: text(JSON.stringify(answers)) });
    }
  }

  /** @type {Record<string, (params: any) => object>} */
  const methods = {
    'server/discover': () => ({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tasks', version: '1' } },
    }),
    initialize: () => {
      throw new Failure(-32022, 'Unsupported protocol version', { supported: ['2026-07-28'], requested: '2025-11-25' });
    },
    'tools/list': () => ({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: ['plain', 'counts', 'work', 'tool-error', 'fail', 'ask', 'forever'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': call,
    'tasks/get': (params) => {
      counts.polls++;
      const task = known(params);
      advance(task);
      return { resultType: 'complete', ...task.state };
    },
    'tasks/update': (params) => {
      const task = known(params);
      counts.updates.push(params.inputResponses);
      for (const [key, answer] of Object.entries(params.inputResponses)) if (!(key in task.answers)) task.answers[key] = answer;
      return { resultType: 'complete' };
    },
    'tasks/cancel': (params) => {
      const { state } = known(params);
      counts.cancelled.push(params.taskId);
      if (state.status === 'working' || state.status === 'input_required') Object.assign(state, { status: 'cancelled', statusMessage: 'As the client wished' });
      return { resultType: 'complete' };
    },
  };

  return {
    counts,
    /** The state of a task, one step further, as a notification has it. @param {string} taskId */
    next(taskId) {
      const task = known({ taskId });
      advance(task);
      return { ...task.state };
    },
    /** Whether nothing is left of what was started. */
    isIdle: () => [...tasks.values()].every(({ state }) => ['completed', 'failed', 'cancelled'].includes(state.status)),
    /** Forgets a task, as when it has expired. @param {string} taskId */
    forget: (taskId) => tasks.delete(taskId),
    /** The result of a request. @param {Message} message @throws {Failure} */
    answer({ method = '', params }) {
      const declared = params?._meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions?.[EXTENSION];
      if (method.startsWith('tasks/') && declared === undefined) {
        counts.declined++;
        throw new Failure(-32021, 'Missing required client capability', { requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
      }
      if (!Object.hasOwn(methods, method)) throw new Failure(-32601, `Method not found: ${method}`);
      return methods[method]?.(params) ?? {};
    },
  };
}
