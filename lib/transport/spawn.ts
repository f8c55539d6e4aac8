import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createRequire } from 'node:module';
import process from 'node:process';

/**
 * Starts a process. On Windows through `cross-spawn`, which knows `.cmd` shims
 * and quoting; elsewhere it would change nothing, and need not be loaded.
 */
export function spawnProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (process.platform !== 'win32') return spawn(command, args, options);
  const crossSpawn = createRequire(import.meta.url)('cross-spawn') as typeof spawn;
  return crossSpawn(command, args, options);
}
