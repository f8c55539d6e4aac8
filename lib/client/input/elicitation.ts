import { endWith, filter, from, ignoreElements, map, type Observable, type ObservableInput, takeUntil } from 'rxjs';
import { ConfigError } from '../../errors.js';
import type { ClientCapabilities } from '../../wire/mcp/capabilities.js';
import type { ElicitationCompleteParams, ElicitParams } from '../../wire/mcp/elicitation.js';
import type { McpClient } from '../client.js';
import type { Call, ClientFeature } from '../feature.js';
import { completed, type ElicitDecision } from './form-defaults.js';
import { InputNotSupportedError } from './input-errors.js';
import { inputFeature, type InputHandler, type InputOptions } from './input-feature.js';
import { PendingElicitations, type PendingElicitation } from './pending-elicitation.js';

/** @public */
export interface ElicitationOptions extends InputOptions {
  /** How the user can be asked. @defaultValue both: by a form, and by a URL to visit */
  readonly modes?: readonly ('form' | 'url')[] | undefined;
}

/**
 * Asks the user; the first value counts, and fields it leaves out get their
 * defaults. It is unsubscribed when the answer is no longer needed.
 *
 * @param origin - The call that needs the answer, where the server says so: since 2026-07-28.
 * @public
 */
export type ElicitationHandler = (params: ElicitParams, origin: Call | undefined) => ObservableInput<ElicitDecision>;

/** What {@link withElicitation} adds to a client. @public */
export interface ElicitationApi {
  /** The `elicitationId` of each visit to a URL that the server says is over. Hot; ignore ids you do not know. Until 2025-11-25. */
  readonly elicitationsCompleted$: Observable<string>;
}

/** What `withElicitation('stream')` adds to a client. @public */
export interface ElicitationStreamApi extends ElicitationApi {
  /** Questions to the user. Hot; one that comes while nobody listens is answered with `cancel`. Completes on close. */
  readonly elicitations$: Observable<PendingElicitation>;
}

/**
 * Lets the server ask the user: by a handler, or by a stream of questions.
 *
 * @param handler - `'stream'`: they come on `client.elicitations$`.
 * @see MCP 2026-07-28 Elicitation
 * @public
 */
export function withElicitation(handler: 'stream', options?: ElicitationOptions): ClientFeature<ElicitationStreamApi>;
export function withElicitation(handler: ElicitationHandler, options?: ElicitationOptions): ClientFeature<ElicitationApi>;
export function withElicitation(handler: ElicitationHandler | 'stream', options: ElicitationOptions = {}): ClientFeature<ElicitationApi> {
  const { modes = ['form', 'url'], maxRounds } = options;
  if (modes.length === 0) throw new ConfigError('withElicitation needs at least one of the modes form and url');
  return inputFeature<ElicitationApi>(() => {
    const questions = handler === 'stream' ? new PendingElicitations() : undefined;
    const ask: ElicitationHandler = handler === 'stream' ? (params, origin) => questions?.ask(params, origin) ?? [] : handler;
    return {
      method: 'elicitation/create',
      capabilities: { elicitation: Object.fromEntries(modes.map((mode) => [mode, {}])) satisfies ClientCapabilities['elicitation'] },
      handler: answering(ask, modes),
      maxRounds,
      extend: (client) => ({
        ...(questions && { elicitations$: questions.pending$.pipe(takeUntil(endOf(client))) }),
        elicitationsCompleted$: completionsOf(client),
      }),
    };
  });
}

function answering(ask: ElicitationHandler, modes: readonly string[]): InputHandler {
  return (raw, origin) => {
    const params = raw as unknown as ElicitParams; // servers are taken at their word
    const mode: string = params.mode ?? 'form';
    if (!modes.includes(mode)) throw new InputNotSupportedError('elicitation/create', `mode "${mode}"`);
    return from(ask(params, origin)).pipe(map((decision) => completed(params, decision)));
  };
}

function completionsOf(client: McpClient): Observable<string> {
  return client.notifications$.pipe(
    filter(({ method, params }) => method === 'notifications/elicitation/complete' && typeof params?.elicitationId === 'string'),
    map(({ params }) => (params as unknown as ElicitationCompleteParams).elicitationId),
  );
}

/** Emits when the client is closed for good. */
function endOf(client: McpClient): Observable<unknown> {
  return client.state$.pipe(ignoreElements(), endWith(undefined));
}
