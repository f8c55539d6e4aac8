import { expect } from 'chai';
import { EMPTY, NEVER, Observable, of, throwError, timer, map } from 'rxjs';
import {
  AbortError,
  ConfigError,
  createClient,
  NotConnectedError,
  RpcError,
  SkillEntryError,
  SkillMismatchError,
  SkillsNotSupportedError,
  withSkills,
  type Sha256,
  type Skill,
  type SkillsOptions,
} from '../../../lib/index.ts';
import { modernScript, Refusal, ScriptedServer, type Script } from '../../support/peer.ts';
import { inVirtualTime, record, timersLeftBy, type VirtualTime } from '../../support/test-scheduler.ts';
import { errorOf, outcome } from '../../support/outcome.ts';
import { readyClient } from '../input/ready-client.ts';

const URI = 'skill://acme/pdf/SKILL.md';
const FORMS = 'skill://acme/pdf/references/FORMS.md';
const text = '---\nname: pdf\ndescription: About PDF\n---\nBody\n';

/** Stands for SHA-256, synchronously: the same bytes give the same hash. */
const hash = (bytes: Uint8Array): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => bytes.reduce((sum, byte, at) => (sum * 31 + byte + at + i) % 251, 7));
const sha256: Sha256 = (bytes) => [hash(bytes)];
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fileOf = (uri: string, content: string) => {
  const bytes = new TextEncoder().encode(content);
  return { uri, digest: `sha256:${hex(hash(bytes))}`, size: bytes.length };
};
const skill = (more: object = {}): Skill => ({
  uri: URI,
  frontmatter: { name: 'pdf', description: 'About PDF' },
  resources: [fileOf(URI, text), fileOf(FORMS, 'Forms')],
  ...more,
});

const EXTENSIONS = { 'io.modelcontextprotocol/skills': { directoryRead: true } };
const script = (more: Script = {}, extensions: object = EXTENSIONS): Script =>
  modernScript({
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { resources: {}, extensions } }),
    'resources/read': ({ params: { uri } }) => ({ contents: [{ uri, text: uri === URI ? text : 'Forms' }] }),
    ...more,
  });
const reading = (contents: unknown): Script => ({ 'resources/read': () => ({ contents }) });

/** A client with skills, and its server. */
function skilled(time: VirtualTime, more?: Script, options: SkillsOptions = {}, extensions?: object) {
  return readyClient(time, script(more, extensions), [withSkills({ sha256, ...options })]);
}

/** What reading the skill, or a file of it, comes to. */
function reads(more: Script, of: Skill = skill(), path?: string, options?: SkillsOptions): { values: any[]; error: any } {
  const result: { values: any[]; error: any } = { values: [], error: undefined };
  inVirtualTime((time) => {
    const { client } = skilled(time, more, options);
    const seen = record(path === undefined ? client.readSkill(of) : client.readSkillFile(of, path));
    time.flush();
    expect(seen.errors.length + seen.completed).to.equal(1);
    Object.assign(result, { values: seen.values, error: seen.errors[0] });
    void client.close();
    time.flush();
  });
  return result;
}

describe('withSkills()', () => {
  it('declares the extension', () => {
    inVirtualTime((time) => {
      const { client, server } = skilled(time);
      expect(server.peer.of('server/discover')[0].params._meta['io.modelcontextprotocol/clientCapabilities'].extensions).to.deep.equal({ 'io.modelcontextprotocol/skills': {} });
      void client.close();
      time.flush();
    });
  });

  for (const [title, extensions] of [
    ['nothing', {}],
    ['null', { 'io.modelcontextprotocol/skills': null }],
  ] as const) {
    it(`asks a server that declares ${title} for no skills`, () => {
      inVirtualTime((time) => {
        const { client, server } = skilled(time, {}, {}, extensions);
        const seen = [client.listSkills(), client.getSkill(URI), client.listSkillDirectory('skill://acme')].map((call$) => record<unknown>(call$));
        time.flush();
        expect(seen.map(({ errors }) => errors[0])).to.satisfy((errors: unknown[]) => errors.every((error) => error instanceof SkillsNotSupportedError));
        expect(seen.map(({ errors }) => errors[0].method)).to.deep.equal(['skills/list', 'skills/get', 'resources/directory/read']);
        expect(server.methods).to.deep.equal(['server/discover']);
        void client.close();
        time.flush();
      });
    });
  }

  it('reads no directory of a server that does not declare it', () => {
    inVirtualTime((time) => {
      const { client, server } = skilled(time, { 'skills/list': () => ({ skills: [] }) }, {}, { 'io.modelcontextprotocol/skills': {} });
      const directory = record(client.listSkillDirectory('skill://acme'));
      const list = record(client.listSkills());
      time.flush();
      expect(directory.errors[0]).to.be.instanceOf(SkillsNotSupportedError);
      expect(list.values).to.deep.equal([[]]);
      expect(server.methods).to.not.include('resources/directory/read');
      void client.close();
      time.flush();
    });
  });

  it('fails like any call without a connection', async () => {
    const client = createClient(new ScriptedServer(script()).open, { features: [withSkills()] });
    for (const call$ of [client.listSkills(), client.getSkill(URI), client.readSkill(skill()), client.listSkillDirectory('skill://acme')]) {
      expect(await errorOf(call$ as Observable<unknown>)).to.be.instanceOf(NotConnectedError);
    }
  });

  it('sends when subscribed, each time, and nothing before', () => {
    inVirtualTime((time) => {
      const { client, server } = skilled(time, { 'skills/list': () => ({ skills: [skill()] }), 'skills/get': () => ({ skill: skill() }) });
      const calls = [client.listSkills(), client.getSkill(URI), client.readSkill(skill()), client.readSkillFile(skill(), 'references/FORMS.md')] as Observable<unknown>[];
      expect(server.methods).to.deep.equal(['server/discover']);
      for (const call$ of [...calls, ...calls]) record(call$);
      time.flush();
      const methods = ['skills/list', 'skills/get', 'resources/read', 'resources/read'];
      expect(server.methods.slice(1)).to.deep.equal([...methods, ...methods]);
      void client.close();
      time.flush();
    });
  });
});

describe('listSkills()', () => {
  it('gives all pages, each skill once, by page and one by one too', () => {
    inVirtualTime((time) => {
      const other = skill({ uri: 'skill://other/SKILL.md', resources: 'dynamic' });
      const { client } = skilled(time, {
        'skills/list': ({ params }) => (params?.cursor === undefined ? { skills: [skill()], nextCursor: '2' } : { skills: [skill(), other] }),
      });
      const seen = [client.listSkills(), client.listSkills({ observe: 'pages' }), client.listSkills({ observe: 'items' })].map((list$) => record<unknown>(list$));
      time.flush();
      expect(seen.map(({ values }) => values)).to.deep.equal([[[skill(), other]], [[skill()], [other]], [skill(), other]]);
      void client.close();
      time.flush();
    });
  });

  it('leaves out what must not be used, and says why on errors$', () => {
    inVirtualTime((time) => {
      const { client, errors } = skilled(time, { 'skills/list': () => ({ skills: [skill({ uri: 'skill://x/SKILL.md' }), skill(), skill({ uri: 'skill://y/SKILL.md', resources: undefined })] }) });
      const seen = record(client.listSkills());
      time.flush();
      expect(seen.values).to.deep.equal([[skill()]]);
      expect(errors.values.map((error: any) => [error.name, error.skill])).to.deep.equal([['SkillEntryError', 'skill://x/SKILL.md'], ['SkillEntryError', 'skill://y/SKILL.md']]);
      void client.close();
      time.flush();
    });
  });
});

describe('getSkill()', () => {
  it('gives the entry, or the error of the server', () => {
    inVirtualTime((time) => {
      const { client, server } = skilled(time, {
        'skills/get': ({ params }) => {
          if (params.uri !== URI) throw new Refusal(-32602, 'no such skill');
          return { skill: skill() };
        },
      });
      const [known, unknown] = [record(client.getSkill(URI)), record(client.getSkill('skill://none/SKILL.md'))];
      time.flush();
      expect(known.values).to.deep.equal([skill()]);
      expect(unknown.errors[0]).to.be.instanceOf(RpcError).with.property('code', -32602);
      expect(server.methods).to.not.include('resources/read');
      void client.close();
      time.flush();
    });
  });

  it('refuses the entry of another skill', () => {
    inVirtualTime((time) => {
      const { client } = skilled(time, { 'skills/get': () => ({ skill: skill() }) });
      const seen = record(client.getSkill('skill://other/SKILL.md'));
      time.flush();
      expect(seen.values).to.deep.equal([]);
      expect(seen.errors[0]).to.be.instanceOf(SkillEntryError).with.property('skill', 'skill://other/SKILL.md');
      void client.close();
      time.flush();
    });
  });

  const [main, forms] = [fileOf(URI, text), fileOf(FORMS, 'Forms')];
  for (const [title, entry, problem] of [
    ['no object', null, 'its uri'],
    ['without a URI', skill({ uri: undefined }), 'its uri'],
    ['of another file', skill({ uri: 'skill://acme/pdf/README.md' }), 'its uri'],
    ['without frontmatter', skill({ frontmatter: undefined }), 'its frontmatter'],
    ['without a name', skill({ frontmatter: { description: 'x' } }), 'its frontmatter'],
    ['without a description', skill({ frontmatter: { name: 'pdf', description: 1 } }), 'its frontmatter'],
    ['without resources', skill({ resources: undefined }), 'its resources'],
    ['with other resources', skill({ resources: 'static' }), 'its resources'],
    ['with a file that is none', skill({ resources: [main, null] }), 'this is no file of it: null'],
    ['with a file of elsewhere', skill({ resources: [main, { ...forms, uri: 'skill://acme/other/FORMS.md' }] }), 'this is no file of it'],
    ['with a file that leads out', skill({ resources: [main, { ...forms, uri: 'skill://acme/pdf/../other.md' }] }), 'this is no file of it'],
    ['with a file that leads out, encoded', skill({ resources: [main, { ...forms, uri: 'skill://acme/pdf/%2E%2e/other.md' }] }), 'this is no file of it'],
    ['with a digest of another kind', skill({ resources: [main, { ...forms, digest: 'md5:00' }] }), 'this is no file of it'],
    ['with a digest in capitals', skill({ resources: [main, { ...forms, digest: `sha256:${'A'.repeat(64)}` }] }), 'this is no file of it'],
    ['with a size below 0', skill({ resources: [main, { ...forms, size: -1 }] }), 'this is no file of it'],
    ['with a size that is no whole number', skill({ resources: [main, { ...forms, size: 1.5 }] }), 'this is no file of it'],
    ['with a file twice', skill({ resources: [main, forms, forms] }), 'it lists a file twice'],
    ['without its SKILL.md', skill({ resources: [forms] }), 'it does not list its SKILL.md'],
    ['with too many files', skill({ resources: [main, forms, { ...forms, uri: `${FORMS}2` }, { ...forms, uri: `${FORMS}3` }] }), 'it has 4 files, and 3 are allowed (maxFiles)'],
    ['with too many bytes', skill({ resources: [main, { ...forms, size: 1_000 }] }), `its files have ${1_000 + main.size} bytes, and 1000 are allowed (maxBytes)`],
  ] as const) {
    it(`refuses an entry ${title}, and so does readSkill()`, () => {
      inVirtualTime((time) => {
        const { client, server } = skilled(time, { 'skills/get': () => ({ skill: entry }) }, { maxFiles: 3, maxBytes: 1_000 });
        const seen = [record<unknown>(client.getSkill(URI)), record<unknown>(client.readSkill(entry!)), record<unknown>(client.readSkillFile(entry!, 'x'))];
        time.flush();
        for (const { errors } of seen) {
          expect(errors[0]).to.be.instanceOf(SkillEntryError).with.property('entry').that.deep.equals(entry);
          expect(errors[0].problem.slice(0, problem.length)).to.equal(problem);
        }
        expect(server.methods).to.not.include('resources/read');
        void client.close();
        time.flush();
      });
    });
  }

  it('takes an entry at the limits', () => {
    inVirtualTime((time) => {
      const entry = skill({ resources: Array.from({ length: 512 }, (_, i) => (i === 0 ? { ...main, size: 16 * 1024 * 1024 } : { ...forms, uri: `${FORMS}${i}`, size: 0 })) });
      const { client } = skilled(time, { 'skills/get': () => ({ skill: entry }) });
      const seen = record(client.getSkill(URI));
      time.flush();
      expect(seen.values).to.have.length(1);
      void client.close();
      time.flush();
    });
  });
});

describe('readSkill()', () => {
  it('gives the document once it is verified', () => {
    const { values } = reads({});
    expect(values).to.deep.equal([
      { uri: URI, mimeType: undefined, bytes: new TextEncoder().encode(text), text, body: 'Body\n', frontmatter: { name: 'pdf', description: 'About PDF' } },
    ]);
  });

  it('takes it as binary data too', () => {
    const { values } = reads(reading([{ uri: URI, blob: btoa(text), mimeType: 'text/markdown' }]));
    expect(values[0]).to.deep.include({ text, body: 'Body\n', mimeType: 'text/markdown' });
  });

  const evil = text.replace('Body', 'Evil');
  const other = text.replace('About PDF', 'About you');
  for (const [title, contents, mismatch, expected, actual, entry = skill()] of [
    ['no contents', undefined, 'content', undefined, undefined],
    ['empty contents', [], 'content', undefined, undefined],
    ['the contents of another file', [{ uri: FORMS, text }], 'content', undefined, undefined],
    ['contents that are none', [null, 1, { uri: URI }], 'content', undefined, undefined],
    ['data that is no base64', [{ uri: URI, blob: '***' }], 'content', undefined, undefined],
    ['a longer text', [{ uri: URI, text: `${text}!` }], 'size', text.length, text.length + 1],
    ['a text as long in characters, not in bytes', [{ uri: URI, text: text.replace('Body', 'Bodé') }], 'size', text.length, text.length + 1],
    ['another text', [{ uri: URI, text: evil }], 'digest', fileOf(URI, text).digest, fileOf(URI, evil).digest],
    ['another frontmatter', [{ uri: URI, text: other }], 'frontmatter', 'About PDF', 'About you', skill({ resources: [fileOf(URI, other)] })],
    ['another frontmatter of a dynamic skill', [{ uri: URI, text: other }], 'frontmatter', 'About PDF', 'About you', skill({ resources: 'dynamic' })],
    ['more frontmatter', [{ uri: URI, text: text.replace('name', 'allowed-tools: Bash\nname') }], 'frontmatter', undefined, 'Bash', skill({ resources: 'dynamic' })],
    ['no frontmatter', [{ uri: URI, text: 'Body' }], 'frontmatter', skill().frontmatter, undefined, skill({ resources: 'dynamic' })],
    ['binary data that is no text', [{ uri: URI, blob: btoa('\xff') }], 'content', undefined, undefined, skill({ resources: 'dynamic' })],
  ] as [string, unknown, string, unknown, unknown, Skill?][]) {
    it(`gives nothing out of ${title}`, () => {
      const { values, error } = reads(reading(contents), entry);
      expect(values).to.deep.equal([]);
      expect(error).to.be.instanceOf(SkillMismatchError);
      const { skill: of, file, mismatch: what } = error;
      expect({ of, file, what, expected: error.expected, actual: error.actual }).to.deep.equal({ of: URI, file: URI, what: mismatch, expected, actual });
      expect(error.message).to.equal(`The file ${URI} of the skill ${URI} cannot be used: ${error.problem}`);
    });
  }

  it('does not even hash what has another length', () => {
    const { error } = reads(reading([{ uri: URI, text: `${text}!` }]), skill(), undefined, { sha256: () => throwError(() => new Error('hashed')) });
    expect(error).to.have.property('mismatch', 'size');
  });

  it('passes errors of the call on', () => {
    const { error } = reads({
      'resources/read': () => {
        throw new Refusal(-32602, 'gone');
      },
    });
    expect(error).to.be.instanceOf(RpcError);
  });
});

describe('readSkillFile()', () => {
  for (const path of ['references/FORMS.md', './references/FORMS.md', '/references//FORMS.md', 'scripts/../references/FORMS.md', 'scripts/%2E%2e/references/FORMS.md', FORMS]) {
    it(`reads ${path}`, () => {
      expect(reads({}, skill(), path).values).to.deep.equal([{ uri: FORMS, mimeType: undefined, bytes: new TextEncoder().encode('Forms'), text: 'Forms' }]);
    });
  }

  it('finds a name that is encoded in the list', () => {
    const uri = 'skill://acme/pdf/a%20b%C3%A9.md';
    expect(reads({}, skill({ resources: [fileOf(URI, text), fileOf(uri, 'Forms')] }), 'a bé.md').values[0]).to.have.property('uri', uri);
  });

  it('checks SKILL.md as readSkill() does', () => {
    expect(reads({}, skill(), 'SKILL.md').values[0]).to.have.property('body', 'Body\n');
    expect(reads({}, skill({ frontmatter: { name: 'pdf', description: 'x' } }), 'SKILL.md').error).to.have.property('mismatch', 'frontmatter');
  });

  it('does not look at the frontmatter of other files', () => {
    const nested = 'skill://acme/pdf/nested/SKILL.md';
    expect(reads({}, skill({ resources: [fileOf(URI, text), fileOf(nested, 'Forms')] }), 'nested/SKILL.md').values[0]).to.have.property('text', 'Forms');
  });

  const OUTSIDE = ['..', '../other/SKILL.md', 'references/../../../x', '%2e%2e/x', 'skill://other/SKILL.md', 'https://example.com/'];
  for (const [path, kind] of [
    ...['references/OTHER.md', '', 'SKILL.md/x', 'skill.md', ...OUTSIDE].map((path) => [path, 'listed'] as const),
    ...OUTSIDE.map((path) => [path, 'dynamic'] as const),
  ]) {
    it(`reads nothing for ${JSON.stringify(path)} in a ${kind} skill`, () => {
      let sent = 0;
      const { values, error } = reads({ 'resources/read': () => (sent++, {}) }, kind === 'dynamic' ? skill({ resources: 'dynamic' }) : skill(), path);
      expect(values).to.deep.equal([]);
      expect(error).to.be.instanceOf(SkillMismatchError).with.property('mismatch', 'unlisted');
      expect(sent).to.equal(0);
    });
  }

  it('reads what a dynamic skill has, up to maxBytes', () => {
    const entry = skill({ resources: 'dynamic' });
    expect(reads({}, entry, 'a b.md').values[0]).to.deep.include({ uri: 'skill://acme/pdf/a%20b.md', text: 'Forms' });
    expect(reads({}, entry, 'x', { maxBytes: 5 }).values).to.have.length(1);
    const { error } = reads({}, entry, 'x', { maxBytes: 4 });
    expect(error).to.deep.include({ mismatch: 'size', expected: 4, actual: 5 });
  });
});

describe('the hash', () => {
  it('is awaited, and only its first value counts', () => {
    inVirtualTime((time) => {
      const { client } = skilled(time, {}, { sha256: (bytes) => timer(5, 5).pipe(map((n) => (n === 0 ? hash(bytes) : new Uint8Array(32)))) });
      const seen = record(client.readSkill(skill()));
      time.flush();
      expect(seen.values).to.have.length(1);
      expect(seen.times).to.deep.equal([5]);
      expect(seen.completed).to.equal(1);
      void client.close();
      time.flush();
    });
  });

  for (const [title, source$, error] of [
    ['that fails', throwError(() => new Error('no hash')), 'no hash'],
    ['without a value', EMPTY, 'The option sha256 of withSkills() gave no value'],
  ] as const) {
    it(`${title} fails the call`, () => {
      expect(reads({}, skill(), undefined, { sha256: () => source$ }).error.message).to.equal(error);
    });
  }

  it('that throws fails the call', () => {
    const sha256: Sha256 = () => {
      throw new TypeError('thrown');
    };
    expect(reads({}, skill(), undefined, { sha256 }).error).to.be.instanceOf(TypeError);
  });

  it('is given up with the call', () => {
    inVirtualTime((time) => {
      let running = 0;
      const endless = new Observable<never>(() => {
        running++;
        return () => running--;
      });
      const { client } = skilled(time, {}, { sha256: () => endless });
      const seen = record(client.readSkill(skill()));
      time.flush();
      expect([running, seen.values.length, seen.completed]).to.deep.equal([1, 0, 0]);
      seen.unsubscribe();
      expect(running).to.equal(0);
      void client.close();
      time.flush();
    });
  });

  it('may be an ArrayBuffer', () => {
    expect(reads({}, skill(), undefined, { sha256: (bytes) => of(hash(bytes).buffer as ArrayBuffer) }).values).to.have.length(1);
  });

  it('is SHA-256 by the platform when nothing else is said', async () => {
    const uri = 'skill://x/SKILL.md';
    const content = '---\nname: x\ndescription: y\n---\n';
    const digest = 'sha256:1eccf08b6e06f82498b5907132d22a5d74ffcebb56e434ccc62957330f6ba328'; // as sha256sum says
    const entry: Skill = { uri, frontmatter: { name: 'x', description: 'y' }, resources: [{ uri, digest, size: content.length }] };
    const server = new ScriptedServer(script(reading([{ uri, text: content }])));
    const client = createClient(server.open, { features: [withSkills()] });
    await outcome(client.connect());
    const { values, error } = await outcome(client.readSkill(entry));
    expect(error).to.equal(undefined);
    expect(values[0]).to.have.property('text', content);
    await outcome(client.close());
  });

  it('is missed clearly where the platform has none', () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!;
    Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
    try {
      inVirtualTime((time) => {
        const { client } = readyClient(time, script(), [withSkills()]);
        const seen = record(client.readSkill(skill()));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(ConfigError);
        expect(seen.errors[0].message).to.include('secure contexts');
        void client.close();
        time.flush();
      });
    } finally {
      Object.defineProperty(globalThis, 'crypto', own);
    }
  });
});

describe('reading a skill that nobody waits for any more', () => {
  it('is cancelled at the server, by unsubscribing and by an abort', () => {
    inVirtualTime((time) => {
      const { client, server } = skilled(time, { 'resources/read': () => undefined });
      const left = record(client.readSkill(skill()));
      const aborted = record(client.readSkillFile(skill(), 'references/FORMS.md', { abort$: timer(5).pipe(map(() => { throw new AbortError('enough'); })) }));
      const never = record(client.readSkill(skill(), { timeoutMs: 100, abort$: NEVER }));
      time.at(5, () => {
        left.unsubscribe();
      });
      time.flush();
      expect(server.peer.of('notifications/cancelled')).to.have.length(3);
      expect(left).to.deep.include({ values: [], errors: [], completed: 0 });
      expect(aborted.errors[0].message).to.equal('enough');
      expect(never.errors[0].name).to.equal('RequestTimeoutError');
      void client.close();
      time.flush();
    });
  });

  it('leaves no timer', async () => {
    const left = await timersLeftBy(() => {
      reads({});
      reads(reading([]));
    });
    expect(left).to.equal(0);
  });
});
