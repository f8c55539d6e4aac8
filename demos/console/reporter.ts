import process from 'node:process';
import type { Reporter } from './events.ts';
import { textReporter } from './text-reporter.ts';

/** One JSON object a line. */
const jsonReporter: Reporter = (event) => {
  process.stdout.write(`${JSON.stringify(event)}\n`);
};

/** Colour and a moving bar are for terminals only. @see https://no-color.org */
export function createReporter(json: boolean): Reporter {
  if (json) return jsonReporter;
  const { stdout } = process;
  const isLive = stdout.isTTY && process.env.TERM !== 'dumb';
  return textReporter({
    write: (text) => {
      stdout.write(text);
    },
    width: Math.min(stdout.columns || 80, 100),
    isLive,
    hasColour: isLive && !process.env.NO_COLOR,
  });
}
