import { join } from 'node:path';
import { expect } from 'chai';
import { CONFIG_HOSTS, type ConfigHostId } from '../../../lib/node.ts';
import { candidatesOf, hostOfPath, projectFolders } from '../../../lib/manager/config/host-paths.ts';
import { hostOf } from '../../../lib/manager/config/hosts.ts';
import { ConfigFolder } from './config-folder.ts';

interface Row {
  readonly host: ConfigHostId;
  readonly title: string;
  readonly file: string;
  readonly content: unknown;
  readonly env?: Record<string, string>;
  /** What the entries must have, by name. */
  readonly expected: Readonly<Record<string, object>>;
}

const stdio = (command: string, args: string[] = [], env: Record<string, string> = {}) => ({ type: 'stdio', command, args, env });
const http = (url: string, headers?: Record<string, string>) => ({ type: 'http', url, ...(headers && { headers }) });
const sse = (url: string, headers?: Record<string, string>) => ({ ...http(url, headers), type: 'sse' });
const URL_1 = 'https://one.test/mcp';

const ROWS: readonly Row[] = [
  {
    host: 'claude-desktop',
    title: 'command, args, env',
    file: '~/.config/Claude/claude_desktop_config.json',
    content: { mcpServers: { files: { command: 'npx', args: ['-y', 'files'], env: { KEY: 'k', PORT: 80 } } } },
    expected: { files: { config: stdio('npx', ['-y', 'files'], { KEY: 'k', PORT: '80' }), enabled: true } },
  },
  {
    host: 'claude-code',
    title: 'servers of the user, types, variables with defaults',
    file: '~/.claude.json',
    env: { TOKEN: 't' },
    content: {
      numStartups: 3,
      mcpServers: {
        a: { type: 'http', url: URL_1, headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': '${TEAM:-${OTHER:-none}}' } },
        b: { type: 'sse', url: 'https://two.test/sse' },
        c: { command: 'c', args: ['-c', 'echo ${x%y} $TOKEN ${TOKEN}'] },
        d: { type: 'ws', url: 'wss://three.test/' },
      },
    },
    expected: {
      a: { config: http(URL_1, { Authorization: 'Bearer t', 'X-Team': 'none' }) },
      b: { config: sse('https://two.test/sse') },
      c: { config: stdio('c', ['-c', 'echo ${x%y} $TOKEN t']) },
      d: { config: { type: 'websocket', url: 'wss://three.test/' } },
    },
  },
  {
    host: 'vscode',
    title: 'servers in a user profile, comments and trailing commas, env alone',
    file: '~/.config/Code/User/mcp.json',
    env: { TOKEN: 't' },
    content: '// mine\n{ "servers": { "a": { "type": "http", "url": "https://one.test/mcp", "headers": { "X": "${env:TOKEN}", }, }, /* b */ "b": { "type": "stdio", "command": "${userHome}/b", "args": ["${TOKEN}"] }, }, "inputs": [], }',
    expected: { a: { config: http(URL_1, { X: 't' }) }, b: { config: { command: '<home>/b', args: ['${TOKEN}'] } } },
  },
  {
    host: 'vscode',
    title: 'servers in the settings of former days',
    file: '~/.config/Code/User/settings.json',
    content: { 'editor.fontSize': 12, mcp: { servers: { a: { command: 'a' } } } },
    expected: { a: { config: stdio('a') } },
  },
  {
    host: 'copilot-cli',
    title: 'type local, lists of tools',
    file: '~/.copilot/mcp-config.json',
    content: { mcpServers: { a: { type: 'local', command: 'a', args: [], tools: ['*'] }, b: { type: 'http', url: URL_1, tools: ['x', 'y'] }, c: { command: 'c', tools: [] } } },
    expected: { a: { config: stdio('a') }, b: { config: http(URL_1), tools: { allow: ['x', 'y'] } }, c: { tools: { allow: [] } } },
  },
  {
    host: 'cursor',
    title: 'a URL without a type, variables of editors',
    file: '~/.cursor/mcp.json',
    env: { TOKEN: 't' },
    content: { mcpServers: { a: { url: URL_1, headers: { X: '${env:TOKEN}' } }, b: { command: 'b', args: ['${workspaceFolder}', '${workspaceFolderBasename}', '${pathSeparator}'] } } },
    expected: { a: { config: http(URL_1, { X: 't' }) }, b: { config: stdio('b', ['<project>', 'project', '/']) } },
  },
  {
    host: 'windsurf',
    title: 'serverUrl',
    file: '~/.codeium/windsurf/mcp_config.json',
    env: { TOKEN: 't' },
    content: { mcpServers: { a: { serverUrl: URL_1, headers: { X: '${env:TOKEN}' } } } },
    expected: { a: { config: http(URL_1, { X: 't' }) } },
  },
  {
    host: 'gemini-cli',
    title: 'httpUrl and url, timeouts in milliseconds, lists of tools and servers, trust',
    file: '~/.gemini/settings.json',
    env: { TOKEN: 't' },
    content: {
      mcp: { excluded: ['off'], allowed: ['a', 'b', 'c', 'd', 'off'] },
      mcpServers: {
        a: { httpUrl: URL_1, timeout: 5000, trust: true },
        b: { url: 'https://two.test/sse' },
        c: { url: URL_1, type: 'http', headers: { c: 'c' } },
        d: { command: 'd', env: { T: '$TOKEN', U: '${TOKEN}' }, cwd: '/srv', includeTools: ['x'], excludeTools: ['y'] },
        off: { command: 'off' },
        unlisted: { command: 'unlisted' },
      },
    },
    expected: {
      a: { config: http(URL_1), requestTimeoutMs: 5000, approval: { trust: true } },
      b: { config: sse('https://two.test/sse') },
      c: { config: http(URL_1, { c: 'c' }) },
      d: { config: { ...stdio('d', [], { T: 't', U: 't' }), cwd: '/srv' }, tools: { allow: ['x'], deny: ['y'] } },
      off: { enabled: false },
      unlisted: { enabled: false },
    },
  },
  {
    host: 'antigravity',
    title: 'serverUrl',
    file: '~/.gemini/antigravity/mcp_config.json',
    content: { mcpServers: { a: { serverUrl: URL_1 } } },
    expected: { a: { config: http(URL_1) } },
  },
  {
    host: 'codex',
    title: 'TOML, names of variables, seconds',
    file: '~/.codex/config.toml',
    env: { TOKEN: 't', TEAM: 'core', PASSED: 'p' },
    content: `
model = "x"
[mcp_servers.a]
command = "a"
args = ["\${TOKEN}"]
env_vars = ["PASSED", "NOT_SET"]
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled_tools = ["x", "y"]
disabled_tools = ["y"]
[mcp_servers.a.env]
OWN = "o"
[mcp_servers.b]
url = "${URL_1}"
bearer_token_env_var = "TOKEN"
http_headers = { "X-A" = "1" }
env_http_headers = { "X-Team" = "TEAM" }
enabled = false
`,
    expected: {
      a: { config: stdio('a', ['${TOKEN}'], { PASSED: 'p', OWN: 'o' }), connectTimeoutMs: 20_000, requestTimeoutMs: 1_500, tools: { allow: ['x', 'y'], deny: ['y'] } },
      b: { config: http(URL_1, { 'X-A': '1', 'X-Team': 'core', Authorization: 'Bearer t' }), enabled: false },
    },
  },
  {
    host: 'opencode',
    title: 'first form: mcp, a list as command, environment',
    file: '~/.config/opencode/opencode.json',
    env: { TOKEN: 't' },
    content: {
      mcp: {
        a: { type: 'local', command: ['bun', 'x', 'a'], environment: { T: '{env:TOKEN}' }, enabled: true, timeout: 5000 },
        servers: { type: 'remote', url: URL_1, headers: { X: '{env:TOKEN}' }, oauth: { clientId: 'c' } },
        inherited: { enabled: false },
      },
    },
    expected: {
      a: { config: stdio('bun', ['x', 'a'], { T: 't' }), connectTimeoutMs: 5000 },
      servers: { config: http(URL_1, { X: 't' }), oauth: { clientId: 'c' } },
      inherited: { enabled: false },
    },
  },
  {
    host: 'opencode',
    title: 'second form: mcp.servers, disabled',
    file: 'opencode.jsonc',
    content: '{ "mcp": { "servers": { "a": { "type": "local", "command": ["a"], "cwd": "sub", "disabled": true } } } } // end',
    expected: { a: { config: { ...stdio('a'), cwd: '<project>/sub' }, enabled: false } },
  },
  {
    host: 'goose',
    title: 'YAML, extensions, cmd, envs, seconds; not what is built in',
    file: '~/.config/goose/config.yaml',
    env: { KEPT: 'kept' },
    content: `
GOOSE_MODEL: x
extensions:
  developer: { type: builtin, name: developer, enabled: true }
  a:
    type: stdio
    cmd: uvx
    args: [a, 1]
    envs: { E: e }
    env_keys: [KEPT]
    timeout: 300
    available_tools: []
    display_name: The A
  b: { type: streamable_http, uri: ${URL_1}, enabled: false, headers: { X: x } }
  c: { type: sse, uri: https://two.test/sse }
`,
    expected: {
      a: { config: stdio('uvx', ['a', '1'], { E: 'e', KEPT: 'kept' }), requestTimeoutMs: 300_000, title: 'The A' },
      b: { config: http(URL_1, { X: 'x' }), enabled: false },
      c: { config: sse('https://two.test/sse') },
    },
  },
  {
    host: 'zed',
    title: 'context_servers, a command in a command; not what an extension starts',
    file: '~/.config/zed/settings.json',
    content: '{ "theme": "x", "context_servers": { "a": { "source": "custom", "command": "a", "args": ["1"] }, "b": { "command": { "path": "b", "args": ["2"], "env": { "E": "e" } } }, "c": { "source": "extension", "settings": {} }, "d": { "url": "https://one.test/mcp", "enabled": false } } }',
    expected: { a: { config: stdio('a', ['1']) }, b: { config: stdio('b', ['2'], { E: 'e' }) }, d: { config: http(URL_1), enabled: false } },
  },
  {
    host: 'cline',
    title: 'streamableHttp, seconds, autoApprove',
    file: '~/.cline/data/settings/cline_mcp_settings.json',
    content: { mcpServers: { a: { type: 'streamableHttp', url: URL_1, timeout: 60, disabled: true, autoApprove: ['x'] } } },
    expected: { a: { config: http(URL_1), requestTimeoutMs: 60_000, enabled: false, approval: { autoApprove: ['x'] } } },
  },
  {
    host: 'roo-code',
    title: 'streamable-http, seconds, disabledTools',
    file: '.roo/mcp.json',
    env: { TOKEN: 't' },
    content: { mcpServers: { a: { type: 'streamable-http', url: URL_1, headers: { X: '${env:TOKEN}' }, timeout: 30, disabledTools: ['y'], alwaysAllow: ['x'] }, b: { command: 'b', cwd: '/b', watchPaths: ['x'] } } },
    expected: { a: { config: http(URL_1, { X: 't' }), requestTimeoutMs: 30_000, tools: { deny: ['y'] }, approval: { alwaysAllow: ['x'] } }, b: { config: { ...stdio('b'), cwd: '/b' } } },
  },
  {
    host: 'kilo-code',
    title: 'as Roo',
    file: '~/.kilocode/cli/global/settings/mcp_settings.json',
    content: { mcpServers: { a: { command: 'a', timeout: 1, disabled: false } } },
    expected: { a: { config: stdio('a'), requestTimeoutMs: 1_000, enabled: true } },
  },
  {
    host: 'kiro',
    title: 'milliseconds, both notations of variables',
    file: '.kiro/settings/mcp.json',
    env: { TOKEN: 't' },
    content: { mcpServers: { a: { url: URL_1, headers: { A: '${TOKEN}', B: '${env:TOKEN}' }, timeout: 7000, disabled: true, autoApprove: ['*'] } } },
    expected: { a: { config: http(URL_1, { A: 't', B: 't' }), requestTimeoutMs: 7000, enabled: false } },
  },
  { host: 'junie', title: 'mcpServers', file: '~/.junie/mcp/mcp.json', content: { mcpServers: { a: { url: URL_1 } } }, expected: { a: { config: http(URL_1) } } },
  { host: 'lm-studio', title: 'as Cursor', file: '~/.lmstudio/mcp.json', content: { mcpServers: { a: { url: URL_1 } } }, expected: { a: { config: http(URL_1) } } },
  {
    host: 'continue',
    title: 'a folder of YAML files, lists with names, secrets',
    file: '.continue/mcpServers/mine.yaml',
    env: { TOKEN: 't' },
    content: `
name: Mine
mcpServers:
  - { name: a, type: streamable-http, url: ${URL_1} }
  - { name: b, command: b, env: { T: "\${{ secrets.TOKEN }}" } }
`,
    expected: { a: { config: http(URL_1) }, b: { config: { type: 'stdio', command: 'b', env: { T: 't' } } } },
  },
  {
    host: 'tabnine',
    title: 'as Gemini',
    file: '.tabnine/agent/settings.json',
    env: { TOKEN: 't' },
    content: { mcpServers: { a: { url: URL_1, headers: { X: '$TOKEN' } } } },
    expected: { a: { config: sse(URL_1, { X: 't' }) } },
  },
  { host: 'kimi-cli', title: 'mcpServers', file: '~/.kimi/mcp.json', content: { mcpServers: { a: { url: URL_1 } } }, expected: { a: { config: http(URL_1) } } },
  {
    host: 'oh-my-pi',
    title: 'bare names of variables, no limit of time',
    file: '.omp/mcp.json',
    env: { TOKEN: 't' },
    content: { disabledServers: ['b'], mcpServers: { a: { command: 'a', env: { T: 'TOKEN', U: 'OTHER' }, timeout: 0 }, b: { command: 'b' } } },
    expected: { a: { config: { type: 'stdio', env: { T: 't', U: 'OTHER' } }, requestTimeoutMs: Infinity }, b: { enabled: false } },
  },
  {
    host: 'xdg',
    title: 'enabled and disabled, which must agree',
    file: '~/.config/mcp/mcp.json',
    env: { TOKEN: 't' },
    content: { mcpServers: { a: { command: 'a', enabled: true, disabled: false, env: { T: '{env:TOKEN}' } }, b: { command: 'b', enabled: true, disabled: true } } },
    expected: { a: { config: stdio('a', [], { T: 't' }), enabled: true }, b: { enabled: false, warnings: ['"enabled" and "disabled" are both true; it is off'] } },
  },
  {
    host: 'standard',
    title: 'schemes and alternatives',
    file: 'mcp.json',
    env: { B: 'b', E: '' },
    content: { mcpServers: { a: { type: 'streamable-http', url: URL_1, headers: { X: '${env:A|env:E|env:B|value:v}', Y: '${env:A|value:v}', Z: '$B ${B%x} ${value:}' }, oauth: { clientId: 'c' } } } },
    expected: { a: { config: http(URL_1, { X: 'b', Y: 'v', Z: '$B ${B%x} ' }), oauth: { clientId: 'c' } } },
  },
];

/** With the folders of the spec in place of their marks. */
const placed = (value: unknown, folder: ConfigFolder): unknown =>
  JSON.parse(JSON.stringify(value, (_key, part: unknown) => (part === Infinity ? 'Infinity' : part)), (_key, part: unknown) =>
    typeof part === 'string' ? (part === 'Infinity' ? Infinity : part.replace('<home>', folder.home).replace('<project>', folder.project)) : part,
  );

describe('configuration of each host', () => {
  let folder: ConfigFolder;
  beforeEach(() => {
    folder = new ConfigFolder();
  });
  afterEach(() => {
    folder.remove();
  });

  for (const { host, title, file, content, env = {}, expected } of ROWS) {
    it(`${host}: ${title}`, async () => {
      const path = folder.write(file, content);
      const { entries, warnings } = await folder.load({ hosts: [host], env });
      expect(entries.map(({ name }) => name)).to.have.members(Object.keys(expected));
      const odd = entries.flatMap((entry) => entry.warnings ?? []);
      expect(warnings.filter(({ kind }) => kind !== 'entry')).to.deep.equal([]);
      expect(warnings).to.have.length(odd.length);
      for (const entry of entries) {
        expect(entry.problem, entry.name).to.equal(undefined);
        expect(entry.origin).to.include({ host, file: path, scope: file.startsWith('~') ? 'user' : 'project' });
        const wanted = placed(expected[entry.name], folder) as { config?: Record<string, unknown> };
        for (const [key, value] of Object.entries(wanted)) {
          if (key !== 'config') expect(entry).to.have.deep.property(key, value);
          else expect(entry.config).to.deep.include(value);
        }
        if (!('tools' in wanted)) expect(entry).to.not.have.property('tools');
        if (wanted.config?.type === 'http' || wanted.config?.type === 'sse') expect(entry.config).to.deep.equal(wanted.config);
      }
    });
  }

  it('are all in the table above', () => {
    expect(new Set(ROWS.map(({ host }) => host))).to.deep.equal(new Set(CONFIG_HOSTS.map(({ id }) => id)));
  });

  it('claude-code: servers of one project in the file of the user are stronger than its own file, and lists switch off', async () => {
    const mine = { mcpServers: { a: { command: 'local' }, d: { command: 'd' } }, disabledMcpServers: ['c'], disabledMcpjsonServers: ['b'] };
    folder.write('~/.claude.json', { mcpServers: { a: { command: 'user' }, b: { command: 'user' }, c: { command: 'user' } }, projects: { [folder.project]: mine, '/elsewhere': { mcpServers: { e: { command: 'e' } } } } });
    folder.write('.mcp.json', { mcpServers: { a: { command: 'project' }, b: { command: 'project' }, f: { command: 'f' } } });
    folder.write('.claude/settings.local.json', { disabledMcpjsonServers: ['f'], mcpServers: { ignored: { command: 'x' } } });
    const { entries } = await folder.load({ hosts: ['claude-code'] });
    const seen = Object.fromEntries(entries.map(({ name, config, enabled, origin }) => [name, [(config as { command: string }).command, enabled, origin!.scope]]));
    expect(seen).to.deep.equal({ a: ['local', true, 'local'], d: ['d', true, 'local'], b: ['project', false, 'project'], f: ['f', false, 'project'], c: ['user', false, 'user'] });
    expect(entries[0]!.shadows!.map(({ scope }) => scope)).to.deep.equal(['project', 'user']);
    expect(entries[0]!.origin!.pointer).to.equal(`/projects/${folder.project.replaceAll('/', '~1')}/mcpServers/a`);
  });

  it('may be extended by a row', async () => {
    folder.write('.mine.json', { my: { tools: { a: { command: '${X}' } } } });
    const mine = { id: 'mine', files: [{ scope: 'project', path: '.mine.json' }], containers: [['my', 'tools']], syntax: ['braces'] } as const;
    const { entries } = await folder.load({ hosts: [mine], env: { X: 'x' } });
    expect(entries[0]).to.deep.include({ name: 'a', config: { ...stdio('x'), cwd: folder.project } });
  });

  it('unknown: an error that names those that are known', async () => {
    const error = await folder.load({ hosts: ['nobody' as any] }).catch((reason: unknown) => reason);
    expect(error).to.have.property('name', 'ConfigError');
    expect((error as Error).message).to.include('"nobody"').and.include('claude-code');
  });
});

describe('files of unknown origin', () => {
  const entry = { command: 'x' };
  const shapes: readonly [string, string, unknown, string][] = [
    ['mcpServers', 'x.json', { mcpServers: { a: entry } }, 'generic'],
    ['servers', 'x.json', { servers: { a: entry } }, 'vscode'],
    ['mcp_servers', 'x.toml', '[mcp_servers.a]\ncommand = "x"', 'codex'],
    ['context_servers', 'x.json', { context_servers: { a: entry } }, 'zed'],
    ['mcp.servers', 'x.json', { mcp: { servers: { a: entry } } }, 'opencode'],
    ['mcp', 'x.json', { mcp: { a: entry } }, 'opencode'],
    ['extensions', 'x.yaml', 'extensions:\n  a: { type: stdio, cmd: x }', 'goose'],
    ['a list in mcpServers', 'x.yml', 'mcpServers:\n  - { name: a, command: x }', 'generic'],
    ['a list', 'x.json', [{ name: 'a', command: 'x' }], 'generic'],
    ['a bare map', 'x.json', { a: entry }, 'generic'],
    ['the path of a host', '.vscode/mcp.json', { servers: { a: entry } }, 'vscode'],
    ['the path in a folder of a host', '.continue/mcpServers/x.yaml', 'mcpServers: [{ name: a, command: x }]', 'continue'],
  ];
  for (const [title, file, content, host] of shapes) {
    it(`are told by their shape: ${title}`, async () => {
      const folder = new ConfigFolder();
      const path = folder.write(file, content);
      const { entries, warnings } = await folder.load({ files: [path] });
      folder.remove();
      expect(warnings).to.deep.equal([]);
      expect(entries).to.have.length(1);
      expect(entries[0]).to.deep.include({ name: 'a', config: { ...stdio('x'), cwd: folder.project } });
      expect(entries[0]!.origin).to.include({ host, scope: 'given', file: path });
    });
  }
});

describe('paths', () => {
  const paths = (id: ConfigHostId, platform: string, env = {}) => candidatesOf(hostOf(id)!, { home: '/home/me', env, platform, cwd: '/p' }, ['/p/q', '/p']).map(({ path }) => path);
  const rows: readonly [ConfigHostId, string, Record<string, string>, string][] = [
    ['claude-desktop', 'darwin', {}, '/home/me/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'win32', { APPDATA: 'C:/Roaming' }, 'C:/Roaming/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'win32', {}, '/home/me/AppData/Roaming/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'linux', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'freebsd', {}, '/home/me/.config/Claude/claude_desktop_config.json'],
    ['codex', 'linux', { CODEX_HOME: '/codex' }, '/codex/config.toml'],
    ['codex', 'linux', { CODEX_HOME: '' }, '/home/me/.codex/config.toml'],
    ['goose', 'win32', { APPDATA: '/a' }, '/a/Block/goose/config/config.yaml'],
    ['cline', 'linux', { CLINE_MCP_SETTINGS_PATH: '~/cline.json' }, '/home/me/cline.json'],
    ['vscode', 'linux', {}, '/p/q/.vscode/mcp.json'],
    ['vscode', 'linux', {}, '/p/.vscode/mcp.json'],
  ];
  for (const [host, platform, env, path] of rows) {
    it(`${host} on ${platform}: ${path}`, () => {
      expect(paths(host, platform, env)).to.include(path);
    });
  }

  it('has the nearest folder first, and projects before the user', () => {
    expect(paths('cursor', 'linux')).to.deep.equal(['/p/q/.cursor/mcp.json', '/p/.cursor/mcp.json', '/home/me/.cursor/mcp.json']);
    expect(paths('cline', 'linux').join()).to.not.include('{');
  });

  it('looks up to the repository, and where there is none stays', () => {
    const folder = new ConfigFolder();
    folder.write('a/b/x', '');
    const deep = folder.path('a/b');
    expect(projectFolders(deep)).to.deep.equal([deep]);
    expect(projectFolders(deep, folder.project)).to.deep.equal([deep, folder.path('a'), folder.project]);
    folder.write('.git/HEAD', '');
    expect(projectFolders(deep)).to.deep.equal([deep, folder.path('a'), folder.project]);
    expect(projectFolders(folder.project)).to.deep.equal([folder.project]);
    folder.remove();
  });

  it('tells the host', () => {
    const hosts = ['/x/.cursor/mcp.json', '/x/mcp.json', 'C:\\x\\.codex\\config.toml', '/x/.mcp.json', '/x/config.toml', '/x/.gemini/settings.json'].map((path) => hostOfPath(path).id);
    expect(hosts).to.deep.equal(['cursor', 'standard', 'codex', 'claude-code', 'generic', 'gemini-cli']);
  });

  it('reads files of folders above, weaker than those below', async () => {
    const folder = new ConfigFolder();
    folder.write('.mcp.json', { mcpServers: { a: { command: 'above' }, b: { command: 'above' } } });
    folder.write('sub/.mcp.json', { mcpServers: { a: { command: 'below' } } });
    const { entries } = await folder.load({ hosts: ['claude-code'], cwd: folder.path('sub') });
    folder.remove();
    expect(entries.map(({ name, config }) => [name, (config as any).command, (config as any).cwd])).to.deep.equal([
      ['a', 'below', join(folder.project, 'sub')],
      ['b', 'above', folder.project],
    ]);
  });
});
