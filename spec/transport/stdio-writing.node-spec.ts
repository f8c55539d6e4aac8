import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { ConfigError, ConnectionClosedError, QueueFullError, RequestTimeoutError } from '../../lib/errors.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { call, call$, closeStdio, isAlive, openStdio } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';

const MIB = 'x'.repeat(1_048_576);

describe('stdio: writing', function () {
  this.timeout(20_000);
  afterEach(closeStdio);

  it('a child that never reads cannot outlive the deadline, nor close() [R24 B09]', async () => {
    const { connection, closes, pid } = await openStdio('deaf', {}, { shutdownStepMs: 100 });
    const error = await errorOf(call$(connection, { MIB }, { timeoutMs: 200 }));
    expect(error).to.be.instanceOf(RequestTimeoutError);
    expect(error.message).to.equal('Request timeout after 200ms');
    expect(connection.pendingRequests).to.equal(0);
    const notification = await errorOf(connection.notify('note', undefined, { timeoutMs: 50 }));
    expect(notification.message).to.equal('Notify timeout after 50ms');
    await outcome(connection.close());
    expect(closes).to.deep.equal([undefined]);
    expect(isAlive(pid)).to.equal(false);
  });

  it('abort and unsubscribing cover the wait for the pipe, too [R42 B09]', async () => {
    const { connection } = await openStdio('deaf', {}, { shutdownStepMs: 100 });
    const abort = new AbortController();
    const reason = new Error('enough');
    const given = outcome(call$(connection, { MIB }, { signal: abort.signal }));
    const left = record(call$(connection, { MIB }));
    left.unsubscribe();
    abort.abort(reason);
    expect((await given).error).to.equal(reason);
    expect(connection.pendingRequests).to.equal(0);
  });

  it('what waits is bounded: one more is refused, and nothing of it was sent [R24]', async () => {
    const { connection } = await openStdio('deaf', {}, { shutdownStepMs: 100, maxQueuedBytes: 3_000_000 });
    const failures = record(connection.deliveries$);
    const calls = [record(call$(connection, { MIB }))];
    await new Promise((resolve) => setTimeout(resolve, 20)); // it is in the pipe's hands now
    for (let i = 0; i < 3; i++) calls.push(record(call$(connection, { MIB })));
    const refused = calls.filter(({ errors }) => errors.length > 0);
    expect(refused).to.have.length(1);
    expect(refused[0]).to.equal(calls.at(-1));
    expect(refused[0]?.errors[0]).to.be.instanceOf(QueueFullError);
    expect(refused[0]?.errors[0]).to.deep.include({ limit: 3_000_000 });
    expect(failures.values).to.have.length(1);
    expect(failures.values[0]).to.include({ type: 'failed', mayHaveRun: false });
    calls[1]!.unsubscribe(); // makes room
    calls.push(record(call$(connection, { MIB })));
    expect(calls.at(-1)?.errors).to.deep.equal([]);
    await outcome(connection.close());
    for (const { errors, completed } of [calls[0]!, calls[2]!, calls[4]!]) {
      expect(completed).to.equal(0);
      expect(errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed']);
    }
  });

  it('a request given up in the queue is never written, nor cancelled; one given up later is [R43]', async () => {
    const stdio = await openStdio('pauses');
    const { connection, pid } = stdio;
    await outcome(connection.notify('pause'));
    await until(() => stdio.stderr().includes('paused'));
    const first = record(call$(connection, { tag: 'first', MIB }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const queued = record(call$(connection, { tag: 'unsubscribed' }));
    const timedOut = errorOf(call$(connection, { tag: 'timed out' }, { timeoutMs: 20 }));
    const stays = outcome(call$(connection, { tag: 'stays' }));
    queued.unsubscribe();
    expect((await timedOut).message).to.equal('Request timeout after 20ms');
    first.unsubscribe();
    process.kill(pid, 'SIGUSR2');
    expect((await stays).values).to.have.length(1);
    const seen: [string, unknown, string | null][] = JSON.parse(await call(connection, { tag: 'last' }));
    expect(seen.map(([method, , tag]) => tag ?? method)).to.deep.equal(['pause', 'first', 'stays', 'notifications/cancelled', 'last']);
    const [, firstId] = seen.find(([, , tag]) => tag === 'first')!;
    expect(seen.find(([method]) => method === 'notifications/cancelled')?.[1]).to.equal(firstId);
  });

  it('what piles up within a tick begins to leave before its end, in few writes', async () => {
    const { connection } = await openStdio('plain');
    await call(connection, {});
    const { write } = Duplex.prototype;
    let writes = 0;
    Duplex.prototype.write = function (this: Duplex, ...args: any) {
      if (typeof args[0] === 'string' && args[0].includes('"tools/call"')) writes++;
      return (write as (...all: any) => boolean).apply(this, args);
    };
    try {
      const few = call(connection, { few: true });
      expect(writes).to.equal(0); // it may still be taken back
      await few;
      expect(writes).to.equal(1);
      writes = 0;
      const calls = Array.from({ length: 3_000 }, (_, n) => call(connection, { n, pad: 'x'.repeat(80) }));
      expect(writes).to.be.within(1, 8);
      expect(await Promise.all(calls)).to.have.length(3_000);
      expect(writes).to.be.below(20);
    } finally {
      Duplex.prototype.write = write;
    }
  });

  it('keeps the order through a full pipe [R24]', async () => {
    const stdio = await openStdio('pauses');
    const { connection, pid } = stdio;
    await outcome(connection.notify('pause'));
    await until(() => stdio.stderr().includes('paused'));
    const calls = Array.from({ length: 30 }, (_, n) => call(connection, { tag: String(n), pad: 'x'.repeat(n % 3 === 0 ? 200_000 : 10) }));
    process.kill(pid, 'SIGUSR2');
    await Promise.all(calls);
    const seen: [string, unknown, string | null][] = JSON.parse(await call(connection));
    expect(seen.flatMap(([, , tag]) => tag ?? [])).to.deep.equal(Array.from({ length: 30 }, (_, n) => String(n)));
  });

  it('what is no JSON is an error of that call alone', async () => {
    const { connection } = await openStdio('plain');
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const args of [{ big: 1n }, cycle]) expect(await errorOf(call$(connection, args))).to.be.instanceOf(ConfigError);
    expect(await errorOf(connection.notify('note', cycle))).to.be.instanceOf(ConfigError);
    expect(await call(connection, { n: 1 })).to.equal('{"n":1}');
    expect(connection.pendingRequests).to.equal(0);
  });

  it('line ends and odd characters in what is sent stay inside the line', async () => {
    const { connection } = await openStdio('plain');
    const text = 'a\nb\r\nc\u2028d\u0000e\uD800f漢🦀';
    expect(JSON.parse(await call(connection, { text }))).to.deep.equal({ text });
  });

  it('a child that closes its stdin ends the connection, not the process [B14]', async () => {
    const stdio = await openStdio('hangs-up', { pipe: 'stdin' }, { shutdownStepMs: 100 });
    const { connection, closes, pid } = stdio;
    const first = outcome(call$(connection));
    await until(() => stdio.stderr().includes('closed stdin'));
    const second = outcome(call$(connection));
    for (const { error } of [await first, await second]) expect(error).to.be.instanceOf(ConnectionClosedError);
    await until(() => closes.length > 0);
    expect(closes).to.have.length(1);
    expect(isAlive(pid)).to.equal(false);
  });
});
