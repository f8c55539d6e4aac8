import { expect } from 'chai';
import { webStore, type CacheEntry, type StorageLike } from '../../lib/index.ts';
import { outcome } from '../support/outcome.ts';
import { from } from 'rxjs';

const entry = (askedAt: number): CacheEntry => ({ result: { askedAt }, askedAt, ttlMs: 1 });

function storage(): StorageLike & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return { items, getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
}

describe('webStore()', () => {
  const get = async (store: ReturnType<typeof webStore>, key: string) => (await outcome(from(store.get(key)))).values;
  const set = (store: ReturnType<typeof webStore>, key: string, value: CacheEntry) => outcome(from(store.set(key, value)));

  it('keeps what it is given, under a prefix', async () => {
    const place = storage();
    expect(await get(webStore(place), 'k')).to.deep.equal([undefined]);
    await set(webStore(place), 'k', entry(1));
    await set(webStore(place, 'other:'), 'k', entry(2));
    expect([...place.items.keys()]).to.deep.equal(['rxjs-mcp:k', 'other:k']);
    expect(await get(webStore(place), 'k')).to.deep.equal([entry(1)]);
  });

  it('lets no older answer take the place of a newer one', async () => {
    const store = webStore(storage());
    for (const askedAt of [5, 4, 5, 7, 6]) await set(store, 'k', entry(askedAt));
    expect(await get(store, 'k')).to.deep.equal([entry(7)]);
  });

  for (const text of ['', '{', 'null', '5', '{"format":2}', '{"format":1,"entry":{}}', '{"format":1,"entry":{"result":{},"askedAt":"9","ttlMs":1}}']) {
    it(`takes what is broken or foreign for nothing: ${text}`, async () => {
      const place = storage();
      place.items.set('rxjs-mcp:k', text);
      const store = webStore(place);
      expect(await get(store, 'k')).to.deep.equal([undefined]);
      await set(store, 'k', entry(1));
      expect(await get(store, 'k')).to.deep.equal([entry(1)]);
    });
  }

  it('goes on when the storage is full or blocked', async () => {
    const fail = () => {
      throw new Error('QuotaExceededError');
    };
    const store = webStore({ getItem: fail, setItem: fail });
    expect((await set(store, 'k', entry(1))).error).to.equal(undefined);
    expect(await get(store, 'k')).to.deep.equal([undefined]);
  });
});
