import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { Connection } from '../../lib/session/connection.ts';
import { StdioTransport } from '../../lib/transport/stdio.ts';
import { outcome, pause, until } from '../support/outcome.ts';
import { isAlive, pidsOf, watchChildren } from '../support/stdio.ts';

// A server that is quick to start: it answers every line with the line.
const quick = { command: 'cat' };

/** What Node knows of: open handles and timers by kind, and listeners on the process. */
function census(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const event of process.eventNames()) counts[`listeners of ${String(event)}`] = process.listenerCount(event);
  return counts;
}

describe('stdio: rounds [R21]', function () {
  this.timeout(60_000);

  const children = watchChildren();

  async function round(): Promise<void> {
    const connection = new Connection(new StdioTransport(quick));
    await outcome(connection.connect());
    expect((await outcome(connection.notify('note'))).error).to.equal(undefined);
    await outcome(connection.close());
  }

  it('200 of them leave no process, handle, timer or listener', async () => {
    const processes = () => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
    const others = processes(); // the fixture servers are one
    for (let i = 0; i < 5; i++) await round();
    await until(() => processes() <= others);
    const before = census();
    for (let i = 0; i < 200; i++) await round();
    expect(children()).to.have.length(205);
    expect(pidsOf(children()).filter(isAlive)).to.deep.equal([]);
    const left = (child: ChildProcess): number =>
      [child, child.stdin, child.stdout, child.stderr].reduce((sum, emitter) => sum + (emitter?.listenerCount('data') ?? 0), 0);
    expect(children().reduce((sum, child) => sum + left(child), 0)).to.equal(0);
    const grown = () => Object.entries(census()).filter(([kind, count]) => count > (before[kind] ?? 0) && kind !== 'Immediate' && kind !== 'TickObject');
    for (let looks = 0; looks < 100 && grown().length > 0; looks++) await pause(20); // the last child's handle ends a moment later
    expect(grown()).to.deep.equal([]);
  });

  it('20 at once leave none either', async () => {
    const before = process.listenerCount('exit');
    await Promise.all(Array.from({ length: 20 }, round));
    expect(children()).to.have.length(20);
    expect(pidsOf(children()).filter(isAlive)).to.deep.equal([]);
    expect(process.listenerCount('exit')).to.equal(before);
  });

  it('while one runs, the exit of this process would end it; afterwards nothing is held', async () => {
    const before = process.listenerCount('exit');
    const [one, other] = [new Connection(new StdioTransport(quick)), new Connection(new StdioTransport(quick))];
    await Promise.all([outcome(one.connect()), outcome(other.connect())]);
    expect(process.listenerCount('exit')).to.equal(before + 1);
    await outcome(one.close());
    expect(process.listenerCount('exit')).to.equal(before + 1);
    await outcome(other.close());
    expect(process.listenerCount('exit')).to.equal(before);
  });
});
