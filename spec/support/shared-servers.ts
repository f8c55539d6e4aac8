// Node only: the fixture servers that all specs of one run share.
import { exempt } from './leaks.ts';
import { startFixtures } from './servers/start.mjs';

let started: ReturnType<typeof startFixtures> | undefined;

export const sharedServers = (): ReturnType<typeof startFixtures> => (started ??= exempt(() => startFixtures()));

export async function stopSharedServers(): Promise<void> {
  if (started) await (await started).stop();
}
