import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConnectionClosedError, SpawnError } from '../../lib/errors.ts';
import { createClient, createTransport, INHERITED_VARIABLES } from '../../lib/node.ts';
import type { StdioConfig } from '../../lib/transport/stdio.ts';
import { rawStdio } from '../support/node-fixtures.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { call, call$, closeStdio, isAlive, makeStdio, openStdio } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';

describe('stdio: starting', function () {
  this.timeout(20_000);
  let folder: string;
  before(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'rxjs mcp-')))));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  afterEach(closeStdio);

  describe('of what cannot start', () => {
    const impossible: [title: string, config: () => StdioConfig, code: string, text: RegExp][] = [
      ['a command that does not exist', () => ({ command: 'no-such-binary-anywhere' }), 'ENOENT', /"no-such-binary-anywhere".*ENOENT.*PATH/],
      ['a path that does not exist', () => ({ command: join(folder, 'none') }), 'ENOENT', /none.*ENOENT/],
      ['a file that is not executable', () => ({ command: plainFile() }), 'EACCES', /EACCES.*executable/],
      ['a folder', () => ({ command: folder }), 'EACCES', /EACCES/],
      ['a working directory that does not exist', () => ({ command: process.execPath, cwd: join(folder, 'none') }), 'ENOENT', /directory .*none exist/],
      ['an argument with a NUL', () => ({ command: process.execPath, args: ['a\0b'] }), 'ERR_INVALID_ARG_VALUE', /null bytes/],
      ['an argument that is too long', () => ({ command: process.execPath, args: ['x'.repeat(4_000_000)] }), 'E2BIG', /E2BIG/],
    ];
    const plainFile = (): string => {
      const path = join(folder, 'plain.txt');
      writeFileSync(path, 'text', { mode: 0o644 });
      return path;
    };

    for (const [title, config, code, text] of impossible) {
      it(`${title} is one SpawnError, and the end [R20 B11 B14]`, async () => {
        const { connection, closes, transport } = makeStdio(config());
        const states = record(connection.state$);
        const error = await errorOf(connection.connect());
        expect(error).to.be.instanceOf(SpawnError);
        expect(error).to.include({ code, command: config().command });
        expect(error.message).to.match(text);
        expect(await errorOf(connection.connect())).to.equal(error);
        expect(states.values.map(({ status }) => status)).to.deep.equal(['idle', 'connecting', 'closed']);
        expect(states.values.at(-1)).to.deep.equal({ status: 'closed', cause: error });
        expect(states.completed).to.equal(1);
        expect(closes).to.deep.equal([error]);
        expect(transport.pid).to.equal(undefined);
        expect((await errorOf(call$(connection))).message).to.equal('Transport not connected');
        expect((await outcome(connection.close())).error).to.equal(undefined);
        expect(closes).to.deep.equal([error]);
      });

      it(`${title}: the client's connect() says the same, with nobody watching the rest [B11]`, async () => {
        const client = createClient(config());
        expect(await errorOf(client.connect())).to.be.instanceOf(SpawnError).with.property('code', code);
        await outcome(client.close());
      });
    }

    it('nobody subscribed: nothing is thrown anywhere [B11]', async () => {
      const { connection, closes } = makeStdio({ command: 'no-such-binary-anywhere' });
      void connection.connect();
      await until(() => closes.length > 0);
    });

    it('closed in the same turn, it is closed, once', async () => {
      const { connection, closes } = makeStdio({ command: 'no-such-binary-anywhere' });
      const connecting = outcome(connection.connect());
      expect((await outcome(connection.close())).error).to.equal(undefined);
      expect((await connecting).error).to.be.an('error');
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(closes).to.have.length(1);
    });
  });

  describe('of what ends at once', () => {
    it('gives exit code and stderr to everybody who asks [R22 B14]', async () => {
      const { connection, closes } = await openStdio('exits', { code: 78 });
      const error = await errorOf(call$(connection));
      expect(error).to.be.instanceOf(ConnectionClosedError);
      expect(error.message).to.equal('Transport closed');
      expect(error).to.deep.include({ exitCode: 78, signal: null, stderrTail: 'Error: missing API key\n' });
      await until(() => closes.length > 0);
      expect(closes).to.deep.equal([error]);
    });

    it('the client says so, and in which phase [B14]', async () => {
      const client = createClient({ ...rawStdio('exits', { code: 78 }), name: 'keyless' });
      const error = await errorOf(client.connect());
      expect(error).to.be.instanceOf(ConnectionClosedError);
      expect(error.message).to.equal('Transport closed');
      expect(error).to.deep.include({ server: 'keyless', phase: 'connecting', exitCode: 78, signal: null, stderrTail: 'Error: missing API key\n' });
      await outcome(client.close());
    });

    it('during initialize the same [B14]', async () => {
      const client = createClient(rawStdio('exits', { on: 'initialize', code: 2, stderr: 'bad config\n' }));
      const error = await errorOf(client.connect());
      expect(error).to.deep.include({ phase: 'connecting', exitCode: 2, stderrTail: 'bad config\n' });
      await outcome(client.close());
    });
  });

  describe('passes on', () => {
    const report = async (config: Partial<StdioConfig>, extra: string[] = []) => {
      const { args, ...rest } = rawStdio('reports');
      const { connection } = makeStdio({ ...rest, args: [...args, ...extra], ...config });
      await outcome(connection.connect());
      return JSON.parse(await call(connection)) as { args: string[]; env: Record<string, string>; cwd: string };
    };

    it('of our own environment the listed variables alone', async () => {
      process.env.RXJS_MCP_SECRET = 'hunter2';
      process.env.AWS_SECRET_ACCESS_KEY = 'hunter2';
      process.env.NODE_OPTIONS = '--no-warnings';
      try {
        const { env } = await report({ env: { MINE: 'é漢 "quoted" $HOME', EMPTY: '' } });
        expect(JSON.stringify(env)).not.to.include('hunter2');
        expect(env).to.include({ MINE: 'é漢 "quoted" $HOME', EMPTY: '', PATH: process.env.PATH });
        const others = Object.keys(env).filter((name) => !INHERITED_VARIABLES.includes(name));
        expect(others).to.have.members(['MINE', 'EMPTY']);
      } finally {
        delete process.env.RXJS_MCP_SECRET;
        delete process.env.AWS_SECRET_ACCESS_KEY;
        delete process.env.NODE_OPTIONS;
      }
    });

    it('no exported shell function', async () => {
      const { TERM } = process.env;
      process.env.TERM = '() { :; }; echo pwned';
      try {
        expect((await report({})).env).not.to.have.property('TERM');
      } finally {
        if (TERM === undefined) delete process.env.TERM;
        else process.env.TERM = TERM;
      }
    });

    it('the working directory', async () => {
      expect((await report({ cwd: folder })).cwd).to.equal(folder);
      expect((await report({})).cwd).to.equal(realpathSync(process.cwd()));
    });

    it('arguments as they are', async () => {
      const extra = ['a b', '', '"', "'", '\\', 'x\ny', '$HOME', '`id`', '*', '%PATH%', '--flag=a b', 'é漢🦀', '; exit 1', '&&'];
      expect((await report({}, extra)).args).to.deep.equal(extra);
    });

    it('no shell: a command with spaces is a file name', async () => {
      const error = await errorOf(createTransport({ command: 'echo hello' }).connect());
      expect(error).to.be.instanceOf(SpawnError).with.property('code', 'ENOENT');
    });
  });

  it('close() while it starts leaves no process', async () => {
    for (let i = 0; i < 5; i++) {
      const { connection, transport, closes } = makeStdio(rawStdio('plain'));
      const connecting = outcome(connection.connect());
      const { pid } = transport;
      expect(pid).to.be.a('number');
      await outcome(connection.close());
      expect((await connecting).error).to.be.an('error');
      expect(closes).to.deep.equal([undefined]);
      expect(isAlive(pid!)).to.equal(false);
    }
  });
});
