import { existsSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import type { ConfigHost, ConfigHostFile } from './config-host.js';
import { CONFIG_HOSTS, GENERIC, hostOf } from './hosts.js';

/** What paths depend on. */
export interface Surroundings {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly cwd: string;
}

/** A file that may hold servers. */
export interface Candidate {
  /** Absolute. With `isFolder`, of the folder whose files are meant. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly host: ConfigHost;
  readonly scope: 'user' | 'local' | 'project' | 'given';
  /** The folder of the project it belongs to. */
  readonly folder?: string | undefined;
  readonly servers: boolean;
  /** Whether somebody named it, so that it should be there. */
  readonly isExplicit: boolean;
}

/**
 * The folders of a project, the nearest first: from the current one up to the
 * one that is a repository. Without a repository only the current one, since
 * what lies above may be anybody's.
 */
export function projectFolders(cwd: string, root?: string): readonly string[] {
  const folders = [resolve(cwd)];
  for (;;) {
    const folder = folders.at(-1) ?? cwd;
    const isRoot = root === undefined ? existsSync(join(folder, '.git')) : folder === resolve(root);
    if (isRoot) return folders;
    const above = dirname(folder);
    if (above === folder) return folders.slice(0, 1);
    folders.push(above);
  }
}

/** Where a host has its files, the strongest first. */
export function candidatesOf(host: ConfigHost, around: Surroundings, folders: readonly string[]): readonly Candidate[] {
  const inProject = folders.flatMap((folder) => filesOf(host, 'project', around).map(([path, servers]) => candidate(host, join(folder, path), servers, 'project', folder)));
  const ofUser = filesOf(host, 'user', around).map(([path, servers]) => candidate(host, path, servers, 'user'));
  return [...inProject, ...ofUser];
}

function filesOf(host: ConfigHost, scope: ConfigHostFile['scope'], around: Surroundings): [path: string, servers: boolean][] {
  return host.files
    .filter((file) => file.scope === scope)
    .flatMap(({ path: template, servers = true }): [string, boolean][] => {
      const path = fill(typeof template === 'string' ? template : template[platformKey(around.platform)], around);
      return path === undefined ? [] : [[path, servers]];
    });
}

function candidate(host: ConfigHost, path: string, servers: boolean, scope: Candidate['scope'], folder?: string): Candidate {
  const isFolder = path.endsWith('*');
  return { path: isFolder ? dirname(path) : path, isFolder, host, scope, folder, servers, isExplicit: false };
}

function platformKey(platform: string): 'darwin' | 'win32' | 'linux' {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}

/** A path with its home and variables; undefined where a variable is not set that has no other value. */
function fill(template: string | undefined, { home, env }: Surroundings): string | undefined {
  const [all = '', name = '', otherwise] = /^\{(\w+)(?:\|([^}]*))?\}/.exec(template ?? '') ?? [];
  const value = env[name] ?? '';
  const start = all === '' ? '' : value === '' ? otherwise : value;
  if (template === undefined || start === undefined) return undefined;
  return normalize((start + template.slice(all.length)).replace(/^~(?=\/|$)/, () => home));
}

/** Whose file it is by its path; of several the one with the longest ending. */
export function hostOfPath(path: string): ConfigHost {
  const slashed = `/${path.replaceAll('\\', '/')}`;
  const endings = CONFIG_HOSTS.flatMap((host: ConfigHost) => host.files.filter(({ servers }) => servers !== false).flatMap((file) => endingsOf(file).map((ending) => ({ id: host.id, ending }))));
  const fitting = endings.filter(({ ending }) => (ending.endsWith('/*') ? slashed.replace(/[^/]*$/, '*') : slashed).endsWith(`/${ending}`)).sort((a, b) => b.ending.length - a.ending.length);
  return hostOf(fitting[0]?.id ?? '') ?? GENERIC;
}

function endingsOf({ path }: ConfigHostFile): readonly string[] {
  const templates = typeof path === 'string' ? [path] : Object.values(path);
  return templates.map((template) => template.replace(/^\{\w+(?:\|([^}]*))?\}/, '$1').replace(/^~?\/?/, '')).filter((ending) => ending !== '');
}
