// Loaded by Mocha before the specs (see .mocharc.json): fails the run when a spec leaves anything behind or a rejection unhandled.
import { leaksSince, mark } from './leaks.ts';
import { checkWire, wireReport } from './wire-check.ts';
import { stopSharedServers } from './shared-servers.ts';

let base = mark();
let current = 'the set-up';
const reports: string[] = [];

checkWire(() => current);

// Mocha fails the running spec on an uncaught exception, but not on a rejection.
process.on('unhandledRejection', (reason) => {
  reports.push(`unhandled rejection during "${current}": ${reason instanceof Error ? reason.stack : String(reason)}`);
});

export const mochaHooks: Mocha.RootHookObject = {
  beforeEach(this: Mocha.Context) {
    base = mark();
    current = this.currentTest?.fullTitle() ?? '?';
  },
  async afterEach() {
    for (const { kind, stack } of await leaksSince(base)) {
      reports.push(`${kind} left over by "${current}", made\n${stack}`);
    }
  },
  // Not in afterEach: a failing root hook would end the run there, and hide the rest.
  afterAll() {
    if (reports.length > 0) throw new Error(`Left behind:\n\n${reports.join('\n\n')}`);
    console.log(wireReport());
  },
};

export const mochaGlobalTeardown = stopSharedServers;
