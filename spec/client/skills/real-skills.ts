// What skills must be with the official server of them, over whatever transport.
import { expect } from 'chai';
import { concatMap, type Observable } from 'rxjs';
import { RpcError, SkillMismatchError, withSkills, type ClientFeature, type ClientOptions, type ClientWith, type Skill, type SkillsApi } from '../../../lib/index.ts';
import { errorOf, outcome } from '../../support/outcome.ts';

export type SkilledClient = ClientWith<[ClientFeature<SkillsApi>]>;

async function valueOf<T>(source$: Observable<T>): Promise<T> {
  const { values, error } = await outcome(source$);
  expect(error).to.equal(undefined);
  expect(values).to.have.length(1);
  return values[0]!;
}

/** Declares the suite; call it inside a `describe`. */
export function servesSkills(open: (options: ClientOptions<[ClientFeature<SkillsApi>]>) => SkilledClient | Promise<SkilledClient>): void {
  let client: SkilledClient;
  const sent: any[] = [];

  beforeEach(async () => {
    client = await open({ features: [withSkills()] });
    sent.length = 0;
    client.wire$.subscribe(({ direction, message }) => {
      if (direction === 'out') sent.push(message);
    });
    expect((await outcome(client.connect())).error).to.equal(undefined);
  });
  afterEach(() => outcome(client.close()));

  const reads = () => sent.filter(({ method }) => method === 'resources/read').map(({ params }) => params.uri as string);
  const listed = async (name: string): Promise<Skill> => {
    const skills = await valueOf(client.listSkills());
    return skills.find(({ frontmatter }) => frontmatter.name === name)!;
  };

  it('lists the skills of all pages and reads none of their files', async () => {
    const skills = await valueOf(client.listSkills());
    expect(skills.map(({ uri }) => uri)).to.deep.equal(['skill://acme/pdf/SKILL.md', 'skill://tampered/SKILL.md', 'skill://daily/SKILL.md']);
    expect(skills[0]?.frontmatter).to.deep.equal({ name: 'pdf', description: 'Says how to pdf', license: 'MIT', metadata: { version: '2.1', author: 'acme' } });
    expect(sent.filter(({ method }) => method === 'skills/list')).to.have.length(3);
    expect(reads()).to.deep.equal([]);
  });

  it('reads a skill, then the files it refers to, text and binary', async () => {
    const skill = await listed('pdf');
    const document = await valueOf(client.readSkill(skill));
    expect(document.body).to.equal('\n# pdf\n\nSee [the forms](references/FORMS.md).\n');
    expect(document.frontmatter).to.deep.equal(skill.frontmatter);
    expect(reads()).to.deep.equal([skill.uri]);
    const forms = await valueOf(client.readSkillFile(skill, './references/FORMS.md'));
    expect(forms).to.deep.include({ uri: 'skill://acme/pdf/references/FORMS.md', mimeType: 'text/markdown', text: 'Forms, é漢🦀.\n' });
    const logo = await valueOf(client.readSkillFile(skill, 'skill://acme/pdf/assets/logo.bin'));
    expect([...logo.bytes]).to.deep.equal([0, 1, 254, 255]);
    expect(logo.text).to.equal(undefined);
  });

  it('gives out nothing of a skill that was changed since', async () => {
    const skill = await listed('tampered');
    for (const read$ of [client.readSkill(skill), client.readSkillFile(skill, 'references/FORMS.md')]) {
      const { values, error } = await outcome<unknown>(read$);
      expect(values).to.deep.equal([]);
      expect(error).to.be.instanceOf(SkillMismatchError);
      expect(error).to.deep.include({ skill: skill.uri, mismatch: 'digest' });
      expect(error.message).to.include(error.expected).and.to.include(error.actual);
    }
  });

  it('gets a skill that is not listed, by its URI, and not one that there is not', async () => {
    const document = await valueOf(client.getSkill('skill://hidden/SKILL.md').pipe(concatMap((skill) => client.readSkill(skill))));
    expect(document.frontmatter.name).to.equal('hidden');
    expect(await errorOf(client.getSkill('skill://none/SKILL.md'))).to.be.instanceOf(RpcError).with.property('code', -32602);
  });

  it('lists the directory of a dynamic skill, and reads what is there', async () => {
    const skill = await listed('daily');
    expect(skill.resources).to.equal('dynamic');
    expect((await valueOf(client.readSkill(skill))).body).to.include('# daily');
    const files = await valueOf(client.listSkillDirectory('skill://daily'));
    expect(files.map(({ name }) => name)).to.deep.equal(['SKILL.md', 'today.md']);
    expect((await valueOf(client.readSkillFile(skill, 'today.md'))).text).to.equal('Of today.\n');
  });
}
