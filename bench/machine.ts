import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['rxjs', '@modelcontextprotocol/client', '@modelcontextprotocol/sdk', '@ai-sdk/mcp'];

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly node: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** What the figures depend on. */
export function machine(): Machine {
  const root = new URL('..', import.meta.url);
  const versionIn = (folder: string): string => (JSON.parse(readFileSync(fileURLToPath(new URL(`${folder}package.json`, root)), 'utf8')) as { version: string }).version;
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 1e9),
    node: process.version,
    packages: Object.fromEntries([['rxjs-mcp', versionIn('')], ...PACKAGES.map((name) => [name, versionIn(`node_modules/${name}/`)])]) as Record<string, string>,
  };
}
