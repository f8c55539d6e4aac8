/** What kind of oddity was met. @public */
export type DiagnosticKind =
  /** A line, event or body that is not JSON. */
  | 'malformed'
  /** JSON that is no JSON-RPC message. */
  | 'not-json-rpc'
  /** An answer that nobody waits for: late, repeated, or with an id never issued. */
  | 'unmatched-answer'
  /** An event of a type that carries no message. */
  | 'skipped-event'
  /** A notification that came while too many were held back. */
  | 'dropped-notification'
  /** A request from a server whose revision has none. */
  | 'unexpected-request'
  /** A tool that is left out because its definition cannot be used. */
  | 'unusable-tool'
  /** The optional listener stream is not offered, or ended. */
  | 'listener'
  /** The server no longer knows its HTTP session; a new one is opened. */
  | 'session-lost'
  /** A message or an answer of ours could not be delivered and nobody waits for it. */
  | 'undelivered'
  /** A failure that belongs to no single call; `error` says which. */
  | 'failure';

/** Something that was skipped, so that it is not lost without a trace. @public */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  /** What happened, for people. */
  readonly message: string;
  /** The start of what was skipped, at most {@link MAX_EXCERPT} characters. */
  readonly excerpt?: string;
  /** Set when it is more than an oddity: it reaches `onError` too. */
  readonly error?: Error;
}

/** Longest piece of foreign text in a diagnostic or an error, in characters. */
export const MAX_EXCERPT = 300;

/** The start of a foreign text, marked when cut. */
export function excerptOf(text: string): string {
  return text.length <= MAX_EXCERPT ? text : `${text.slice(0, MAX_EXCERPT)}…`;
}
