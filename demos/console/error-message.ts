import { ConnectionClosedError } from '../../lib/node.ts';
import { toLine } from './to-line.ts';

/** What went wrong, in one line. */
export function toMessage(error: unknown): string {
  if (error instanceof ConnectionClosedError) return toLine(`The server ended the connection${details(error)}`);
  return toLine(error instanceof Error ? error.message : String(error));
}

/** How its process ended and the last thing it said, where there was a process. */
function details({ exitCode, signal, stderrTail = '' }: ConnectionClosedError): string {
  const lastLine = stderrTail.trimEnd().split('\n').at(-1) ?? '';
  const ending = exitCode != null ? ` (exit code ${exitCode})` : signal != null ? ` (${signal})` : '';
  return lastLine === '' ? ending : `${ending}: ${lastLine}`;
}
