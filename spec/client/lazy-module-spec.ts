import { expect } from 'chai';
import { firstValueFrom } from 'rxjs';
import { LazyModule } from '../../lib/client/lazy-module.ts';
import { jsonSchemaModule } from '../../lib/client/with-output-validation.ts';
import { yamlModule } from '../../lib/client/skills/skill-file.ts';
import { record } from '../support/test-scheduler.ts';

describe('LazyModule', () => {
  const macrotask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

  it('imports when it is first needed, and emits at once from then on', async () => {
    let imports = 0;
    const lazy = new LazyModule(() => Promise.resolve({ n: ++imports }));
    expect(imports).to.equal(0);
    const first = record(lazy.module$);
    expect(first).to.deep.include({ values: [], completed: 0 });
    await macrotask();
    expect(first).to.deep.include({ values: [{ n: 1 }], completed: 1 });
    expect(record(lazy.module$)).to.deep.include({ values: [{ n: 1 }], completed: 1 });
    expect(imports).to.equal(1);
  });

  it('tries again after an import that failed', async () => {
    let imports = 0;
    const lazy = new LazyModule(() => (++imports === 1 ? Promise.reject(new Error('offline')) : Promise.resolve(imports)));
    const failed = record(lazy.module$);
    await macrotask();
    expect(failed.errors.map(String)).to.deep.equal(['Error: offline']);
    expect(await firstValueFrom(lazy.module$)).to.equal(2);
  });

  it('emits nothing once unsubscribed', async () => {
    const seen = record(new LazyModule(() => Promise.resolve(1)).module$);
    seen.unsubscribe();
    await macrotask();
    expect(seen).to.deep.include({ values: [], completed: 0, errors: [] });
  });

  it('imports nothing that it was given', () => {
    const lazy = new LazyModule<number>(() => Promise.reject(new Error('imported')));
    lazy.provide(7);
    expect(record(lazy.module$)).to.deep.include({ values: [7], completed: 1 });
  });

  it('finds the packages', async () => {
    expect((await firstValueFrom(jsonSchemaModule.module$)).Validator).to.be.a('function');
    expect((await firstValueFrom(yamlModule.module$)).load('a: 1', {})).to.deep.equal({ a: 1 });
  });
});
