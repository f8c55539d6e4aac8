import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { expect } from 'chai';
import { firstValueFrom, toArray } from 'rxjs';
import { createManager, loadConfig, toEntries, type ConfigWarning, type ServerEntry } from '../../../lib/node.ts';
import { stdioServer } from '../../support/node-fixtures.ts';
import { outcome } from '../../support/outcome.ts';
import { ConfigFolder, message, names } from './config-folder.ts';

const one = (command: string, more: object = {}) => ({ mcpServers: { one: { command, ...more } } });
const commands = (entries: readonly ServerEntry[]) => Object.fromEntries(entries.map(({ name, config }) => [name, (config as any)?.command]));
const texts = (warnings: readonly ConfigWarning[]) => warnings.map((warning) => warning.message);

describe('loadConfig()', () => {
  let folder: ConfigFolder;
  beforeEach(() => {
    folder = new ConfigFolder();
  });
  afterEach(() => {
    folder.remove();
  });

  it('is cold, emits once and reads anew each time', async () => {
    const config$ = loadConfig({ ...folder.options, hosts: ['cursor'] });
    folder.write('.cursor/mcp.json', one('first'));
    expect((await outcome(config$)).values.map(({ entries }) => commands(entries))).to.deep.equal([{ one: 'first' }]);
    folder.write('.cursor/mcp.json', one('second'));
    expect((await outcome(config$)).values.map(({ entries }) => commands(entries))).to.deep.equal([{ one: 'second' }]);
  });

  it('reads nothing that nobody asked for', async () => {
    folder.write('.mcp.json', one('x'));
    expect(await folder.load({})).to.deep.equal({ entries: [], warnings: [] });
    expect(await folder.load({ hosts: [] })).to.deep.equal({ entries: [], warnings: [] });
  });

  it('reads all hosts, with nothing there as well', async () => {
    expect(await folder.load({ hosts: 'all' })).to.deep.equal({ entries: [], warnings: [] });
    folder.write('~/.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } });
    folder.write('~/.codex/config.toml', '[mcp_servers.b]\ncommand = "b"');
    folder.write('mcp.json', { mcpServers: { c: { type: 'stdio', command: 'c' } } });
    const { entries, warnings } = await folder.load({ hosts: 'all' });
    expect(commands(entries)).to.deep.equal({ b: 'b', a: 'a', c: 'c' });
    expect(warnings).to.deep.equal([]);
  });

  it('gives entries that a manager starts as they are', async () => {
    const { command, args } = stdioServer('modern');
    folder.write('.cursor/mcp.json', { mcpServers: { real: { command: '${env:NODE}', args }, broken: { command: '${env:NONE}' } } });
    const warnings: string[] = [];
    const source$ = loadConfig({ ...folder.options, hosts: ['cursor'], env: { NODE: command } }).pipe(toEntries((warning) => warnings.push(warning.message)));
    await using manager = createManager(source$);
    const results = await firstValueFrom(manager.discoverAndConnect().pipe(toArray()));
    expect(results.map(({ server, status }) => [server, status])).to.have.deep.members([['broken', 'failed'], ['real', 'ready']]);
    expect(manager.statusOf('broken')!.state).to.include({ phase: 'broken' }).and.have.property('cause').with.property('name', 'MissingVariableError');
    expect(warnings).to.deep.equal([]);
  });

  describe('where several have one name', () => {
    it('lets the stronger replace the weaker as a whole: program, files, hosts in their order, project, user', async () => {
      folder.write('~/.cursor/mcp.json', one('cursor user', { env: { A: 'a' } }));
      folder.write('.cursor/mcp.json', one('cursor project'));
      folder.write('.roo/mcp.json', one('roo'));
      const user = folder.write('a.json', one('file of the user'));
      const given = folder.write('b.json', one('file'));
      const hosts = ['roo-code', 'cursor'] as const;
      const files = [{ path: user, scope: 'user' as const }, given];
      const winner = async (options: object) => {
        const { entries } = await folder.load(options);
        expect(names({ entries })).to.deep.equal(['one']);
        const [entry] = entries;
        return [(entry!.config as any).command, entry!.shadows?.map(({ file }) => file) ?? []];
      };
      const path = (name: string) => folder.path(name);
      expect(await winner({ hosts, files, entries: [{ name: 'one', config: { command: 'program' } }] })).to.deep.equal(['program', [given, user, path('.roo/mcp.json'), path('.cursor/mcp.json'), path('~/.cursor/mcp.json')]]);
      expect(await winner({ hosts, files })).to.deep.equal(['file', [user, path('.roo/mcp.json'), path('.cursor/mcp.json'), path('~/.cursor/mcp.json')]]);
      expect(await winner({ hosts, files: [files[0]] })).to.deep.equal(['file of the user', [path('.roo/mcp.json'), path('.cursor/mcp.json'), path('~/.cursor/mcp.json')]]);
      expect(await winner({ hosts })).to.deep.equal(['roo', [path('.cursor/mcp.json'), path('~/.cursor/mcp.json')]]);
      expect(await winner({ hosts: ['cursor', 'roo-code'] })).to.deep.equal(['cursor project', [path('~/.cursor/mcp.json'), path('.roo/mcp.json')]]);
      expect(await winner({ hosts: ['cursor'], scopes: ['user'] })).to.deep.equal(['cursor user', []]);
    });

    it('warns of each that does not count', async () => {
      const user = folder.write('~/.cursor/mcp.json', one('user'));
      const project = folder.write('.cursor/mcp.json', one('project'));
      const { warnings } = await folder.load({ hosts: ['cursor'] });
      expect(warnings).to.deep.equal([{ kind: 'shadowed', server: 'one', file: user, message: `The server "one" (${user}#/mcpServers/one) does not count: ${project} has one of that name` }]);
    });

    it('lets one that is off, or cannot be used, hide the others too', async () => {
      folder.write('~/.cursor/mcp.json', { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } });
      folder.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x', disabled: true }, b: 5 } });
      const { entries } = await folder.load({ hosts: ['cursor'] });
      expect(entries.map(({ name, enabled, problem }) => [name, enabled, problem?.name])).to.deep.equal([['a', false, undefined], ['b', true, 'ConfigError']]);
    });

    it('reads a file once, though two hosts have it, and as the user’s though it is in the project as well', async () => {
      folder.write('.mcp.json', one('x'));
      const { entries, warnings } = await folder.load({ hosts: ['copilot-cli', 'claude-code'] });
      expect(entries.map(({ origin }) => origin!.host)).to.deep.equal(['copilot-cli']);
      expect(warnings).to.deep.equal([]);
      folder.write('~/.cursor/mcp.json', one('x'));
      const home = await folder.load({ hosts: ['cursor'], cwd: folder.home, root: folder.home });
      expect(home.entries.map(({ origin }) => origin!.scope)).to.deep.equal(['user']);
    });
  });

  describe('where several lead to one server', () => {
    const url = 'https://one.test/mcp';
    it('lets the stronger take the place of the others, with a warning', async () => {
      folder.write('.cursor/mcp.json', { mcpServers: { a: { url, headers: { Authorization: '${env:T}' } }, p: { command: 'x', args: ['1'] } } });
      folder.write('.roo/mcp.json', { mcpServers: { b: { type: 'sse', url: `${url}/`, headers: { authorization: 't' } }, q: { command: 'x', args: ['1'], env: {} } } });
      const options = { hosts: ['cursor', 'roo-code'] as const, env: { T: 't' } };
      const { entries, warnings } = await folder.load(options);
      expect(names({ entries })).to.deep.equal(['a', 'p']);
      expect(entries[0]!.shadows).to.deep.equal([{ host: 'roo-code', scope: 'project', file: folder.path('.roo/mcp.json'), pointer: '/mcpServers/b' }]);
      expect(warnings.map(({ kind, server }) => [kind, server])).to.deep.equal([['shadowed', 'b'], ['shadowed', 'q']]);
      expect(warnings[0]!.message).to.include('"a"').and.include('is the same');
      expect(names(await folder.load({ ...options, sameEndpoint: 'keep' }))).to.deep.equal(['a', 'p', 'b', 'q']);
    });

    it('keeps those of other users, variables, folders and arguments, and what is off or cannot be used', async () => {
      const servers = {
        a: { url, headers: { Authorization: 'me' } },
        b: { url, headers: { Authorization: 'you' } },
        c: { command: 'x', args: ['1'] },
        d: { command: 'x', args: ['2'] },
        e: { command: 'x', args: ['1'], env: { E: '1' } },
        f: { command: 'x', args: ['1'], cwd: '/f' },
        g: { command: 'y', disabled: true },
        h: { command: 'y' },
        i: { command: '${env:N}' },
        j: { command: '${env:N}' },
      };
      folder.write('.cursor/mcp.json', { mcpServers: servers });
      expect(names(await folder.load({ hosts: ['cursor'] }))).to.deep.equal(Object.keys(servers));
    });

    it('knows entries of the program, and not headers that are still to come', async () => {
      folder.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' }, b: { url } } });
      const entries = [{ name: 'mine', config: { command: 'x', cwd: undefined } }, { name: 'late', config: { type: 'http', url, headers: () => ({}) } }];
      expect(names(await folder.load({ hosts: ['cursor'], entries: entries }))).to.deep.equal(['mine', 'late', 'b']);
    });
  });

  describe('switches', () => {
    it('by list are stronger than files: off always, on else', async () => {
      folder.write('.cursor/mcp.json', { mcpServers: { a: { command: 'a' }, b: { command: 'b', disabled: true }, c: { command: 'c' }, d: { command: 'd', enabled: 'no' } } });
      const { entries, warnings } = await folder.load({ hosts: ['cursor'], disabledServers: ['a', 'b', 'mine'], enabledServers: ['b', 'c', 'd'], entries: [{ name: 'mine', config: {} }, { name: 'own', config: {}, enabled: false }] });
      expect(entries.map(({ name, enabled }) => [name, enabled])).to.deep.equal([['mine', false], ['own', false], ['a', false], ['b', false], ['c', true], ['d', true]]);
      expect(texts(warnings)[0]).to.include('"enabled" is neither true nor false');
    });
  });

  describe('files', () => {
    const rows: readonly [string, string, string | Uint8Array, RegExp][] = [
      ['empty', 'x.json', '', /x\.json:1:1: cannot be understood: it is empty/],
      ['of spaces', 'x.json', ' \n', /:1:1: .*empty/],
      ['of comments alone', 'x.json', '// nothing', /:1:\d+: .* expected/],
      ['broken JSON', 'x.json', '{\n  "mcpServers": {\n    "a": { "command" "x" }\n  }\n}', /x\.json:3:22: cannot be understood: colon expected/],
      ['JSON that ends early', 'x.json', '{"mcpServers": {"a": {"command": "x"', /:1:37: .*close brace expected/],
      ['JSON of something else', 'x.json', '"text"', /neither an object nor a list/],
      ['null', 'x.json', 'null', /neither an object nor a list/],
      ['JSON that is too deep', 'x.json', `/**/${'['.repeat(50_000)}`, /too deep/],
      ['broken TOML', 'x.toml', 'a = 1\nb = = 2\n', /x\.toml:2:5: cannot be understood: invalid value/],
      ['broken YAML', 'x.yaml', 'a: 1\nb: [1, 2\nc: 3', /x\.yaml:3:1: cannot be understood: deficient indentation/],
      ['YAML that multiplies', 'x.yaml', `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}*a${n}]`).join('\n')}`, /cannot be understood/],
      ['no text', 'x.json', Uint8Array.of(0x7b, 0xff, 0x7d), /no UTF-8 text/],
    ];
    for (const [title, file, content, expected] of rows) {
      it(`that are broken give a warning, and the others are read: ${title}`, async () => {
        const path = folder.write(file, content);
        const good = folder.write('good.json', one('good'));
        const { entries, warnings } = await folder.load({ files: [path, good] });
        expect(commands(entries)).to.deep.equal({ one: 'good' });
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.include({ kind: 'broken', file: path });
        expect(warnings[0]!.message).to.match(expected);
      });
    }

    it('that are broken say line and column in fields too', async () => {
      const path = folder.write('x.json', '{\n\n  x }');
      const { warnings } = await folder.load({ files: [path] });
      expect(warnings[0]).to.include({ line: 3, column: 3 });
    });

    const text = JSON.stringify(one('x'));
    for (const [title, bytes] of [
      ['UTF-8', Buffer.from(`\ufeff${text}`)],
      ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
      ['UTF-16, the other order', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ] as const) {
      it(`may begin with a mark: ${title}`, async () => {
        const { entries, warnings } = await folder.load({ files: [folder.write('x.json', bytes)] });
        expect(commands(entries)).to.deep.equal({ one: 'x' });
        expect(warnings).to.deep.equal([]);
      });
    }

    it('of TOML and YAML may be empty', async () => {
      expect(await folder.load({ hosts: ['codex', 'goose'], files: [] })).to.deep.equal({ entries: [], warnings: [] });
      folder.write('.codex/config.toml', '');
      folder.write('~/.config/goose/config.yaml', '# nothing\n');
      expect(await folder.load({ hosts: ['codex', 'goose'] })).to.deep.equal({ entries: [], warnings: [] });
    });

    it('that were named and are not there give a warning', async () => {
      const { warnings } = await folder.load({ files: ['none.json', 'none/none.json'] });
      expect(warnings.map(({ kind, file }) => [kind, file])).to.deep.equal([['missing', folder.path('none.json')], ['missing', folder.path('none/none.json')]]);
    });

    it('that are no files give a warning, and a pipe holds nothing up', async function () {
      mkdirSync(folder.path('folder.json'));
      const paths = ['folder.json'];
      if (process.platform !== 'win32') {
        execFileSync('mkfifo', [folder.path('pipe.json')]);
        paths.push('pipe.json');
      }
      const { warnings } = await folder.load({ files: paths });
      expect(warnings.map(({ kind, message: text }) => `${kind}: ${text}`)).to.deep.equal(paths.map((path) => `unreadable: ${folder.path(path)}: cannot be read: it is no file`));
    });

    it('with keys of the language itself change nothing', async () => {
      folder.write('.cursor/mcp.json', '{"mcpServers": {"__proto__": {"command": "p"}, "constructor": {"command": "c"}, /* */ "x": {"command": "x", "__proto__": {"args": ["y"]}}}}');
      const { entries } = await folder.load({ hosts: ['cursor'] });
      expect(commands(entries)).to.have.all.keys('__proto__', 'constructor', 'x');
      expect(entries.find(({ name }) => name === 'x')!.config).to.have.property('args').that.deep.equals([]);
    });

    it('that hold servers where their host does not look are read, with a warning', async () => {
      const path = folder.write('.vscode/mcp.json', one('x'));
      const { entries, warnings } = await folder.load({ hosts: ['vscode'] });
      expect(commands(entries)).to.deep.equal({ one: 'x' });
      expect(texts(warnings)).to.deep.equal([`${path}: vscode itself reads "servers", not "mcpServers"`]);
    });

    it('that hold no servers where they should, or none at all, give a warning', async () => {
      folder.write('.cursor/mcp.json', { mcpServers: 'x' });
      expect(texts((await folder.load({ hosts: ['cursor'] })).warnings)).to.deep.equal([`${folder.path('.cursor/mcp.json')}: "mcpServers" holds no servers`]);
      const path = folder.write('x.json', { a: 1 });
      expect(texts((await folder.load({ files: [path] })).warnings)).to.deep.equal([`${path}: it has no servers in any known form`]);
    });
  });

  describe('entries', () => {
    const rows: readonly [string, unknown, string][] = [
      ['no object', 'npx x', 'it is no object'],
      ['null', null, 'it is no object'],
      ['a list', [], 'it is no object'],
      ['nothing', {}, 'neither a command nor a URL'],
      ['an unknown type', { type: 'pigeon', url: 'x' }, 'its type "pigeon" is not known'],
      ['a type of the language itself', { type: 'constructor', url: 'x' }, 'its type "constructor" is not known'],
      ['stdio without a command', { type: 'stdio', url: 'x' }, 'it has no command'],
      ['http without a URL', { type: 'http', command: 'x' }, 'it has no URL'],
      ['a number as command', { command: 5 }, 'its "command" is no text'],
      ['text as arguments', { command: 'x', args: '-y' }, 'its "args" is no list of texts'],
      ['an object among arguments', { command: 'x', args: [{}] }, 'its "args" is no list of texts'],
      ['a list of variables', { command: 'x', env: ['A=1'] }, 'its "env" is no object'],
      ['text as headers', { url: 'https://x.test/', headers: 'A: b' }, 'its "headers" is no object'],
    ];
    for (const [title, entry, expected] of rows) {
      it(`that cannot be used have a problem, and the others stay: ${title}`, async () => {
        const path = folder.write('.cursor/mcp.json', { mcpServers: { bad: entry, good: { command: 'good' } } });
        const { entries } = await folder.load({ hosts: ['cursor'] });
        expect(entries.map(({ name, problem, config }) => [name, problem === undefined, config === undefined])).to.deep.equal([['bad', false, true], ['good', true, false]]);
        expect(message(entries[0]!)).to.include(`The server "bad" cannot be used: `).and.include(expected).and.include(`(${path}#/mcpServers/bad)`);
      });
    }

    const odd: readonly [string, object, object, string][] = [
      ['a transport in a transport', { transport: { type: 'sse', url: 'https://x.test/' } }, { type: 'sse', url: 'https://x.test/' }, '"transport" holds an object'],
      ['a command and a URL', { command: 'x', url: 'https://x.test/' }, { type: 'stdio', command: 'x', args: [], env: {} }, 'the URL is not used'],
      ['null among variables', { command: 'x', env: { A: null, B: true } }, { type: 'stdio', command: 'x', args: [], env: { B: 'true' } }, '"env.A" is no text'],
      ['text as a limit of time', { command: 'x', timeout: '30' }, { type: 'stdio', command: 'x', args: [], env: {} }, '"timeout" is no number'],
      ['headers of a WebSocket', { url: 'wss://x.test/', headers: { A: 'a' } }, { type: 'websocket', url: 'wss://x.test/' }, 'headers are not sent'],
    ];
    for (const [title, entry, config, expected] of odd) {
      it(`that are odd have a warning: ${title}`, async () => {
        const { config: actual, warnings } = await folder.entry(['claude-code'], '~/x.json', '', { files: [folder.write('x.json', { mcpServers: { one: entry } })] });
        expect({ ...actual, cwd: undefined }).to.deep.equal({ ...config, cwd: undefined });
        expect(warnings).to.have.length(1);
        expect(warnings![0]).to.include(expected);
      });
    }

    it('may have their transport under other names', async () => {
      folder.write('.cursor/mcp.json', { mcpServers: { a: { transport: 'streamable_http', url: 'https://a.test/' }, b: { transportType: 'SSE', url: 'https://b.test/' }, c: { type: 'streamable', uri: 'https://c.test/' } } });
      const { entries } = await folder.load({ hosts: ['cursor'] });
      expect(entries.map(({ config }) => config)).to.deep.equal([{ type: 'http', url: 'https://a.test/' }, { type: 'sse', url: 'https://b.test/' }, { type: 'http', url: 'https://c.test/' }]);
    });

    it('without a name are left out, with a warning', async () => {
      const path = folder.write('.cursor/mcp.json', { mcpServers: [{ command: 'x' }, { name: 'b', command: 'y' }] });
      const { entries, warnings } = await folder.load({ hosts: ['cursor'] });
      expect(names({ entries })).to.deep.equal(['b']);
      expect(texts(warnings)).to.deep.equal([`An entry without a name is left out (${path}#/mcpServers/0)`]);
    });

    it('are kept as they were written, without the values of variables', async () => {
      const written = { command: 'x', env: { T: '${env:T}' }, unknown: [1] };
      folder.write('.cursor/mcp.json', { mcpServers: { 'a/b~c': written } });
      const { entries } = await folder.load({ hosts: ['cursor'], env: { T: 'secret' } });
      const { config, ...rest } = entries[0]!;
      expect(rest.raw).to.deep.equal(written);
      expect(rest.origin!.pointer).to.equal('/mcpServers/a~1b~0c');
      expect(JSON.stringify(rest)).to.not.include('secret');
      expect(JSON.stringify(config)).to.include('secret');
    });
  });

  describe('hashes', () => {
    const hashOf = async (content: string, env = {}) => {
      folder.write('.cursor/mcp.json', content);
      const { entries } = await folder.load({ hosts: ['cursor'], env });
      return entries[0]!.hash!;
    };
    const base = '{"mcpServers":{"a":{"command":"x","args":["1","2"],"env":{"A":"${env:A}","B":"b"}}}}';

    it('are of what is written: order of keys, comments and values of variables do not matter', async () => {
      const hash = await hashOf(base, { A: '1' });
      expect(hash).to.match(/^[\da-f]{64}$/);
      expect(await hashOf(base, { A: '2' })).to.equal(hash);
      expect(await hashOf(base)).to.equal(hash);
      expect(await hashOf('// c\n{"mcpServers":{"z":{},"a":{"env":{"B":"b",/* */"A":"${env:A}"},\n"args":["1","2",],"command":"x"}}}'.replace('"z":{},', ''))).to.equal(hash);
    });

    for (const [from, to] of [['"x"', '"y"'], ['"1","2"', '"2","1"'], ['"b"', '"c"'], ['${env:A}', '${env:C}'], ['"B"', '"C"'], ['"args"', '"disabled":true,"args"'], ['"1"', '1']] as const) {
      it(`differ with any value: ${from} → ${to}`, async () => {
        expect(await hashOf(base.replace(from, to))).to.not.equal(await hashOf(base));
      });
    }

    it('differ with the project, where the same words mean other programs', async () => {
      folder.write('.cursor/mcp.json', base);
      folder.write('other/.cursor/mcp.json', base);
      const [here, there] = await Promise.all([folder.load({ hosts: ['cursor'] }), folder.load({ hosts: ['cursor'], cwd: folder.path('other'), root: folder.path('other') })]);
      expect(here.entries[0]!.hash).to.not.equal(there.entries[0]!.hash);
    });
  });
});
