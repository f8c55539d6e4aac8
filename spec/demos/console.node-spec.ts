// The console demo as people and programs run it, and its two pure parts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { splitCommand } from '../../demos/console/split-command.ts';
import { textReporter } from '../../demos/console/text-reporter.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'demos/console');

function start(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(folder, 'main.ts'), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ ...output, code: code as number | null }));
  return { child, ended };
}

const run = (...args: string[]) => start(...args).ended;

const parse = (stdout: string): any[] => stdout.trimEnd().split('\n').map((line) => JSON.parse(line));

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const everythingCommand = `"${process.execPath}" "${everything}" stdio`;

describe('console demo', function () {
  this.timeout(60_000);

  describe('without arguments', () => {
    let plain: Awaited<ReturnType<typeof run>>;
    let json: Awaited<ReturnType<typeof run>>;

    before(async () => {
      [plain, json] = await Promise.all([run(), run('--json')]);
    });

    it('ends well and complains about nothing', () => {
      for (const { code, stderr } of [plain, json]) {
        expect(stderr).to.equal('');
        expect(code).to.equal(0);
      }
    });

    it('prints plain lines where there is no terminal', () => {
      expect(plain.stdout).to.not.match(/[^\P{Cc}\n]/u);
      expect(plain.stdout.match(/^ {2}connected .*/gm)).to.have.length(3);
      expect(plain.stdout.match(/^ {2}closed +no process left/gm)).to.have.length(3);
      expect(Math.max(...plain.stdout.split('\n').map((line) => line.length))).to.be.at.most(80);
    });

    it('visits three servers, one after another', () => {
      const legs = parse(json.stdout).filter(({ event }) => event === 'connected').map(({ leg, revision }) => [leg, revision]);
      expect(legs).to.deep.equal([['stdio', '2025-11-25'], ['http', '2025-11-25'], ['modern', '2026-07-28']]);
    });

    for (const leg of ['stdio', 'http', 'modern']) {
      describe(`on the ${leg} leg`, () => {
        let events: any[];
        const named = (name: string) => events.filter(({ event }) => event === name);

        before(() => {
          events = parse(json.stdout).filter((event) => event.leg === leg);
        });

        it('lists the tools and shows what the server logs', () => {
          expect(named('tools')[0].tools[0]).to.have.all.keys('name', 'description');
          expect(named('log')).to.not.be.empty;
        });

        it('follows a call to its result', () => {
          const resultAt = events.findIndex(({ event }) => event === 'result');
          const progress = events.slice(0, resultAt).filter(({ event }) => event === 'progress').map((event) => event.progress);
          expect(progress).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
          expect(events[resultAt].isError).to.equal(false);
        });

        it('cancels a call half-way, and the server is told', () => {
          const resultAt = events.findIndex(({ event }) => event === 'result');
          const progress = events.slice(resultAt).filter(({ event }) => event === 'progress').map((event) => event.progress);
          expect(progress).to.deep.equal([1, 2, 3, 4, 5]);
          expect(named('cancelled')).to.deep.equal([{ leg, event: 'cancelled', progress: 5, total: 10 }]);
          const told = events.slice(events.findIndex(({ event }) => event === 'cancelled') + 1);
          if (leg === 'modern') expect(told[0].line).to.match(/^call \d+ was cancelled after 5 of 10 chapters$/);
          else expect(told[0]).to.include({ event: 'sent', method: 'notifications/cancelled' });
        });

        it('leaves no process', () => {
          expect(events.at(-1)).to.deep.equal({ leg, event: 'closed', processesStarted: 1, processesLeft: 0 });
        });
      });
    }
  });

  describe('with a server of the user', () => {
    it('calls the tool that was asked for', async () => {
      const { code, stdout } = await run('--json', '--command', everythingCommand, '--call', 'get-sum', '--args', '{"a":2,"b":3}');
      const events = parse(stdout);
      expect(events.find(({ event }) => event === 'result').text).to.equal('The sum of 2 and 3 is 5.');
      expect(events.at(-1)).to.include({ event: 'closed', processesLeft: 0 });
      expect(code).to.equal(0);
    });

    it('fails when the tool does', async () => {
      const { code } = await run('--command', everythingCommand, '--call', 'no-such-tool');
      expect(code).to.equal(1);
    });

    it('says how its program ended', async () => {
      const { code, stderr } = await run('--command', `"${process.execPath}" -e "console.error('no licence'); process.exit(3)"`);
      expect(stderr).to.equal('error: The server ended the connection (exit code 3): no licence\n');
      expect(code).to.equal(1);
    });
  });

  describe('in one line on stderr', () => {
    const cases: [args: string[], code: number, says: RegExp][] = [
      [['--command', 'no-such-binary'], 1, /no-such-binary.*not found/],
      [['--url', 'http://127.0.0.1:1/mcp'], 1, /Cannot reach http:\/\/127\.0\.0\.1:1\/mcp/],
      [['--url', 'nonsense'], 1, /URL.*nonsense/],
      [['--nonsense'], 2, /'--nonsense'/],
      [['--url', 'http://127.0.0.1:1/mcp', '--header', 'nonsense'], 2, /header.*nonsense/],
      [['--command', 'node "a'], 2, /open quote/],
      [['call', 'a', 'b'], 2, /"call" needs --config or --discover/],
      [['call', 'a', '--config', 'x'], 2, /Known are "watch" and "call SERVER TOOL JSON"/],
      [['--config', 'x', '--url', 'http://127.0.0.1:9'], 2, /go with none of/],
      [['--command', 'node a', '--call', 'b', '--args', '{"c"'], 2, /The arguments are not JSON/],
      [['--command', 'node a', '--call', 'b', '--args', '[1]'], 2, /JSON object/],
      [['--command', 'node a', '--url', 'http://127.0.0.1:1/mcp'], 2, /exclude/],
      [['--call', 'b'], 2, /--call needs/],
    ];
    for (const [args, code, says] of cases) {
      it(args.join(' '), async () => {
        const result = await run(...args);
        expect(result.stderr).to.match(/^error: .*\n$/).and.match(says);
        expect(result.code).to.equal(code);
      });
    }
  });

  describe('with the servers of a configuration file', () => {
    let folderOfConfig = '';
    let file = '';
    before(() => {
      folderOfConfig = mkdtempSync(join(tmpdir(), 'demo-'));
      file = join(folderOfConfig, 'servers.json');
      const mcpServers = {
        everything: { command: process.execPath, args: [everything, 'stdio'] },
        missing: { command: 'no-such-command' },
        token: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${NO_SUCH_TOKEN}' } },
      };
      writeFileSync(file, JSON.stringify({ mcpServers }));
    });
    after(() => {
      rmSync(folderOfConfig, { recursive: true });
    });

    it('connects all side by side, says why one is not there, and leaves no process', async () => {
      const { code, stdout, stderr } = await run('--json', '--config', file);
      expect([code, stderr]).to.deep.equal([0, '']);
      const events = parse(stdout);
      const { servers } = events.findLast(({ event }) => event === 'servers');
      expect(servers.map(({ name, phase }: any) => `${name} ${phase}`)).to.deep.equal(['everything ready', 'missing stopped', 'token broken']);
      expect(servers[1].why).to.include('no-such-command');
      expect(servers[2].why).to.include('NO_SUCH_TOKEN');
      expect(events.find(({ event }) => event === 'tools').tools).to.include('everything__echo');
      expect(events.at(-1)).to.deep.equal({ event: 'closed', processesLeft: 0 });
    });

    it('calls one tool of one of them', async () => {
      const { code, stdout } = await run('call', 'everything', 'echo', '{"message":"hi"}', '--config', file);
      expect(code).to.equal(0);
      expect(stdout).to.include('Echo: hi').and.include('no process left').and.not.include('missing');
    });

    it('fails when the tool, or its server, is not there', async () => {
      const [tool, server] = await Promise.all([run('call', 'everything', 'nope', '--config', file), run('call', 'missing', 'x', '--config', file)]);
      expect([tool.code, server.code]).to.deep.equal([1, 1]);
      expect(server.stderr).to.include('no-such-command');
    });

    it('watches, follows the file, and closes when interrupted', async () => {
      const { child, ended } = start('--json', 'watch', '--config', file);
      let seen = '';
      child.stdout.on('data', (text: string) => (seen += text));
      const until = async (look: RegExp): Promise<void> => {
        while (!look.test(seen)) await once(child.stdout, 'data');
      };
      await until(/"name":"everything","phase":"ready"/);
      writeFileSync(file, JSON.stringify({ mcpServers: { second: { command: process.execPath, args: [everything, 'stdio'] } } }));
      await until(/"servers":\[\{"name":"second","phase":"ready"/);
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      expect(code).to.equal(130);
      expect(parse(stdout).at(-1)).to.deep.equal({ event: 'closed', processesLeft: 0 });
    });
  });

  it('explains itself', async () => {
    const { code, stdout } = await run('--help');
    for (const option of ['--url', '--command', '--header', '--call', '--args', '--json']) expect(stdout).to.include(option);
    expect(code).to.equal(0);
  });

  it('closes politely when interrupted', async function () {
    if (process.platform === 'win32') this.skip(); // no signals there
    const { child, ended } = start('--json');
    for await (const line of createInterface(child.stdout)) if (JSON.parse(line).event === 'progress') child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    const events = parse(stdout);
    expect(events.at(-1)).to.deep.equal({ leg: 'stdio', event: 'closed', processesStarted: 1, processesLeft: 0 });
    expect(events.map(({ event }) => event)).to.include('sent').and.not.include('result');
    expect(stderr).to.equal('');
    expect(code).to.equal(130);
  });

  it('uses the library through its door only', () => {
    const imports = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/(?<=')[^']*\/lib\/[^']*(?=')/g) ?? []);
    expect([...new Set(imports)]).to.deep.equal(['../../lib/node.ts']);
  });

  describe('splitCommand', () => {
    const cases: [line: string, words: string[] | undefined][] = [
      ['node server.js --flag', ['node', 'server.js', '--flag']],
      ['  node\t a  ', ['node', 'a']],
      [`node "a b" 'c d' e" f "g`, ['node', 'a b', 'c d', 'e f g']],
      [String.raw`"say \"hi\"" "c:\\x" c:\y`, ['say "hi"', String.raw`c:\x`, String.raw`c:\y`]],
      [`node "" ''`, ['node', '', '']],
      ['', []],
      ['node "a', undefined],
      [`it's`, undefined],
    ];
    for (const [line, words] of cases) it(line, () => expect(splitCommand(line)).to.deep.equal(words));
  });

  describe('on a terminal', () => {
    const show = (hasColour: boolean): string => {
      let text = '';
      const report = textReporter({ write: (part) => (text += part), width: 80, isLive: true, hasColour });
      report({ leg: 'a', event: 'progress', progress: 1, total: 2 });
      report({ leg: 'a', event: 'log', level: 'info', data: 'half\u001B[2J\nof it' });
      report({ leg: 'a', event: 'progress', progress: 2, total: 2 });
      report({ leg: 'a', event: 'result', text: 'done', isError: false });
      return text;
    };

    it('moves one bar, with everything else above it', () => {
      const redraw = '\r\u001B[2K';
      const half = `  progress    ${'━'.repeat(15)}${'─'.repeat(15)}  1/2  `;
      const full = `  progress    ${'━'.repeat(30)}  2/2  `;
      expect(show(false)).to.equal(`${redraw}${half}${redraw}  log         info  half of it\n${half}${redraw}${full}\n${redraw}  result      done\n`);
    });

    it('has colours unless told otherwise', () => {
      expect(show(true)).to.include('\u001B[32m');
    });
  });
});
