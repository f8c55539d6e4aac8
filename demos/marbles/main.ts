// Draws MCP connections as marble diagrams, in a page: `npm run demo:marbles`, with `-- --port 8080` for a port of your choice.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { defer, fromEvent, merge, take, takeUntil } from 'rxjs';
import { serveDemo } from './serve-demo.ts';

const interrupted$ = merge(...['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => fromEvent(process, signal))).pipe(take(1));

// No process.exit() at the end: if anything were left, the demo would hang, and everybody would see it.
defer(() => {
  const { port = '0' } = parseArgs({ options: { port: { type: 'string' } } }).values;
  return serveDemo(Number(port), (line) => {
    console.log(line);
  });
})
  .pipe(takeUntil(interrupted$))
  .subscribe({
    next: (url) => {
      console.log(`Marbles at ${url} (Ctrl-C ends it)`);
    },
    error: (error: unknown) => {
      console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    },
  });
