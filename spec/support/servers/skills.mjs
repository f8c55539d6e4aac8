// A server with skills (SEP-2640), by the official SDK: one listed page each. Run as a program it speaks stdio.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { skillEntry, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isProgram } from './program.mjs';

/** @param {string} name @param {string} [more] further lines of frontmatter */
const document = (name, more = '') => `---\nname: ${name}\ndescription: >-\n  Says how\n  to ${name}\n${more}---\n\n# ${name}\n\nSee [the forms](references/FORMS.md).\n`;

/** The files of each skill, by its path. `tampered` is not served as its entry says; `daily` has no digests; `hidden` is not listed. */
/** @type {Record<string, Record<string, string | Uint8Array>>} */
const skills = {
  'acme/pdf': {
    'SKILL.md': document('pdf', 'license: MIT\nmetadata:\n  version: "2.1"\n  author: acme\n'),
    'references/FORMS.md': 'Forms, é漢🦀.\n',
    'assets/logo.bin': Uint8Array.from([0, 1, 254, 255]),
  },
  tampered: { 'SKILL.md': document('tampered'), 'references/FORMS.md': 'As approved.\n' },
  daily: { 'SKILL.md': document('daily'), 'today.md': 'Of today.\n' },
  hidden: { 'SKILL.md': document('hidden') },
};
const LISTED = ['acme/pdf', 'tampered', 'daily'];
const root = 'skill://';

/** @param {string} path */
async function entryOf(path) {
  const entry = await skillEntry(path, skills[path] ?? {});
  return path === 'daily' ? { ...entry, resources: /** @type {const} */ ('dynamic') } : entry;
}

/** @type {import('@modelcontextprotocol/server/ext/skills').SkillSource} */
const source = {
  async list({ cursor }) {
    const at = Number(cursor ?? 0);
    return { skills: [await entryOf(LISTED[at] ?? '')], ...(at + 1 < LISTED.length && { nextCursor: String(at + 1) }) };
  },
  async get(uri) {
    const path = Object.keys(skills).find((skill) => uri === `${root}${skill}/SKILL.md`);
    return path === undefined ? undefined : entryOf(path);
  },
  async read(uri) {
    const path = Object.keys(skills).find((skill) => uri.startsWith(`${root}${skill}/`));
    const content = skills[path ?? '']?.[uri.slice(`${root}${path}/`.length)];
    if (path === 'tampered' && uri.endsWith('.md')) return { text: String(content).replace('approved', 'replaced').replace('# tampered', '# Tampered') };
    if (content === undefined) return undefined;
    return typeof content === 'string' ? { text: content, mimeType: 'text/markdown' } : { bytes: content };
  },
  async readDirectory(uri) {
    if (uri !== `${root}daily`) return undefined;
    return { resources: Object.keys(skills.daily ?? {}).map((name) => ({ uri: `${uri}/${name}`, name })) };
  },
};

function createServer() {
  const server = new McpServer({ name: 'skills', version: '1.0.0' });
  new SkillsExtension({ source }).attach(server);
  return server;
}

/** @returns {{ handle: import('node:http').RequestListener }} */
export function skillsHttp() {
  /** @type {(...args: any[]) => Promise<void>} */
  const listener = toNodeHandler(createMcpHandler(createServer));
  return { handle: (request, response) => void listener(request, response) };
}

if (isProgram(import.meta.url)) {
  const handle = serveStdio(createServer, { onerror: (error) => console.error(error) });
  process.stdin.on('end', () => void handle.close().finally(() => process.exit()));
}
