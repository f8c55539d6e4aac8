// A home and a project in a temporary folder, for specs of configuration.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { loadConfig, type ConfigOptions, type ConfigSnapshot, type ServerEntry } from '../../../lib/node.ts';

export class ConfigFolder {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  readonly home = join(this.root, 'home');
  readonly project = join(this.root, 'project');
  /** What every reading is given, so that it sees nothing of this machine. */
  readonly options: ConfigOptions = { home: this.home, cwd: this.project, root: this.project, env: {}, platform: 'linux' };

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.project);
  }

  /** Writes a file, of home with `~/`, else of the project; what is no text becomes JSON. @returns its path. */
  write(name: string, content: unknown): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content));
    return path;
  }

  path(name: string): string {
    return name.startsWith('~/') ? join(this.home, name.slice(2)) : join(this.project, name);
  }

  load(options: ConfigOptions): Promise<ConfigSnapshot> {
    return firstValueFrom(loadConfig({ ...this.options, ...options }));
  }

  /** The entry of one server that is written in a file of the project, in the notation of a host. */
  async entry(host: ConfigOptions['hosts'] & readonly string[], file: string, content: unknown, options: ConfigOptions = {}): Promise<ServerEntry> {
    this.write(file, content);
    const { entries } = await this.load({ hosts: host, ...options });
    if (entries.length !== 1) throw new Error(`${entries.length} entries where one was expected`);
    return entries[0]!;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const message = ({ problem }: ServerEntry): string | undefined => problem?.message;
export const names = ({ entries }: { readonly entries: readonly ServerEntry[] }): string[] => entries.map(({ name }) => name);
