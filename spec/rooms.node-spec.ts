import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { CLIENT_INFO } from '../lib/client/server-link.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const ROOMS = ['errors.ts', 'wire', 'framing', 'transport', 'session', 'client', 'manager', 'bridge', 'testing'];

/** `from → to` for each import in `file` of a room that is not lower than its own. */
function upward(file: string, text: string): string[] {
  const rank = (path: string): number => {
    const room = ROOMS.indexOf(path.split('/')[0] ?? '');
    return room === -1 ? ROOMS.length : room; // the doors
  };
  const imports = [...text.matchAll(/from '(\.[^']*)\.js'/g)].map(([, to = '']) => join(file, '..', to));
  return imports.map((to) => (to === 'errors' ? 'errors.ts' : to)).flatMap((to) => (rank(to) > rank(file) ? [`${file} → ${to}`] : []));
}

describe('rooms', () => {
  it('import lower rooms only', () => {
    const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files.length).to.be.above(40);
    expect(files.flatMap((file) => upward(file, readFileSync(join(root, 'lib', file), 'utf8')))).to.deep.equal([]);
  });

  it('are told apart: an import upward is found', () => {
    expect(upward('wire/x.ts', `import { y } from '../session/y.js';`)).to.deep.equal(['wire/x.ts → session/y']);
    expect(upward('session/x.ts', `import { y } from '../wire/y.js';`)).to.deep.equal([]);
  });

  it('name the client after the package', () => {
    const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
    expect(CLIENT_INFO).to.deep.equal({ name, version });
  });
});
