import { expect } from 'chai';
import { merge } from 'rxjs';
import { ConnectionClosedError } from '../../lib/errors.ts';
import type { StdioConfig } from '../../lib/transport/stdio.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { call, call$, closeStdio, grandchildOf, isAlive, openStdio, type OpenStdio } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';

const gone = (pid: number) => until(() => !isAlive(pid));

describe('stdio: ending', function () {
  this.timeout(20_000);
  afterEach(closeStdio);

  describe('politely [R21 B13]', () => {
    it('closes stdin first, and waits', async () => {
      const stdio = await openStdio('polite', { delay: 200 });
      await call(stdio.connection);
      await outcome(stdio.connection.close());
      expect(stdio.stderr()).to.equal('goodbye\n');
      expect(isAlive(stdio.pid)).to.equal(false);
      expect(stdio.closes).to.deep.equal([undefined]);
    });

    it('then SIGTERM, if that is not enough', async () => {
      const stdio = await openStdio('stubborn', { sigterm: true }, { shutdownStepMs: 150 });
      await call(stdio.connection);
      await outcome(stdio.connection.close());
      expect(stdio.stderr()).to.equal('eof\n');
      expect(isAlive(stdio.pid)).to.equal(false);
    });

    it('then SIGKILL [B17]', async () => {
      const stdio = await openStdio('stubborn', {}, { shutdownStepMs: 150 });
      await call(stdio.connection);
      await outcome(stdio.connection.close());
      expect(stdio.stderr()).to.equal('eof\nsigterm\n');
      expect(isAlive(stdio.pid)).to.equal(false);
      expect(stdio.closes).to.deep.equal([undefined]);
    });

    it('ends what the child has started, even if that holds the pipes and ignores SIGTERM [B17]', async () => {
      const stdio = await openStdio('stubborn', { grandchild: true, sigterm: true }, { shutdownStepMs: 150 });
      const grandchild = await grandchildOf(stdio);
      expect(isAlive(grandchild)).to.equal(true);
      await outcome(stdio.connection.close());
      await gone(grandchild);
      expect(isAlive(stdio.pid)).to.equal(false);
      expect(stdio.closes).to.deep.equal([undefined]);
    });

    it('still writes what waited, and reads what comes meanwhile', async () => {
      const stdio = await openStdio('mute', { methods: ['x/last'] });
      await call(stdio.connection);
      const inbound = record(stdio.connection.inbound$);
      const pending = record(stdio.connection.request('x/last'));
      stdio.connection.outbound$.next({ jsonrpc: '2.0', id: 'late', method: 'ping' });
      await outcome(stdio.connection.close());
      expect(pending.errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed']);
      expect(stdio.stderr()).to.include('x/last').and.include('"late"');
      expect(inbound.values).to.deep.include({ jsonrpc: '2.0', id: 'late', result: {} });
      expect(inbound.completed).to.equal(1);
    });
  });

  describe('by itself [R22]', () => {
    it('killed with 100 calls under way: each rejects once, with the facts [B14]', async () => {
      const stdio = await openStdio('mute', { methods: ['x/mute'] });
      const calls = Array.from({ length: 100 }, () => record(stdio.connection.request('x/mute')));
      await call(stdio.connection); // all of them are there
      process.kill(stdio.pid, 'SIGKILL');
      await until(() => stdio.closes.length > 0);
      for (const { values, completed, errors } of calls) {
        expect({ values, completed, errors: errors.length }).to.deep.equal({ values: [], completed: 0, errors: 1 });
        expect(errors[0]).to.be.instanceOf(ConnectionClosedError);
        expect(errors[0].message).to.equal('Transport closed');
        expect(errors[0]).to.include({ exitCode: null, signal: 'SIGKILL' });
        expect(errors[0].stderrTail).to.include('tools/call');
      }
      expect(stdio.closes).to.have.length(1);
      expect(stdio.connection.pendingRequests).to.equal(0);
    });

    for (const code of [0, 3]) {
      it(`what it wrote right before it exited with ${code} is still read`, async () => {
        const stdio = await openStdio('exits', { on: 'tools/call', answer: true, code, stderr: 'bye\n' });
        const [first, second] = [outcome(call$(stdio.connection)), outcome(call$(stdio.connection))];
        expect((await first).values).to.have.length(1);
        const { values, error } = await second; // it may have been read too
        expect(values.length === 1 || error instanceof ConnectionClosedError).to.equal(true);
        await until(() => stdio.closes.length > 0);
        expect(stdio.closes[0]).to.include({ exitCode: code, signal: null });
        expect((stdio.closes[0] as ConnectionClosedError).stderrTail).to.include('bye\n');
      });
    }

    it('a grandchild that keeps the pipes open holds nothing up, and is ended [B13 B17]', async () => {
      const stdio = await openStdio('orphan', { code: 5 }, { shutdownStepMs: 150 });
      const error = await errorOf(call$(stdio.connection));
      expect(error).to.be.instanceOf(ConnectionClosedError);
      expect(error).to.include({ exitCode: 5, signal: null });
      await gone(await grandchildOf(stdio));
      expect(stdio.closes).to.deep.equal([error]);
    });

    it('stdout ends while the process lives: over, and the process is ended', async () => {
      const stdio = await openStdio('hangs-up', { pipe: 'stdout' }, { shutdownStepMs: 100 });
      expect(await errorOf(call$(stdio.connection))).to.be.instanceOf(ConnectionClosedError);
      await gone(stdio.pid);
      expect(stdio.closes).to.have.length(1);
    });

    it('does not start again', async () => {
      const stdio = await openStdio('exits', { on: 'tools/call', code: 0 });
      await outcome(call$(stdio.connection));
      await until(() => stdio.closes.length > 0);
      expect((await errorOf(call$(stdio.connection))).message).to.equal('Transport not connected');
      expect((await errorOf(stdio.connection.connect())).message).to.equal('Transport not connected');
      expect(stdio.connection.connected).to.equal(false);
    });
  });

  describe('is told exactly once, whichever way it comes [R21 R22 B17]', () => {
    type Way = [title: string, scenario: string, options: object, end: (stdio: OpenStdio & { pid: number }) => void, config?: Partial<StdioConfig>];
    const ways: Way[] = [
      ['close()', 'plain', {}, ({ connection }) => void connection.close()],
      ['close() twice', 'plain', {}, ({ connection }) => void merge(connection.close(), connection.close()).subscribe()],
      ['close() of one that ignores it', 'stubborn', {}, ({ connection }) => void connection.close(), { shutdownStepMs: 80 }],
      ['close() with a grandchild', 'stubborn', { grandchild: true }, ({ connection }) => void connection.close(), { shutdownStepMs: 80 }],
      ['close() as it exits', 'exits', { on: 'tools/call' }, ({ connection, transport }) => void transport.stderr$.subscribe(() => void connection.close())],
      ['exit 0', 'exits', { on: 'tools/call', code: 0 }, () => {}],
      ['exit 3', 'exits', { on: 'tools/call', code: 3 }, () => {}],
      ['a signal of its own', 'exits', { on: 'tools/call', signal: 'SIGKILL' }, () => {}],
      ['SIGKILL from outside', 'plain', {}, ({ pid }) => process.kill(pid, 'SIGKILL')],
      ['SIGTERM, then close()', 'plain', {}, ({ pid, connection }) => {
        process.kill(pid, 'SIGTERM');
        void connection.close();
      }],
      ['stdout hung up', 'hangs-up', { pipe: 'stdout' }, () => {}, { shutdownStepMs: 80 }],
      ['a line too long', 'long-line', { bytes: 300_000, lf: false }, () => {}, { maxMessageBytes: 100_000 }],
      ['an orphan', 'orphan', {}, () => {}, { shutdownStepMs: 80 }],
    ];
    for (const [title, scenario, options, end, config] of ways) {
      it(title, async () => {
        const stdio = await openStdio(scenario, options, config);
        const states = record(stdio.connection.state$);
        const notifications = record(stdio.connection.notifications$);
        const calls = [record(call$(stdio.connection)), record(call$(stdio.connection))];
        end(stdio);
        await until(() => states.completed > 0);
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(stdio.closes).to.have.length(1);
        expect(states.values.filter(({ status }) => status === 'closed')).to.have.length(1);
        expect(states).to.deep.include({ completed: 1, errors: [] });
        expect(notifications).to.deep.include({ completed: 1, errors: [] });
        for (const { errors, completed } of calls) expect(errors.length + completed).to.equal(1);
        expect((await outcome(stdio.connection.close())).error).to.equal(undefined);
        expect(stdio.closes).to.have.length(1);
        await gone(stdio.pid);
        if (stdio.stderr().includes('grandchild')) await gone(await grandchildOf(stdio));
      });
    }
  });
});
