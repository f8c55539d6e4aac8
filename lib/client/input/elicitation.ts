import { endWith, filter, from, ignoreElements, map, type Observable, type ObservableInput, takeUntil } from 'rxjs';
import { ConfigError } from '../../errors.js';
import type { ClientCapabilities } from '../../wire/mcp/capabilities.js';
import type { ElicitationCompleteParams, ElicitParams } from '../../wire/mcp/elicitation.js';
import type { McpClient } from '../client.js';
import type { Call, ClientFeature } from '../feature.js';
import { completed, type ElicitDecision } from './form-defaults.js';
import { InputNotSupportedError } from './input-errors.js';
import { inputFeature, type InputOptions } from './input-feature.js';
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

/** What {@link withElicitation} adds for this handler. @public */
export type ElicitationApiOf<H> = H extends 'stream' ? ElicitationStreamApi : ElicitationApi;

/**
 * Lets the server ask the user: by a handler, or by a stream of questions.
 *
 * @param handler - `'stream'`: they come on `client.elicitations$`.
 * @see MCP 2026-07-28 Elicitation
 * @public
 */
export function withElicitation<H extends ElicitationHandler | 'stream'>(handler: H, options: ElicitationOptions = {}): ClientFeature<ElicitationApiOf<H>> {
  const { modes = ['form', 'url'], maxRounds } = options;
  if (modes.length === 0) throw new ConfigError('withElicitation needs at least one of the modes form and url');
  return inputFeature(() => {
    const questions = handler === 'stream' ? new PendingElicitations() : undefined;
    const ask: ElicitationHandler = handler === 'stream' ? (params, origin) => questions?.ask(params, origin) ?? [] : handler;
    return {
      method: 'elicitation/create',
      capabilities: { elicitation: Object.fromEntries(modes.map((mode) => [mode, {}])) satisfies ClientCapabilities['elicitation'] },
      check: ({ mode = 'form' }) => {
        if (!(modes as readonly unknown[]).includes(mode)) throw new InputNotSupportedError('elicitation/create', `mode ${JSON.stringify(mode)}`);
      },
      handler: (raw, origin) => {
        const params = raw as unknown as ElicitParams; // servers are taken at their word
        return from(ask(params, origin)).pipe(map((decision) => completed(params, decision)));
      },
      maxRounds,
      extend: (client) => ({
        ...(questions && { elicitations$: questions.pending$.pipe(takeUntil(endOf(client))) }),
        elicitationsCompleted$: completionsOf(client),
      }) as ElicitationApiOf<H>,
    };
  });
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
