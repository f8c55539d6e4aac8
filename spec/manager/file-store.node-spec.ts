import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { from } from 'rxjs';
import { fileStore, type CacheEntry, type CacheStore } from '../../lib/node.ts';
import { errorOf, outcome } from '../support/outcome.ts';

const entry = (askedAt: number, result: object = { askedAt }): CacheEntry => ({ result: { ...result }, askedAt, ttlMs: 1 });

/** Of a file that may go at any time. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

describe('fileStore()', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const get = async (store: CacheStore, key: string) => (await outcome(from(store.get(key)))).values;
  const set = async (store: CacheStore, key: string, value: CacheEntry) => {
    expect((await outcome(from(store.set(key, value)))).error).to.equal(undefined);
  };

  it('keeps what it is given, for other stores on the same folder as well', async () => {
    const place = join(folder, 'made/by/it');
    expect(await get(fileStore(place), 'k')).to.deep.equal([undefined]);
    await set(fileStore(place), '../k/\u0000', entry(1));
    await set(fileStore(place), 'other', entry(2));
    expect(await get(fileStore(place), '../k/\u0000')).to.deep.equal([entry(1)]);
    expect(await get(fileStore(place), 'other')).to.deep.equal([entry(2)]);
    expect(readdirSync(folder)).to.deep.equal(['made']);
    if (process.platform !== 'win32') for (const name of readdirSync(place)) expect(statSync(join(place, name)).mode & 0o077).to.equal(0);
  });

  it('lets no older answer take the place of a newer one, and leaves one file', async () => {
    const store = fileStore(folder);
    for (const askedAt of [1_700_000_000_000, 4, 1_700_000_000_000, 1_800_000_000_000, 999]) await set(store, 'k', entry(askedAt));
    expect(await get(store, 'k')).to.deep.equal([entry(1_800_000_000_000)]);
    expect(readdirSync(folder)).to.have.length(1);
  });

  it('takes files that are broken or foreign for nothing, and leaves foreign ones alone', async () => {
    const store = fileStore(folder);
    await set(store, 'k', entry(5));
    const [name = ''] = readdirSync(folder);
    const later = name.replace(/\d{16}/, '9'.repeat(16));
    for (const text of ['', '{"format":', '5', '{"format":2}', '{"format":1,"key":"k","entry":{}}', '{"format":1,"key":"other","entry":{"result":{},"askedAt":9,"ttlMs":1}}']) {
      writeFileSync(join(folder, later), text);
      expect(await get(store, 'k'), text).to.deep.equal([entry(5)]);
    }
    writeFileSync(join(folder, 'notes.txt'), 'x');
    await set(store, 'other', entry(1));
    expect(readdirSync(folder)).to.include('notes.txt');
  });

  it('errors when it cannot write, which costs a cache no more than time', async () => {
    writeFileSync(join(folder, 'file'), '');
    const error = await errorOf(from(fileStore(join(folder, 'file')).set('k', entry(1))));
    expect(['EEXIST', 'ENOTDIR']).to.include(error.code);
    expect(readdirSync(folder)).to.deep.equal(['file']);
  });

  it('may be written by two processes at once: what is read is whole, and the newest stays', async function () {
    this.timeout(60_000);
    const program = `
      import { fileStore } from ${JSON.stringify(new URL('../../lib/node.ts', import.meta.url).href)};
      import { lastValueFrom, from } from 'rxjs';
      const [, folder, start] = process.argv;
      const store = fileStore(folder);
      for (let n = 0; n < 100; n++) {
        const askedAt = (n * 37 % 100) * 2 + Number(start);
        await lastValueFrom(from(store.set('k', { result: { text: 'x'.repeat(20_000) + askedAt }, askedAt, ttlMs: 1 })));
      }`;
    const writers = ['0', '1'].map((start) => spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, folder, start], { cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'ignore', 'inherit'] }));
    const ended = Promise.all(writers.map((writer) => once(writer, 'exit')));
    const isOver = () => writers.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    const store = fileStore(folder);
    let newest = -1;
    let reads = 0;
    while (!isOver()) {
      for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
        const text = textOf(join(folder, name));
        if (text !== undefined) JSON.parse(text);
      }
      const [value] = await get(store, 'k');
      if (value === undefined) continue;
      expect(value.result).to.deep.equal({ text: `${'x'.repeat(20_000)}${value.askedAt}` });
      expect(value.askedAt).to.be.at.least(newest);
      newest = value.askedAt;
      reads++;
    }
    expect((await ended).map(([code]) => code as number)).to.deep.equal([0, 0]);
    expect(reads).to.be.above(0);
    expect(await get(store, 'k')).to.have.nested.property('[0].askedAt', 199);
    expect(readdirSync(folder)).to.have.length(1);
  });
});
