import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { expect } from 'chai';
import { map, of, Subject } from 'rxjs';
import { createManager, toEntries, watchConfig, type ConfigChange, type ConfigWatchOptions, type ServerEntry } from '../../../lib/node.ts';
import { FolderWatch } from '../../../lib/manager/config/folder-watch.ts';
import { GENERIC } from '../../../lib/manager/config/hosts.ts';
import { stdioServer } from '../../support/node-fixtures.ts';
import { outcome, pause, until } from '../../support/outcome.ts';
import { ConfigFolder } from './config-folder.ts';

const file = (servers: Record<string, string>) => ({ mcpServers: Object.fromEntries(Object.entries(servers).map(([name, command]) => [name, { command, args: [name] }])) });
const watchers = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('FSEvent')).length;
/** For changes that are seen in a moment, without waiting long for them. */
const DEBOUNCE_MS = 20;

describe('watchConfig()', () => {
  let folder: ConfigFolder;
  beforeEach(() => {
    folder = new ConfigFolder();
  });
  afterEach(() => {
    folder.remove();
  });

  async function watching(run: (seen: ConfigChange[], last: () => Record<string, unknown>) => Promise<void>, options: ConfigWatchOptions = {}): Promise<void> {
    const before = watchers();
    const seen: ConfigChange[] = [];
    const errors: unknown[] = [];
    const subscription = watchConfig({ debounceMs: DEBOUNCE_MS, ...folder.options, hosts: ['cursor'], ...options }).subscribe({ next: (change) => seen.push(change), error: (error: unknown) => errors.push(error) });
    try {
      await until(() => seen.length > 0);
      await run(seen, () => Object.fromEntries((seen.at(-1)?.entries ?? []).map(({ name, config }) => [name, (config as any)?.command])));
    } finally {
      subscription.unsubscribe();
    }
    expect(errors).to.deep.equal([]);
    await until(() => watchers() === before); // A folder that is removed takes its watcher with it, so now.
  }
  const difference = ({ added, changed, removed }: ConfigChange) => ({ added, changed, removed });

  it('gives all at first, then what differs by name', async () => {
    folder.write('.cursor/mcp.json', file({ a: '1', b: '1', c: '1' }));
    await watching(async (seen) => {
      expect(difference(seen[0]!)).to.deep.equal({ added: ['a', 'b', 'c'], changed: [], removed: [] });
      folder.write('.cursor/mcp.json', file({ d: '1', b: '2', c: '1' }));
      await until(() => seen.length === 2);
      expect(difference(seen[1]!)).to.deep.equal({ added: ['d'], changed: ['b'], removed: ['a'] });
    });
  });

  it('sees a file that takes the place of another', async () => {
    folder.write('.cursor/mcp.json', file({ a: '1' }));
    await watching(async (seen, last) => {
      for (const version of ['2', '3']) {
        const temporary = folder.write('.cursor/.mcp.json.tmp', file({ a: version }));
        renameSync(temporary, folder.path('.cursor/mcp.json'));
        await until(() => last().a === version);
      }
      expect(seen.slice(1).map(difference)).to.deep.equal([{ added: [], changed: ['a'], removed: [] }, { added: [], changed: ['a'], removed: [] }]);
    });
  });

  it('sees a file that goes, and comes back', async () => {
    const path = folder.write('.cursor/mcp.json', file({ a: '1' }));
    await watching(async (seen, last) => {
      rmSync(path);
      await until(() => seen.length === 2);
      expect(difference(seen[1]!)).to.deep.equal({ added: [], changed: [], removed: ['a'] });
      folder.write('.cursor/mcp.json', '{');
      await until(() => seen.length === 3);
      expect(last()).to.deep.equal({}); // What it said before it went does not come back.
      folder.write('.cursor/mcp.json', file({ a: '1' }));
      await until(() => last().a === '1');
    });
  });

  it('sees a folder that is moved away, and another in its place', async () => {
    folder.write('.cursor/mcp.json', file({ a: '1' }));
    await watching(async (seen, last) => {
      renameSync(folder.path('.cursor'), folder.path('.old'));
      await until(() => seen.at(-1)!.entries.length === 0);
      folder.write('.new/mcp.json', file({ a: '2' }));
      renameSync(folder.path('.new'), folder.path('.cursor'));
      await until(() => last().a === '2');
    });
  });

  it('looks only at files that matter', async () => {
    const told = { a: 0, b: 0 };
    const subscriptions = (['a', 'b'] as const).map((name) => {
      const watch = new FolderWatch();
      watch.changes$.subscribe(() => told[name]++);
      watch.cover([{ path: folder.path(name), isFolder: false, isExplicit: true, host: GENERIC, scope: 'given', servers: true }]);
      return watch;
    });
    folder.write('b', '');
    await until(() => told.b > 0);
    expect(told.a).to.equal(0);
    for (const watch of subscriptions) watch.unsubscribe();
  });

  it('sees files that appear later, in folders that do', async () => {
    await watching(async (seen, last) => {
      expect(seen[0]!.entries).to.deep.equal([]);
      folder.write('.cursor/mcp.json', file({ a: '1' }));
      await until(() => last().a === '1');
      folder.write('~/.cursor/mcp.json', file({ b: '1' }));
      await until(() => last().b === '1');
      expect(seen.slice(1).map(difference)).to.deep.equal([{ added: ['a'], changed: [], removed: [] }, { added: ['b'], changed: [], removed: [] }]);
    });
  });

  it('sees a folder that goes and comes back, more than once', async () => {
    folder.write('.cursor/mcp.json', file({ a: '0' }));
    await watching(async (seen, last) => {
      for (const version of ['1', '2']) {
        rmSync(folder.path('.cursor'), { recursive: true });
        folder.write('.cursor/mcp.json', file({ a: version }));
        await until(() => last().a === version);
      }
      rmSync(folder.path('.cursor'), { recursive: true });
      await until(() => seen.at(-1)!.entries.length === 0);
      folder.write('.cursor/mcp.json', file({ a: '3' }));
      await until(() => last().a === '3');
      folder.write('.cursor/mcp.json', file({ a: '4' }));
      await until(() => last().a === '4');
    });
  });

  it('sees files of a folder of files', async () => {
    await watching(
      async (_, last) => {
        folder.write('.continue/mcpServers/a.yaml', 'mcpServers: [{ name: a, command: "1" }]');
        await until(() => last().a === '1');
        folder.write('.continue/mcpServers/b.yaml', 'mcpServers: [{ name: b, command: "1", args: [b] }]');
        await until(() => last().b === '1');
      },
      { hosts: ['continue'] },
    );
  });

  it('sees edits behind a link', async function () {
    if (process.platform === 'win32') this.skip();
    const target = folder.write('~/dotfiles/mcp.json', file({ a: '1' }));
    mkdirSync(folder.path('.cursor'));
    symlinkSync(target, folder.path('.cursor/mcp.json'));
    await watching(async (_, last) => {
      expect(last()).to.deep.equal({ a: '1' });
      writeFileSync(target, JSON.stringify(file({ a: '2' })));
      await until(() => last().a === '2');
    });
  });

  it('keeps what a file said before it was broken, with a warning', async () => {
    const path = folder.write('.cursor/mcp.json', file({ a: '1' }));
    folder.write('~/.cursor/mcp.json', file({ b: '1' }));
    await watching(async (seen, last) => {
      folder.write('.cursor/mcp.json', '{ "mcpServers": ');
      await until(() => seen.length === 2);
      expect(difference(seen[1]!)).to.deep.equal({ added: [], changed: [], removed: [] });
      expect(last()).to.deep.equal({ a: '1', b: '1' });
      expect(seen[1]!.warnings.map(({ kind, file: place }) => [kind, place])).to.deep.equal([['broken', path], ['kept', path]]);
      folder.write('~/.cursor/mcp.json', file({ b: '2' })); // The others go on.
      await until(() => last().b === '2');
      folder.write('.cursor/mcp.json', file({ a: '2' }));
      await until(() => last().a === '2');
      expect(seen.at(-1)!.warnings).to.deep.equal([]);
    });
  });

  it('keeps what an empty or unreadable file said, as for one that is being written', async function () {
    const path = folder.write('.cursor/mcp.json', file({ a: '1' }));
    await watching(async (seen, last) => {
      folder.write('.cursor/mcp.json', '');
      await until(() => seen.length === 2);
      expect(last()).to.deep.equal({ a: '1' });
      if (process.platform === 'win32' || process.getuid?.() === 0) return;
      chmodSync(path, 0);
      await until(() => seen.at(-1)!.warnings.some(({ kind }) => kind === 'unreadable'));
      expect(last()).to.deep.equal({ a: '1' });
    });
  });

  it('says nothing when nothing differs, be it a comment or another file', async () => {
    folder.write('.cursor/mcp.json', file({ a: '1' }));
    await watching(async (seen, last) => {
      folder.write('.cursor/other.json', 'x');
      folder.write('.cursor/mcp.json', `// c\n${JSON.stringify(file({ a: '1' }))}`);
      await pause(10 * DEBOUNCE_MS);
      folder.write('.cursor/mcp.json', file({ a: '2' }));
      await until(() => last().a === '2');
      expect(seen).to.have.length(2);
    });
  });

  it('reads in the end though a file is never left alone', async () => {
    folder.write('.cursor/mcp.json', file({ a: '0' }));
    await watching(async (seen) => {
      await until(() => {
        folder.write('.cursor/mcp.json', file({ a: String(performance.now()) }));
        return seen.length > 2;
      });
    });
  });

  it('asks once for what is asked for', async () => {
    const entry = (args: string[]) => ({ mcpServers: { a: { command: '${input:x}', args } } });
    folder.write('.cursor/mcp.json', entry([]));
    let asked = 0;
    const resolve = () => of('given').pipe(map((value) => `${value}${++asked}`));
    await watching(
      async (seen) => {
        folder.write('.cursor/mcp.json', entry(['1']));
        await until(() => seen.length === 2);
        expect(seen[1]!.entries[0]!.config).to.deep.include({ command: 'given1', args: ['1'] });
      },
      { resolve },
    );
    expect(asked).to.equal(1);
  });

  it('ends with the subscription, also while it reads or waits for an answer', async () => {
    folder.write('.cursor/mcp.json', { mcpServers: { a: { command: '${input:x}' } } });
    const options = { ...folder.options, hosts: ['cursor'] as const };
    watchConfig(options).subscribe().unsubscribe();
    const answers = new Subject<string>();
    const subscription = watchConfig({ ...options, resolve: () => answers }).subscribe();
    await until(() => answers.observed);
    subscription.unsubscribe();
    expect(answers.observed).to.equal(false);
  });

  it('errors for a host that is not known', async () => {
    expect((await outcome(watchConfig({ hosts: ['nobody' as any] }))).error).to.have.property('name', 'ConfigError');
  });

  it('starts, replaces and ends the servers of a manager', async () => {
    const { command, args } = stdioServer('modern');
    const servers = (...names: string[]) => ({ mcpServers: Object.fromEntries(names.map((name) => [name, { command, args: [...args, name] }])) });
    folder.write('.cursor/mcp.json', servers('a', 'b'));
    await using manager = createManager(watchConfig({ ...folder.options, hosts: ['cursor'], debounceMs: DEBOUNCE_MS }).pipe(toEntries()));
    await outcome(manager.discoverAndConnect());
    const phases = () => ['a', 'b', 'c'].map((name) => manager.statusOf(name)?.state.phase);
    expect(phases(), String(manager.statusOf('a')?.state.cause)).to.deep.equal(['ready', 'ready', undefined]);
    const kept = manager.clientOf('b');
    folder.write('.cursor/mcp.json', servers('b', 'c'));
    await until(() => manager.statusOf('c')?.state.phase === 'ready');
    expect(phases()).to.deep.equal([undefined, 'ready', 'ready']);
    expect(manager.clientOf('b')).to.equal(kept);
  });
});

describe('toEntries()', () => {
  it('gives the entries, and each warning when it comes', async () => {
    const entries: ServerEntry[] = [{ name: 'a' }];
    const snapshot = (...messages: string[]) => ({ entries, warnings: messages.map((message) => ({ kind: 'file' as const, message })) });
    const told: string[] = [];
    const source$ = of(snapshot('x', 'y'), snapshot('y', 'z'), snapshot(), snapshot('x')).pipe(toEntries(({ message }) => told.push(message)));
    expect((await outcome(source$)).values).to.deep.equal([entries, entries, entries, entries]);
    expect(told).to.deep.equal(['x', 'y', 'z', 'x']);
  });
});
