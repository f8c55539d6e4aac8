import picomatch from 'picomatch/posix.js';
import type { ToolFilter } from './server-entry.js';

/** Whether a tool is shown: allowed, if anything is named, and not denied. */
export function toolFilter({ allow, deny = [] }: ToolFilter = {}): (tool: string) => boolean {
  const isAllowed = allow === undefined ? () => true : matcher(allow);
  const isDenied = matcher(deny);
  return (tool) => isAllowed(tool) && !isDenied(tool);
}

function matcher(patterns: readonly string[]): (tool: string) => boolean {
  if (patterns.length === 0) return () => false;
  return picomatch([...patterns], { bash: true, dot: true }); // `*` also over slashes and dots, which tools have in their names
}
