import { isObject } from '../../wire/message.js';
import { PROJECT, type ConfigHost, type ConfigHostFile, type ConfigPolicy, type VariableSyntax } from './config-host.js';

const user = (path: ConfigHostFile['path']): ConfigHostFile => ({ scope: 'user', path });
const project = (path: string): ConfigHostFile => ({ scope: 'project', path });

const APPDATA = '{APPDATA|~/AppData/Roaming}';
const XDG = '{XDG_CONFIG_HOME|~/.config}';
/** Where programs that keep to their platform have their files. */
const inSettings = (path: string, windows = path): ConfigHostFile =>
  user({ darwin: `~/Library/Application Support/${path}`, win32: `${APPDATA}/${windows}`, linux: `${XDG}/${path}` });
const inVsCode = (path: string): ConfigHostFile => inSettings(`Code/User/${path}`);

/** For hosts that document no notation of their own. */
const COMMON: readonly VariableSyntax[] = ['braces', 'default', 'dollar-env'];
const EDITOR: readonly VariableSyntax[] = ['predefined'];
const GEMINI: readonly VariableSyntax[] = ['braces', 'dollar'];
const SECONDS = { unit: 's', of: 'request' } as const;

/**
 * The programs whose configuration is known, in the order in which they win
 * where all are read. To know another one is to add a row.
 *
 * @public
 */
export const CONFIG_HOSTS = [
  {
    id: 'claude-code',
    files: [
      user('{CLAUDE_CONFIG_DIR|~}/.claude.json'),
      project('.mcp.json'),
      { ...user('{CLAUDE_CONFIG_DIR|~/.claude}/settings.json'), servers: false },
      { ...project('.claude/settings.json'), servers: false },
      { ...project('.claude/settings.local.json'), servers: false },
    ],
    perProject: ['projects', PROJECT, 'mcpServers'],
    syntax: ['braces', 'default'],
    policies: (document, folders) => [...claudePolicies(document), ...folders.flatMap((folder) => claudePolicies(at(document, 'projects', folder)))],
  },
  { id: 'claude-desktop', files: [inSettings('Claude/claude_desktop_config.json')], syntax: COMMON },
  {
    id: 'codex',
    files: [user('{CODEX_HOME|~/.codex}/config.toml'), project('.codex/config.toml')],
    containers: [['mcp_servers']],
    syntax: [],
  },
  {
    id: 'gemini-cli',
    files: [user('~/.gemini/settings.json'), project('.gemini/settings.json')],
    syntax: GEMINI,
    untypedUrl: 'sse',
    policies: geminiPolicies,
  },
  { id: 'antigravity', files: [user('~/.gemini/antigravity/mcp_config.json'), user('~/.gemini/config/mcp_config.json')], syntax: COMMON },
  {
    id: 'opencode',
    files: [
      user('{OPENCODE_CONFIG}'),
      user(`${XDG}/opencode/opencode.jsonc`),
      user(`${XDG}/opencode/opencode.json`),
      project('opencode.jsonc'),
      project('opencode.json'),
      project('.opencode/opencode.jsonc'),
      project('.opencode/opencode.json'),
    ],
    containers: [['mcp', 'servers'], ['mcp']],
    syntax: ['plain-braces'],
    timeout: { unit: 'ms', of: 'connect' },
  },
  { id: 'cursor', files: [user('~/.cursor/mcp.json'), project('.cursor/mcp.json')], syntax: EDITOR },
  { id: 'windsurf', files: [user('~/.codeium/windsurf/mcp_config.json'), user('~/.codeium/mcp_config.json')], syntax: ['file'] },
  {
    id: 'vscode',
    files: [inVsCode('mcp.json'), project('.vscode/mcp.json'), inVsCode('settings.json'), project('.vscode/settings.json')],
    containers: [['servers'], ['mcp', 'servers'], ['mcp.servers']],
    syntax: EDITOR,
  },
  { id: 'copilot-cli', files: [user('{COPILOT_HOME|~/.copilot}/mcp-config.json'), project('.mcp.json'), project('.github/mcp.json')], syntax: COMMON },
  {
    id: 'goose',
    files: [user({ darwin: `${XDG}/goose/config.yaml`, win32: `${APPDATA}/Block/goose/config/config.yaml`, linux: `${XDG}/goose/config.yaml` })],
    containers: [['extensions']],
    syntax: [],
    timeout: SECONDS,
    foreignTypes: ['builtin', 'platform', 'frontend', 'inline_python'],
    emptyAllowsAll: true,
  },
  {
    id: 'zed',
    files: [
      user({ darwin: '~/.config/zed/settings.json', win32: `${APPDATA}/Zed/settings.json`, linux: `${XDG}/zed/settings.json` }),
      project('.zed/settings.json'),
    ],
    containers: [['context_servers']],
    syntax: COMMON,
  },
  {
    id: 'cline',
    files: [
      user('{CLINE_MCP_SETTINGS_PATH}'),
      user('~/.cline/data/settings/cline_mcp_settings.json'),
      inVsCode('globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
    ],
    syntax: COMMON,
    timeout: SECONDS,
  },
  {
    id: 'roo-code',
    files: [inVsCode('globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'), project('.roo/mcp.json')],
    syntax: EDITOR,
    timeout: SECONDS,
  },
  { id: 'kilo-code', files: [user('~/.kilocode/cli/global/settings/mcp_settings.json'), project('.kilocode/mcp.json')], syntax: EDITOR, timeout: SECONDS },
  { id: 'kiro', files: [user('~/.kiro/settings/mcp.json'), project('.kiro/settings/mcp.json')], syntax: ['braces', 'predefined'] },
  { id: 'junie', files: [user('~/.junie/mcp/mcp.json'), project('.junie/mcp/mcp.json'), project('.idea/mcp.json')], syntax: COMMON },
  { id: 'lm-studio', files: [user('~/.lmstudio/mcp.json')], syntax: EDITOR },
  { id: 'continue', files: [user('~/.continue/config.yaml'), user('~/.continue/mcpServers/*'), project('.continue/mcpServers/*')], syntax: ['secrets'] },
  {
    id: 'tabnine',
    files: [user('~/.tabnine/agent/settings.json'), project('.tabnine/agent/settings.json')],
    syntax: GEMINI,
    untypedUrl: 'sse',
    policies: geminiPolicies,
  },
  { id: 'kimi-cli', files: [user('~/.kimi/mcp.json')], syntax: COMMON },
  {
    id: 'oh-my-pi',
    files: [user('~/.omp/agent/mcp.json'), project('.omp/mcp.json'), project('.pi/mcp.json')],
    syntax: ['braces', 'default', 'bare', 'command'],
    policies: ({ disabledServers }) => [{ off: strings(disabledServers) }],
  },
  { id: 'xdg', files: [user(`${XDG}/mcp/mcp.json`)], syntax: [...COMMON, 'plain-braces'] },
  /** The draft of a standard file. */
  { id: 'standard', files: [project('mcp.json')], syntax: [] },
] as const satisfies readonly ConfigHost[];

/** @public */
export type ConfigHostId = (typeof CONFIG_HOSTS)[number]['id'];

/** For files that nobody is known to have written. */
export const GENERIC: ConfigHost = { id: 'generic', files: [], syntax: [...COMMON, 'predefined'] };

export function hostOf(id: string): ConfigHost | undefined {
  return CONFIG_HOSTS.find((host) => host.id === id);
}

function claudePolicies(settings: unknown): readonly ConfigPolicy[] {
  if (!isObject(settings)) return [];
  return [{ off: strings(settings.disabledMcpServers) }, { off: strings(settings.disabledMcpjsonServers), scope: 'project' }];
}

function geminiPolicies(document: Readonly<Record<string, unknown>>): readonly ConfigPolicy[] {
  return [{ off: strings(at(document, 'mcp', 'excluded')), only: strings(at(document, 'mcp', 'allowed')) }];
}

/** What is at a path of own keys. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined), value);
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
