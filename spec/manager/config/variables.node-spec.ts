import { join } from 'node:path';
import { expect } from 'chai';
import { EMPTY, NEVER, of, Subject, throwError, timer, map } from 'rxjs';
import { loadConfig, MissingVariableError, type ConfigHostId, type ConfigOptions, type ResolveRequest, type VariableSyntax } from '../../../lib/node.ts';
import { parseTemplate } from '../../../lib/manager/config/template.ts';
import { until } from '../../support/outcome.ts';
import { ConfigFolder, message } from './config-folder.ts';

const FILES: Partial<Record<ConfigHostId, string>> = { 'claude-code': '.mcp.json', vscode: '.vscode/mcp.json', 'gemini-cli': '.gemini/settings.json', opencode: 'opencode.json', 'oh-my-pi': '.omp/mcp.json', standard: 'mcp.json' };

describe('variables of configuration', () => {
  let folder: ConfigFolder;
  beforeEach(() => {
    folder = new ConfigFolder();
  });
  afterEach(() => {
    folder.remove();
  });

  const containers: Partial<Record<ConfigHostId, string>> = { vscode: 'servers', opencode: 'mcp' };
  const load = (host: ConfigHostId, entry: object, options: ConfigOptions = {}, more: object = {}) =>
    folder.entry([host], FILES[host]!, { ...more, [containers[host] ?? 'mcpServers']: { one: entry } }, options);

  /** What becomes of one argument. */
  async function filled(host: ConfigHostId, text: string, env: Record<string, string>): Promise<string | undefined> {
    const { config } = await load(host, { type: 'stdio', command: 'x', args: [text] }, { env });
    return (config as { args: string[] } | undefined)?.args[0];
  }

  const env = { A: 'a', B: 'b', EMPTY: '', TRICKY: '${A} $A {env:A} ${B:-x}', _9: 'nine' };
  const rows: readonly [ConfigHostId, string, string][] = [
    ['claude-code', '${A}', 'a'],
    ['claude-code', 'x${A}y${B}z', 'xaybz'],
    ['claude-code', '${EMPTY}', ''],
    ['claude-code', '${_9}', 'nine'],
    ['claude-code', '${TRICKY}', '${A} $A {env:A} ${B:-x}'],
    ['claude-code', '${N:-d}', 'd'],
    ['claude-code', '${N:-}', ''],
    ['claude-code', '${EMPTY:-d}', 'd'],
    ['claude-code', '${A:-d}', 'a'],
    ['claude-code', '${N:-${M:-${A}}}', 'a'],
    ['claude-code', '${N:-{"k":{"l":1}}}', '{"k":{"l":1}}'],
    ['claude-code', '${N:-https://x.test/a|b:c}', 'https://x.test/a|b:c'],
    ['claude-code', '${N:-${TRICKY}}', '${A} $A {env:A} ${B:-x}'],
    ['claude-code', '$A {env:A} $env:A', '$A {env:A} $env:A'],
    ['claude-code', '${A%y} ${A#x} ${#A} ${A[0]} ${A/x/y} ${!A} ${1} ${A-x} ${A:2:1}', '${A%y} ${A#x} ${#A} ${A[0]} ${A/x/y} ${!A} ${1} ${A-x} ${A:2:1}'],
    ['claude-code', '${ A} ${} ${A ${', '${ A} ${} ${A ${'],
    ['claude-code', '$${A}', '$a'],
    ['claude-code', '${env:A}', 'a'],
    ['claude-code', '${workspace}', ''],
    ['vscode', '${A} ${A:-x} ${env:A}', '${A} ${A:-x} a'],
    ['vscode', '${env:N|env:EMPTY|env:B}', 'b'],
    ['vscode', '${env:N|env:EMPTY}', ''],
    ['vscode', '${env:N | value: v}', ' v'],
    ['vscode', '${env:N|value:${A}}', '${A}'],
    ['vscode', '${config:a.b} ${command:x} ${env:A|b}', '${config:a.b} ${command:x} ${env:A|b}'],
    ['gemini-cli', '$A-$B ${A} $', 'a-b a $'],
    ['gemini-cli', '$1 $$A', '$1 $a'],
    ['opencode', '{env:A} ${A} {env:} {env:1}', 'a ${A} {env:} {env:1}'],
    ['standard', '$A ${A} {env:A} ${env:A}', '$A ${A} {env:A} a'],
  ];
  for (const [host, text, expected] of rows) {
    it(`${host}: ${text} is ${JSON.stringify(expected)}`, async () => {
      expect(await filled(host, text, { ...env, workspace: '' })).to.equal(expected);
    });
  }

  it('are filled in everywhere, once', async () => {
    const stdio = await load('claude-code', { command: '${A}', args: ['${B}'], env: { X: '${TRICKY}' }, cwd: '${A}/b' }, { env });
    expect(stdio.config).to.deep.equal({ type: 'stdio', command: 'a', args: ['b'], env: { X: env.TRICKY }, cwd: join(folder.project, 'a/b') });
    const http = await load('claude-code', { type: 'http', url: 'https://${A}.test/${B}', headers: { X: 'Bearer ${TRICKY}' } }, { env });
    expect(http.config).to.deep.equal({ type: 'http', url: 'https://a.test/b', headers: { X: `Bearer ${env.TRICKY}` } });
  });

  it('take no time that grows with the square of the text', () => {
    const syntax: VariableSyntax[] = ['braces', 'default', 'dollar', 'plain-braces', 'secrets'];
    for (const part of ['${', '{', '${A:-', '$', '{env:', '${{ secrets.']) expect(parseTemplate(part.repeat(100_000), syntax)).to.be.an('array');
    const nested = `${'${A:-'.repeat(5_000)}${'}'.repeat(5_000)}`;
    expect(parseTemplate(nested, syntax)).to.have.length(1);
  });

  describe('that are missing', () => {
    it('are an error that names variable, field, file and pointer, by default', async () => {
      const entry = await load('claude-code', { type: 'http', url: 'https://${HOST}/', headers: { Authorization: 'Bearer ${TOKEN}' } });
      expect(entry).to.not.have.property('config');
      const problem = entry.problem as MissingVariableError;
      expect(problem).to.be.instanceOf(MissingVariableError);
      expect(problem).to.include({ server: 'one', variable: 'HOST', field: 'url', file: folder.path('.mcp.json'), pointer: '/mcpServers/one' });
      expect(problem.missing).to.deep.equal([
        { variable: 'HOST', field: 'url' },
        { variable: 'TOKEN', field: 'headers.Authorization' },
      ]);
      expect(problem.message).to.equal(`The server "one" needs variables that are not set: HOST in url, TOKEN in headers.Authorization (${folder.path('.mcp.json')}#/mcpServers/one)`);
    });

    it('leave the other servers alone', async () => {
      folder.write('.mcp.json', { mcpServers: { bad: { command: '${N}' }, good: { command: 'x' } } });
      const { entries } = await folder.load({ hosts: ['claude-code'] });
      expect(entries.map(({ name, problem }) => [name, problem?.name])).to.deep.equal([['bad', 'MissingVariableError'], ['good', undefined]]);
    });

    it('may count as empty', async () => {
      const { config } = await load('claude-code', { command: 'x', args: ['a${N}b'], env: { T: '${N}' } }, { missing: 'empty' });
      expect(config).to.deep.include({ args: ['ab'], env: { T: '' } });
    });

    it('may stay as they are written, but not where a secret may be', async () => {
      const command = await load('claude-code', { command: '${N}', args: ['a${N}b', '${N:-${M}}'] }, { missing: 'literal' });
      expect(command.config).to.deep.include({ command: '${N}', args: ['a${N}b', '${M}'] });
      for (const entry of [{ command: 'x', env: { T: '${N}' } }, { type: 'http', url: 'https://x.test/', headers: { T: '${N}' } }, { type: 'http', url: 'https://x.test/?key=${N}' }]) {
        expect(await load('claude-code', entry, { missing: 'literal' })).to.have.property('problem').with.property('variable', 'N');
      }
    });

    it('named by a field: of a token and of headers an error, of what is passed on nothing', async () => {
      const toml = (text: string) => folder.entry(['codex'], '.codex/config.toml', `[mcp_servers.one]\n${text}`);
      expect((await toml('url = "https://x.test/"\nbearer_token_env_var = "TOKEN"')).problem).to.include({ variable: 'TOKEN', field: 'headers.Authorization' });
      expect((await toml('url = "https://x.test/"\nenv_http_headers = { T = "TOKEN" }')).problem).to.include({ variable: 'TOKEN', field: 'headers.T' });
      expect((await toml('command = "x"\nenv_vars = ["TOKEN"]')).config).to.deep.include({ env: {} });
      folder.write('.codex/config.toml', '[mcp_servers.one]\nurl = "https://x.test/"\nbearer_token_env_var = "TOKEN"\nenv_http_headers = { T = "TOKEN" }');
      const { entries } = await folder.load({ hosts: ['codex'], missing: 'empty' });
      expect(entries[0]!.config).to.deep.equal({ type: 'http', url: 'https://x.test/' });
    });

    for (const text of ['Bearer ${TOKEN}', '{env:TOKEN}', 'Bearer $TOKEN', '$env:TOKEN', '${{ secrets.TOKEN }}', '${vault:TOKEN}']) {
      it(`in the notation of another host are not sent: ${text}`, async () => {
        const entry = await load('vscode', { type: 'http', url: 'https://x.test/', headers: { T: text } }, { env: { TOKEN: 'secret' } });
        expect(message(entry)).to.include('headers.T would be sent with a placeholder').and.not.include('secret');
      });
    }

    it('in the notation of another host stay in variables of a process, with a warning', async () => {
      const entry = await load('vscode', { command: 'x', env: { T: '${TOKEN}', PRICE: '5$ or 7$' } });
      expect(entry.config).to.deep.include({ env: { T: '${TOKEN}', PRICE: '5$ or 7$' } });
      expect(entry.warnings).to.have.length(1);
      expect(entry.warnings![0]).to.include('"env.T"');
    });
  });

  describe('from files', () => {
    it('are the text without its ends, from the folder of the configuration or from home', async () => {
      folder.write('secret.txt', ' s ${A}\n');
      folder.write('~/other.txt', 'o');
      const { config } = await load('opencode', { type: 'local', command: ['x', '{file:./secret.txt}', '{file:~/other.txt}'] });
      expect(config).to.deep.include({ args: ['s ${A}', 'o'] });
    });

    it('that are not there are missing, with the reason', async () => {
      const { problem } = await load('opencode', { type: 'local', command: ['x', '{file:none.txt}'] });
      expect(problem).to.include({ variable: 'file:none.txt', field: 'args.0' });
      expect(problem!.message).to.include('ENOENT');
    });

    it('of variables give what the entry does not', async () => {
      folder.write('.env', '# c\nA=file\nexport B="two words"\nC=\'${X}\'\n');
      const entry = { command: 'x', envFile: '${workspaceFolder}/.env', env: { A: 'own' } };
      expect((await load('vscode', entry)).config).to.deep.include({ env: { A: 'own', B: 'two words', C: '${X}' } });
      const { problem } = await load('vscode', { command: 'x', envFile: 'none.env' });
      expect(problem).to.include({ field: 'envFile', variable: `file:${folder.path('none.env')}` });
    });
  });

  describe('that are asked for', () => {
    const input = { type: 'http', url: 'https://x.test/', headers: { T: 'Bearer ${input:token}', U: '${input:token}', V: '${op://vault/item/field}' } };

    it('are asked for once each, with what the file says of them', async () => {
      const requests: ResolveRequest[] = [];
      const resolve = (request: ResolveRequest) => {
        requests.push(request);
        return timer(1).pipe(map(() => `<${request.id}>`));
      };
      const { config } = await load('vscode', input, { resolve }, { inputs: [{ id: 'other' }, { id: 'token', type: 'promptString', password: true }] });
      expect(config).to.have.property('headers').that.deep.equals({ T: 'Bearer <token>', U: '<token>', V: '<op://vault/item/field>' });
      const common = { server: 'one', file: folder.path('.vscode/mcp.json') };
      expect(requests).to.deep.equal([
        { kind: 'input', id: 'token', field: 'headers.T', ...common, definition: { id: 'token', type: 'promptString', password: true } },
        { kind: 'secret', id: 'op://vault/item/field', field: 'headers.V', ...common, definition: undefined },
      ]);
    });

    it('are not looked into', async () => {
      const { config } = await load('claude-code', { command: 'x', args: ['${input:a}'] }, { resolve: () => ['${HOME} ${input:a}'], env: { HOME: '/h' } });
      expect(config).to.deep.include({ args: ['${HOME} ${input:a}'] });
    });

    for (const [title, resolve, reason] of [
      ['have nobody to give them', undefined, ''],
      ['come as undefined', () => of(undefined), ''],
      ['never come', () => EMPTY, ''],
      ['fail', () => throwError(() => new Error('vault is locked')), ': vault is locked'],
      ['fail at once', () => { throw new Error('no vault'); }, ': no vault'],
      ['come as a promise that is rejected', () => Promise.reject(new Error('no')), ': no'],
    ] as const) {
      it(`are missing when they ${title}`, async () => {
        const { problem } = await load('vscode', { command: 'x', args: ['${input:a}'] }, { resolve });
        expect(problem).to.include({ variable: 'input:a', field: 'args.0' });
        expect(problem!.message.endsWith(`#/servers/one)${reason}`)).to.equal(true);
      });
    }

    it('are not asked for when an earlier alternative is there, the server is off or another takes its place', async () => {
      folder.write('mcp.json', { mcpServers: { one: { type: 'stdio', command: '${env:A|input:a}' }, off: { type: 'stdio', command: '${input:b}', disabled: true } } });
      folder.write('.vscode/mcp.json', { servers: { one: { command: '${input:c}' } } });
      const asked: string[] = [];
      const { entries } = await folder.load({ hosts: ['standard', 'vscode'], env: { A: 'a' }, resolve: ({ id }) => [(asked.push(id), id)] });
      expect(asked).to.deep.equal([]);
      expect(entries.map(({ name, problem }) => [name, problem?.name])).to.deep.equal([['one', undefined], ['off', 'MissingVariableError']]);
    });

    it('are run by nobody where a host would run a command', async () => {
      const resolve = ({ kind, id }: ResolveRequest) => [`${kind} ${id}`];
      expect((await load('oh-my-pi', { command: 'x', env: { T: '!pass show t' } }, { resolve })).config).to.deep.include({ env: { T: 'command pass show t' } });
      expect((await load('oh-my-pi', { command: 'x', env: { T: '!pass show t' } })).problem).to.include({ variable: 'command:pass show t', field: 'env.T' });
    });

    it('end with the subscription', async () => {
      folder.write('.vscode/mcp.json', { servers: { one: { command: '${input:c}' } } });
      const answers = new Subject<string>();
      const seen: unknown[] = [];
      const subscription = loadConfig({ ...folder.options, hosts: ['vscode'], resolve: () => answers }).subscribe((value) => seen.push(value));
      await until(() => answers.observed);
      subscription.unsubscribe();
      expect(answers.observed).to.equal(false);
      expect(seen).to.deep.equal([]);
      const never = loadConfig({ ...folder.options, hosts: ['vscode'], resolve: () => NEVER }).subscribe();
      never.unsubscribe();
    });
  });

  it('are inherited where that is asked for, weaker than what the entry says', async () => {
    const entry = { command: 'x', env: { A: 'own' } };
    const all = { A: 'a', B: 'b', C: undefined };
    expect((await load('claude-code', entry, { env: all })).config).to.deep.include({ env: { A: 'own' } });
    expect((await load('claude-code', entry, { env: all, inheritEnv: 'all' })).config).to.deep.include({ env: { A: 'own', B: 'b' } });
    expect((await load('claude-code', entry, { env: all, inheritEnv: ['B', 'C', 'D'] })).config).to.deep.include({ env: { A: 'own', B: 'b' } });
  });
});
