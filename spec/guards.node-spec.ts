// The rules that keep the library portable and its time virtual, each with a sample that shows it can fail.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ESLint } from 'eslint';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('guards', function () {
  this.timeout(60_000);

  describe('the pure rooms know neither DOM nor Node', () => {
    /** Type-checks a room as `npm run types` does, with `code` in place of one of its files. */
    function errors(room: string, code: string): string[] {
      const folder = join(root, 'lib', room);
      const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'));
      const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder, undefined, join(folder, 'tsconfig.json'));
      const sample = join(folder, 'sample.ts');
      const host = ts.createCompilerHost(options);
      const { fileExists, readFile, getSourceFile } = host;
      host.fileExists = (path) => path === sample || fileExists(path);
      host.readFile = (path) => (path === sample ? code : readFile(path));
      host.getSourceFile = (path, version, ...rest) =>
        path === sample ? ts.createSourceFile(path, code, version) : getSourceFile(path, version, ...rest);
      // With the room's own files in the program, so that nothing they import brings the types in by the back door.
      const program = ts.createProgram([...fileNames, sample], options, host);
      return program.getSemanticDiagnostics(program.getSourceFile(sample)).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
    }

    for (const room of ['wire', 'session']) {
      it(room, () => {
        const names = ['window', 'document', 'fetch', 'Buffer', 'process', 'setTimeout', 'console'];
        const found = errors(room, names.map((name) => `export const _${name} = ${name};`).join('\n'));
        for (const name of names) expect(found.join('\n')).to.include(`'${name}'`);
        expect(found).to.have.length(names.length);
        expect(errors(room, 'export const list = [1, 2].map(String);')).to.deep.equal([]);
        expect(errors(room, `export * from 'node:fs';`)).to.have.length(1);
      });
    }
  });

  describe('the linter', () => {
    // With CI in the environment the typed rules would read the file from disk, not the sample given to them.
    const asText = { languageOptions: { parserOptions: { disallowAutomaticSingleRunInference: true } } };
    const eslint = new ESLint({ cwd: root, overrideConfig: asText });

    async function rules(code: string): Promise<(string | null)[]> {
      const [result] = await eslint.lintText(code, { filePath: join(root, 'lib/errors.ts') });
      return [...new Set(result?.messages.map(({ ruleId }) => ruleId))];
    }

    it('keeps clocks and evaluated code out of lib', async () => {
      expect(await rules('setTimeout(() => 1, 1);')).to.include('no-restricted-globals');
      expect(await rules('setInterval(() => 1, 1);')).to.include('no-restricted-globals');
      expect(await rules('globalThis.setTimeout(() => 1, 1);')).to.include('no-restricted-properties');
      expect(await rules('export const now = Date.now();')).to.include('no-restricted-properties');
      expect(await rules('eval("1");')).to.include('no-eval');
      expect(await rules('export const f = new Function("return 1");')).to.include('no-new-func');
    });

    it('keeps subjects private, but for outbound$', async () => {
      const subject = (name: string) => `import { Subject } from 'rxjs';\nexport class Sample {\n  readonly ${name} = new Subject<number>();\n}\n`;
      expect(await rules(subject('inbound$'))).to.deep.equal(['ours/no-exposed-subjects']);
      expect(await rules(subject('outbound$'))).to.deep.equal([]);
    });

    it('knows the traps of RxJS', async () => {
      const piped = (operators: string) =>
        `import { NEVER, of, shareReplay, takeUntil, map } from 'rxjs';\nexport const sample = of(1).pipe(${operators});\n`;
      expect(await rules(piped('takeUntil(NEVER), map((x) => x + 1)'))).to.include('rxjs-x/no-unsafe-takeuntil');
      expect(await rules(piped('shareReplay(1)'))).to.include('rxjs-x/no-sharereplay');
      expect(await rules(`import { of } from 'rxjs';\nof(1).subscribe(() => { of(2).subscribe(); });\n`)).to.include('rxjs-x/no-nested-subscribe');
    });
  });
});
