// The tour: `npm start`, or `npm start -- --help` for other servers.
import process from 'node:process';
import { fromEvent, merge, ReplaySubject, share } from 'rxjs';
import { HELP, parseArguments, UsageError, type Arguments } from './arguments.ts';
import type { DemoEvent } from './events.ts';
import { legTo, SHOWCASE } from './legs.ts';
import { runMany } from './many.ts';
import { manyReporter } from './many-reporter.ts';
import { createReporter } from './reporter.ts';
import { runLegs } from './run-leg.ts';

const EXIT = { failed: 1, usage: 2, interrupted: 130 } as const;

const args = readArguments();
if (args?.help) process.stdout.write(HELP);
else if (args) run(args);

function run({ json, config, job, many }: Arguments): void {
  const interrupted$ = interruptions();
  interrupted$.subscribe(() => {
    process.exitCode = EXIT.interrupted;
  });
  if (many !== undefined) {
    const tell = manyReporter(json);
    runMany(many, interrupted$).subscribe((event) => {
      tell(event);
      if (event.event === 'error' || (event.event === 'result' && event.isError) || (event.event === 'closed' && event.processesLeft > 0)) process.exitCode ??= EXIT.failed;
    });
    return;
  }
  const report = createReporter(json);
  const legs = config === undefined ? SHOWCASE : [legTo(config, job)];
  // No process.exit() at the end: if anything were left, the demo would hang, and everybody would see it.
  runLegs(legs, interrupted$).subscribe((event) => {
    report(event);
    if (event.event === 'error') complain(event.message);
    if (isFailure(event)) process.exitCode ??= EXIT.failed;
  });
}

/** Ctrl-C and its kind, or nobody reading any more; remembered. Further ones change nothing: closing takes seconds at most. */
function interruptions() {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => fromEvent(process, signal));
  return merge(...signals, fromEvent(process.stdout, 'error')).pipe(
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: false }),
  );
}

function isFailure(event: DemoEvent): boolean {
  return event.event === 'error' || (event.event === 'result' && event.isError) || (event.event === 'closed' && event.processesLeft > 0);
}

function readArguments(): Arguments | undefined {
  try {
    return parseArguments(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(`${error.message} (see --help)`);
    process.exitCode = EXIT.usage;
    return undefined;
  }
}

function complain(message: string): void {
  process.stderr.write(`error: ${message}\n`);
}
