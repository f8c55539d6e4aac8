import { expect } from 'chai';
import { filter, firstValueFrom, map, take } from 'rxjs';
import { createManager, memoryStore, type McpManager, type ServerResult } from '../../lib/node.ts';
import { fixtureUrls } from '../support/fixtures.ts';
import { outcome, until } from '../support/outcome.ts';
import { watchChildren } from '../support/stdio.ts';
import { record, type Recorded } from '../support/test-scheduler.ts';
import { thirty, type Expected, type Planned } from './thirty.ts';

/** Fewer attempts than by default, so that the spec need not wait for the last. */
const healing = { firstDelayMs: 50, maxAttempts: 2 };

describe('a manager of thirty servers, many of them in trouble', function () {
  this.timeout(60_000);
  before(() => fixtureUrls()); // whose process is none of a manager's
  const children = watchChildren();
  const managers: McpManager[] = [];
  afterEach(async () => {
    await Promise.all(managers.splice(0).map((manager) => outcome(manager.close())));
    expect(children().filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)).to.deep.equal([]); // none is left
  });

  const managing = (planned: readonly Planned[], options: object = {}) => {
    const manager = createManager([planned.map(({ entry }) => entry)], { healing, ...options });
    managers.push(manager);
    return manager;
  };
  const of = (planned: readonly Planned[], ...expected: Expected[]) => planned.filter((one) => expected.includes(one.expected)).map(({ entry }) => entry.name);
  const ended = (results: Recorded<ServerResult>) => results.values.map(({ server }) => server);

  it('the quick ones are used while the slow ones start; each ends as it must, and says why; nobody is left', async () => {
    const planned = thirty(await fixtureUrls(), 8_000);
    expect(planned).to.have.length(30);
    const manager = managing(planned);
    const results = record(manager.discoverAndConnect());
    const phaseOf = (name: string) => manager.statusOf(name)?.state;

    await until(() => of(planned, 'ready').every((name) => ended(results).includes(name)));
    for (const name of of(planned, 'slow')) expect(phaseOf(name)?.phase, name).to.equal('connecting');
    const shown = await firstValueFrom(manager.tools$);
    const showing = new Set(shown.map(({ server }) => server));
    showing.delete('crash-1'); // which has been there for a moment
    expect(showing).to.deep.equal(new Set(of(planned, 'ready')));
    for (const server of ['stdio-everything-1', 'http-everything-2']) {
      const { values } = await outcome(manager.callTool({ server, tool: 'echo' }, { message: 'hi' }));
      expect(values[0]?.content, server).to.deep.equal([{ type: 'text', text: 'Echo: hi' }]);
    }
    expect((await outcome(manager.callTool({ server: 'flood-1', tool: 'flood' }))).values).to.have.length(1);
    for (const name of of(planned, 'slow')) expect(phaseOf(name)?.phase, name).to.equal('connecting'); // still

    await until(() => of(planned, 'crashing').every((name) => phaseOf(name)?.phase === 'stopped'));
    expect(phaseOf('missing-1')).to.deep.include({ phase: 'stopped' });
    expect(String(phaseOf('missing-1')?.cause)).to.include('no-such-command-1');
    expect(phaseOf('crash-1')?.cause).to.include({ name: 'ConnectionClosedError', exitCode: 3 });
    expect(phaseOf('unreachable-1')?.cause).to.have.property('name', 'NetworkError');
    expect(phaseOf('variable')).to.deep.include({ phase: 'broken' });
    expect(String(phaseOf('variable')?.cause)).to.include('TOKEN');

    await until(() => results.completed === 1);
    for (const name of of(planned, 'slow', 'ready')) expect(phaseOf(name)?.phase, name).to.equal('ready');
    expect(results.values.filter(({ status }) => status === 'ready').map(({ server }) => server)).to.include.members(of(planned, 'slow', 'ready'));
  });

  it('started again, it shows all tools at the gate, from the cache, before a slow server has said a word', async () => {
    const store = memoryStore();
    const names = ['slow-1', 'slow-2', 'stdio-legacy-1', 'http-modern-1'];
    const chosen = thirty(await fixtureUrls(), 1_500).filter(({ entry }) => names.includes(entry.name));
    const first = managing(chosen, { store });
    expect((await outcome(first.discoverAndConnect())).values).to.have.length(4);
    await until(() => names.every((name) => (first.statusOf(name)?.tools ?? 0) > 0));
    await outcome(first.close());

    const second = managing(chosen, { store });
    const results = record(second.discoverAndConnect());
    const shown = await firstValueFrom(second.tools$);
    expect(ended(results)).to.not.include('slow-1');
    expect(new Set(shown.map(({ server }) => server))).to.deep.equal(new Set(names));
    expect(shown.filter(({ server }) => server.startsWith('slow')).map(({ deferred }) => deferred)).to.deep.equal([true, true]);
    const { values } = await outcome(second.callTool('slow-1__slow')); // waits for the server
    expect(values[0]?.content).to.deep.equal([{ type: 'text', text: 'slow' }]);
    const live$ = second.tools$.pipe(
      map((tools) => tools.every(({ deferred }) => !deferred)),
      filter(Boolean),
      take(1),
    );
    expect(await firstValueFrom(live$)).to.equal(true);
  });
});
