import type { Happening } from './happening.ts';

/** Happenings as a recording of the library's testing door: what travelled, and where the server ended a connection. */
export function recordingOf(happenings: Iterable<Happening>): string {
  const events: string[] = [];
  let startMs: number | undefined;
  for (const { direction, ms, connection, content } of happenings) {
    if (direction === 'local') continue;
    startMs ??= ms;
    events.push(JSON.stringify({ direction, ms: ms - startMs, connection, ...(direction !== 'end' && { message: content }) }));
  }
  return `{\n  "format": "rxjs-mcp/recording",\n  "version": 1,\n  "events": [\n${events.map((event) => `    ${event}`).join(',\n')}\n  ]\n}\n`;
}
