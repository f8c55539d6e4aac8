import { expect } from 'chai';
import { createClient } from '../../lib/node.ts';
import { rawStdio } from '../support/node-fixtures.ts';
import { errorOf, outcome } from '../support/outcome.ts';
import { call, call$, closeStdio, makeStdio, openStdio } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';
import { Connection } from '../../lib/session/connection.ts';
import { StdioTransport } from '../../lib/transport/stdio.ts';

describe('stdio: stderr [R20 B08]', function () {
  this.timeout(20_000);
  afterEach(closeStdio);

  for (const invalid of [false, true]) {
    it(`a flood${invalid ? ' of invalid UTF-8' : ''} holds no call up, with nobody listening`, async () => {
      const transport = new StdioTransport(rawStdio('stderr-flood', { bytes: 262_144, invalid }));
      const connection = new Connection(transport);
      await outcome(connection.connect());
      expect(await call(connection)).to.equal('after the flood');
      expect(await call(connection)).to.equal('after the flood');
      await outcome(connection.close());
    });
  }

  it('a flood reaches who listens, whole and in order', async () => {
    const { connection, stderr } = await openStdio('stderr-flood', { bytes: 262_144 });
    await call(connection);
    await outcome(connection.close());
    expect(stderr().length).to.equal(262_144);
    expect(stderr().startsWith('eee')).to.equal(true);
  });

  it('a listener that throws nothing away later: stderr$ completes on close', async () => {
    const { connection } = await openStdio('plain');
    const listening = record(connection.stderr$!);
    await outcome(connection.close());
    expect(listening).to.deep.include({ completed: 1, errors: [] });
  });

  it('a flood holds the probe up no more than a call', async () => {
    const client = createClient(rawStdio('stderr-flood', { bytes: 262_144, on: 'server/discover' }));
    const methods: unknown[] = [];
    client.wire$.subscribe(({ direction, message }) => direction === 'out' && methods.push((message as any).method));
    expect((await outcome(client.connect())).error).to.equal(undefined);
    expect(methods).to.deep.equal(['server/discover', 'initialize', 'notifications/initialized']);
    expect(client.protocolVersion).to.equal('2025-11-25');
    await outcome(client.close());
  });

  it('a flood during the shutdown holds it up neither', async () => {
    const { connection, closes } = await openStdio('stderr-flood', { bytes: 1_048_576, on: 'notifications/flood' });
    connection.notify('notifications/flood').subscribe({ error: () => {} });
    expect((await outcome(connection.close())).error).to.equal(undefined);
    expect(closes).to.deep.equal([undefined]);
  });

  it('errors carry the last of it, not all [B14]', async () => {
    const stderr = `${'a'.repeat(100_000)}\nError: missing API key é漢\n`;
    const { connection } = await openStdio('exits', { on: 'tools/call', stderr, code: 78 });
    const error = await errorOf(call$(connection));
    expect(error.stderrTail.endsWith('Error: missing API key é漢\n')).to.equal(true);
    expect(error.stderrTail.length).to.be.within(1_000, 10_000);
    expect(error).to.include({ exitCode: 78, signal: null });
  });

  it('is there before connect() and never replayed', async () => {
    const stdio = makeStdio(rawStdio('polite'));
    expect(stdio.transport.stderr$).to.equal(stdio.connection.stderr$);
    await outcome(stdio.connection.connect());
    await call(stdio.connection);
    await outcome(stdio.connection.close());
    expect(stdio.stderr()).to.equal('goodbye\n');
    expect(record(stdio.transport.stderr$)).to.deep.include({ values: [], completed: 1 });
  });
});
