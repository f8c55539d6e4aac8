import { UNSUPPORTED_PROTOCOL_VERSION } from '../wire/codes.js';
import { RpcError } from '../errors.js';
import type { Implementation } from '../wire/mcp/base.js';
import type { ServerCapabilities } from '../wire/mcp/capabilities.js';
import type { Prompt } from '../wire/mcp/prompts.js';
import type { Resource, ResourceTemplate } from '../wire/mcp/resource-types.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { JsonObject } from '../wire/message.js';
import { LEGACY_REVISIONS, MODERN_REVISIONS } from '../wire/revision.js';

/** What a server offers. A list that is not given is not declared, and asking for it is unexpected. @public */
export interface Offer {
  readonly tools?: readonly Tool[] | undefined;
  readonly prompts?: readonly Prompt[] | undefined;
  readonly resources?: readonly Resource[] | undefined;
  readonly resourceTemplates?: readonly ResourceTemplate[] | undefined;
}

/** @public */
export interface ScriptedServerOptions extends Offer {
  /** Whether it opens with `initialize` or says everything in each request. @defaultValue 'modern' */
  readonly era?: 'legacy' | 'modern' | undefined;
  /** The revision it speaks. @defaultValue the newest of its era */
  readonly revision?: string | undefined;
  /** @defaultValue `{ name: 'scripted', version: '1.0.0' }` */
  readonly serverInfo?: Implementation | undefined;
  readonly instructions?: string | undefined;
  /** More capabilities than follow from the lists. */
  readonly capabilities?: ServerCapabilities | undefined;
  /** Whether it answers the handshake by itself, where no rule does. @defaultValue true */
  readonly handshake?: boolean | undefined;
  /** A request that no rule is for: answered with -32601, or not at all. @defaultValue 'refuse' */
  readonly unmatched?: 'refuse' | 'silent' | undefined;
}

/** The capabilities that follow from what is offered, and those given. */
export function capabilitiesOf({ tools, prompts, resources, resourceTemplates, capabilities }: ScriptedServerOptions): ServerCapabilities {
  return {
    ...(tools && { tools: { listChanged: true } }),
    ...(prompts && { prompts: { listChanged: true } }),
    ...((resources ?? resourceTemplates) && { resources: { listChanged: true, subscribe: true } }),
    ...capabilities,
  };
}

/**
 * What a server answers that nobody wrote a rule for; undefined where it has no answer.
 *
 * @throws {@link RpcError} what it refuses.
 */
export function defaultAnswer(method: string, params: JsonObject, options: ScriptedServerOptions, offer: Offer): object | undefined {
  const { era = 'modern', handshake = true } = options;
  const isModern = era === 'modern';
  const list = (key: keyof Offer): object | undefined => offer[key] && { [key]: offer[key], ...(isModern && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }) };
  switch (method) {
    case 'server/discover':
      return handshake && isModern ? discovered(options) : undefined;
    case 'initialize':
      return handshake ? initialized(params, options) : undefined;
    case 'ping':
      return isModern ? undefined : {};
    case 'tools/list':
      return list('tools');
    case 'prompts/list':
      return list('prompts');
    case 'resources/list':
      return list('resources') ?? (offer.resourceTemplates && { resources: [] });
    case 'resources/templates/list':
      return list('resourceTemplates') ?? (offer.resources && { resourceTemplates: [] });
    case 'logging/setLevel':
      return options.capabilities?.logging && {};
    default:
      return undefined;
  }
}

/** Whether a request belongs to the handshake, so that refusing it is nothing unexpected. */
export const isHandshake = (method: string): boolean => method === 'server/discover' || method === 'initialize';

function discovered(options: ScriptedServerOptions): object {
  return {
    resultType: 'complete',
    supportedVersions: [options.revision ?? MODERN_REVISIONS[0]],
    capabilities: capabilitiesOf(options),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': infoOf(options) },
  };
}

function initialized({ protocolVersion: requested }: JsonObject, options: ScriptedServerOptions): object {
  const { era = 'modern', revision } = options;
  if (era === 'modern') {
    const supported = [revision ?? MODERN_REVISIONS[0]];
    throw new RpcError(UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', { supported, requested });
  }
  return {
    protocolVersion: revision ?? LEGACY_REVISIONS[0],
    capabilities: capabilitiesOf(options),
    serverInfo: infoOf(options),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
  };
}

const infoOf = ({ serverInfo = { name: 'scripted', version: '1.0.0' } }: ScriptedServerOptions): Implementation => serverInfo;
