// The server with tasks of 2026-07-28 at the other end of a memory pair, and a client of it that is ready, in virtual time.
import { withTasks, type TasksOptions } from '../../../lib/client/tasks/with-tasks.ts';
import type { ClientFeature } from '../../../lib/client/feature.ts';
import { Refusal, type Reaction, type Script } from '../../support/peer.ts';
import { modernTasks } from '../../support/servers/tasks-modern.mjs';
import type { VirtualTime } from '../../support/test-scheduler.ts';
import { readyClient } from '../input/ready-client.ts';

const METHODS = ['server/discover', 'initialize', 'tools/list', 'tools/call', 'tasks/get', 'tasks/update', 'tasks/cancel'];

/** How often tasks want to be asked about, in milliseconds. */
export const POLL_MS = 1_000;

/** @param more - Instead of the server's own reactions. */
export function taskScript(more: Script = {}): { script: Script; tasks: ReturnType<typeof modernTasks> } {
  const tasks = modernTasks({ pollIntervalMs: POLL_MS });
  const react: Reaction = (message) => {
    try {
      return tasks.answer(message);
    } catch (error) {
      const { code, message: text, data } = error as { code: number; message: string; data: unknown };
      throw new Refusal(code, text, data);
    }
  };
  return { script: { ...Object.fromEntries(METHODS.map((method) => [method, react])), ...more }, tasks };
}

interface TaskClientOptions {
  readonly more?: Script | ((tasks: ReturnType<typeof modernTasks>) => Script);
  /** Beside tasks. */
  readonly features?: readonly ClientFeature[];
  readonly tasks?: TasksOptions;
}

export function taskClient(time: VirtualTime, { more = {}, features = [], tasks: options = {} }: TaskClientOptions = {}) {
  const { script, tasks } = taskScript();
  const all = { ...script, ...(typeof more === 'function' ? more(tasks) : more) };
  const ready = readyClient(time, all, [withTasks(options), ...features] as const);
  return { ...ready, tasks };
}

/** What events say, in short. */
export const brief = (event: any): string =>
  event.type === 'task' ? `${event.task.status} ${event.task.statusMessage ?? ''}`.trim() : event.type === 'result' ? `result ${event.result.content[0].text}` : event.type;
