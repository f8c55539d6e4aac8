import { modernEra } from '../../lib/session/era-modern.ts';

const clientInfo = { name: 'spec', version: '1' };

const byMethod: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  'server/discover': modernEra('2026-07-28', clientInfo, {}).params(undefined) ?? {},
  'tools/call': { name: 'x' },
  'prompts/get': { name: 'x' },
  'resources/read': { uri: 'x:/' },
};

/** The least that a request of this method must carry, for specs that care about other things. */
export const validParams = (method: string): any => byMethod[method] ?? {};
