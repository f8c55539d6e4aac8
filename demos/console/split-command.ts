const WORD = /(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g;
const QUOTED = /"((?:\\.|[^"\\])*)"|'([^']*)'/g;

/**
 * The words of a command line, split as a shell would, without one: quotes keep
 * blanks together, and inside double quotes a backslash keeps a quote or another
 * backslash. Everywhere else it is a plain character, as Windows paths want it.
 *
 * @returns `undefined` when a quote is left open.
 */
export function splitCommand(line: string): string[] | undefined {
  if (line.replace(WORD, '').trim() !== '') return undefined;
  return (line.match(WORD) ?? []).map((word) =>
    word.replace(QUOTED, (_, double?: string, single?: string) => double?.replace(/\\(["\\])/g, '$1') ?? single ?? ''),
  );
}
