import { checkWire, wireReport } from './wire-check.ts';

// Loaded before the specs in the browser: a rejection nobody handles fails the run there, too.
const rejections: string[] = [];
let current = 'the set-up';

addEventListener('unhandledrejection', ({ reason }) => {
  rejections.push(`unhandled rejection during "${current}": ${reason instanceof Error ? reason.stack : String(reason)}`);
});

checkWire(() => current);

beforeEach(function () {
  current = this.currentTest?.fullTitle() ?? '?';
});

after(() => {
  if (rejections.length > 0) throw new Error(rejections.join('\n\n'));
  wireReport();
});
