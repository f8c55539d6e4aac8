import { AsyncSubject, catchError, concatMap, connect, defer, map, merge, NEVER, of,  take, type Observable, timer } from 'rxjs';
import { ConnectionClosedError, HttpError, McpError, NetworkError, NoResponseError, ParseError, RpcError, UnsupportedProtocolVersionError } from '../errors.js';
import { isModernErrorCode, UNSUPPORTED_PROTOCOL_VERSION } from '../wire/codes.js';
import type { Implementation } from '../wire/mcp/base.js';
import type { ClientCapabilities, ServerCapabilities } from '../wire/mcp/capabilities.js';
import type { DiscoverResult, InitializeResult } from '../wire/mcp/lifecycle.js';
import { isObject } from '../wire/message.js';
import { LEGACY_REVISIONS, MODERN_REVISIONS, newestCommon, type LegacyRevision, type ModernRevision, type Revision } from '../wire/revision.js';
import type { Connection } from './connection.js';
import { MAX_TIMER_MS } from '../transport/deadline-clock.js';
import { OPENING_ERA, type Era } from './era.js';
import { legacyEra } from './era-legacy.js';
import { modernEra } from './era-modern.js';

/**
 * How a server wants to be spoken to. Plain data: keep it and give it back, and
 * the next connection to the same server needs no probe.
 *
 * @public
 */
export interface EraVerdict {
  readonly era: 'legacy' | 'modern';
  readonly revision: Revision;
}

/** What is known of a server once a revision is agreed. @public */
export interface ServerSession {
  readonly protocolVersion: Revision;
  /** As the server says of itself; for display, not to be relied on. */
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** Hints for a model on how to use the server. */
  readonly instructions: string | undefined;
  readonly verdict: EraVerdict;
}

/** A session and the era that goes with it. */
export interface Negotiated {
  readonly session: ServerSession;
  readonly era: Era;
}

export interface NegotiationOptions {
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The revisions to speak. */
  readonly revisions: readonly Revision[];
  /** How long the probe may hold a legacy server up, in milliseconds. */
  readonly probeTimeoutMs: number;
  /** What an earlier negotiation with this server found. */
  readonly verdict?: EraVerdict | undefined;
}

/** The probe did harm: the server refused `initialize` after it, or ended at it. A fresh one, not probed, may do. */
export class HarmfulProbe extends McpError {
  override readonly name = 'HarmfulProbe';

  /** @param reason - What to report when there is no second try. */
  constructor(readonly reason: McpError) {
    super(reason.message, { cause: reason });
  }
}

/** What the probe says of a server that expects `initialize`, and what silence says of any. */
const LEGACY = 'legacy';
const SILENT = 'silent';
/** How many probe deadlines a refused `initialize` waits for an answer to the probe. */
const LATE_FACTOR = 5;
type Finding = Negotiated | typeof LEGACY;

/**
 * Finds out which era and revision a server speaks, and opens the session.
 *
 * `server/discover` first. A modern answer, or a modern error, keeps it modern.
 * Anything else, and silence past the probe deadline, means `initialize`. The
 * probe stays pending meanwhile: a slow modern server answers it, then refuses
 * `initialize`, and is taken for what it is.
 *
 * @throws {@link UnsupportedProtocolVersionError} no revision in common.
 * @throws {@link HarmfulProbe} see there.
 * @see MCP 2026-07-28 Versioning; stdio and Streamable HTTP, "Backward Compatibility"
 */
export function negotiate(connection: Connection, options: NegotiationOptions): Observable<Negotiated> {
  const { revisions, verdict } = options;
  const probeMs = Math.min(options.probeTimeoutMs, MAX_TIMER_MS);
  const modern = MODERN_REVISIONS.filter((revision) => revisions.includes(revision));
  const legacy = LEGACY_REVISIONS.filter((revision) => revisions.includes(revision));
  const [preferred] = modern;

  const asLegacy = (supported: readonly unknown[], cause?: unknown): Finding => {
    if (newestCommon(legacy, supported) !== undefined) return LEGACY;
    throw new UnsupportedProtocolVersionError(supported.map(String), revisions, { cause });
  };

  const waitsForSilence = verdict === undefined && legacy.length > 0;
  const probe = (revision: ModernRevision, mayRetry = true): Observable<Finding> =>
    discover(connection, revision, options, waitsForSilence ? probeMs : Infinity).pipe(
      map((result): Finding => {
        const { supportedVersions } = isObject(result) ? result : {};
        if (!Array.isArray(supportedVersions)) return LEGACY;
        const agreed = newestCommon(modern, supportedVersions);
        return agreed === undefined ? asLegacy(supportedVersions) : modernSession(result, agreed, options);
      }),
      catchError((error: unknown): Observable<Finding> => {
        const supported = supportedIn(error);
        const agreed = newestCommon(modern, supported ?? []);
        if (agreed !== undefined && mayRetry) return probe(agreed, false);
        if (supported !== undefined) return of(asLegacy(supported, error)); // a revision it lists itself, spoken the only way there is
        if (meansLegacy(error) && legacy.length > 0) return of<Finding>(LEGACY);
        if (meansLegacy(error) && error instanceof RpcError) return of(asLegacy([], error));
        throw error instanceof ConnectionClosedError && legacy.length > 0 ? new HarmfulProbe(error) : error;
      }),
    );

  const settle = (finding: Finding | typeof SILENT, late$: Observable<Finding>): Observable<Negotiated> =>
    typeof finding === 'object'
      ? of(finding)
      : initialize(connection, legacy, options).pipe(
          catchError((refusal: unknown) => {
            if (!(refusal instanceof RpcError)) throw refusal;
            const noMore$ = timer(Math.min(probeMs * LATE_FACTOR, MAX_TIMER_MS)).pipe(map((): Finding => LEGACY));
            return (finding === SILENT ? merge(late$, noMore$) : of<Finding>(LEGACY)).pipe(
              take(1),
              map((late) => {
                if (typeof late === 'object') return late;
                throw new HarmfulProbe(refusal);
              }),
            );
          }),
        );

  return defer(() => {
    connection.recoverWith(() => initialize(connection, legacy, options));
    if (preferred === undefined || (verdict?.era === 'legacy' && legacy.length > 0)) return initialize(connection, legacy, options);
    const silence$ = waitsForSilence ? timer(probeMs).pipe(map((): typeof SILENT => SILENT)) : NEVER;
    return probe(preferred).pipe(
      connect(
        (finding$) =>
          merge(finding$, silence$).pipe(
            take(1),
            concatMap((finding) => settle(finding, finding$)),
          ),
        { connector: () => new AsyncSubject() },
      ),
    );
  });
}

/** @param timeoutMs - A server that asks for more time than that is busy, not silent: its refusal is reported. */
function discover(connection: Connection, revision: ModernRevision, { clientInfo, capabilities }: NegotiationOptions, timeoutMs: number): Observable<DiscoverResult> {
  const modern = modernEra(revision, clientInfo, capabilities);
  const era: Era = { ...modern, context: (method, params) => ({ ...modern.context(method, params), timeoutMs }) };
  return connection.request('server/discover', undefined, { era, timeoutMs: Infinity });
}

function modernSession(result: DiscoverResult, revision: ModernRevision, { clientInfo, capabilities }: NegotiationOptions): Negotiated {
  return {
    era: modernEra(revision, clientInfo, capabilities),
    session: {
      protocolVersion: revision,
      serverInfo: result._meta?.['io.modelcontextprotocol/serverInfo'],
      capabilities: normalCapabilities(result.capabilities),
      instructions: result.instructions,
      verdict: { era: 'modern', revision },
    },
  };
}

/** @see MCP 2025-11-25 Lifecycle, "Version Negotiation" */
function initialize(connection: Connection, legacy: readonly LegacyRevision[], { clientInfo, capabilities, revisions }: NegotiationOptions): Observable<Negotiated> {
  const [newest] = legacy;
  if (newest === undefined) throw new UnsupportedProtocolVersionError([], revisions);
  return connection
    .request('initialize', { protocolVersion: newest, capabilities, clientInfo }, { era: OPENING_ERA, timeoutMs: Infinity })
    .pipe(map((result) => legacySession(result, legacy, revisions)));
}

function legacySession(result: InitializeResult, legacy: readonly LegacyRevision[], revisions: readonly Revision[]): Negotiated {
  const offered = (result as Partial<InitializeResult> | null)?.protocolVersion;
  const revision = newestCommon(legacy, [offered]);
  if (revision === undefined) throw new UnsupportedProtocolVersionError(offered === undefined ? [] : [offered], revisions);
  return {
    era: legacyEra(revision),
    session: {
      protocolVersion: revision,
      serverInfo: result.serverInfo,
      capabilities: normalCapabilities(result.capabilities),
      instructions: result.instructions,
      verdict: { era: 'legacy', revision },
    },
  };
}

/** Some servers write `"tools": true` where an object belongs. */
function normalCapabilities(capabilities: unknown): ServerCapabilities {
  if (!isObject(capabilities)) return {};
  const entries = Object.entries(capabilities).flatMap(([name, value]) => {
    if (value === true) return [[name, {}] as const];
    return isObject(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Statuses that say nothing about the era: the request was not looked at. */
const NOT_ABOUT_THE_ERA = [401, 403, 407, 429, 503];

/** What a server lists that does not speak the revision it was asked for. */
function supportedIn(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof RpcError) || error.code !== UNSUPPORTED_PROTOCOL_VERSION) return undefined;
  const supported: unknown = isObject(error.data) ? error.data.supported : undefined;
  return Array.isArray(supported) ? (supported as unknown[]) : [];
}

/** Whether a failed probe means that the server expects `initialize`. */
function meansLegacy(error: unknown): boolean {
  if (error instanceof RpcError) return !isModernErrorCode(error.code);
  if (error instanceof HttpError) return !NOT_ABOUT_THE_ERA.includes(error.status);
  // A browser that fails a preflight gives no code; without the modern headers there may be none to fail.
  if (error instanceof NetworkError) return error.code === undefined;
  return error instanceof ParseError || error instanceof NoResponseError;
}
