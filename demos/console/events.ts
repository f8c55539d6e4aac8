import type { JsonObject, LoggingLevel, Revision } from '../../lib/node.ts';

/** What can happen on a leg, in the words of the demo; with `--json` each is one line. */
export type LegEvent =
  | { readonly event: 'started'; readonly title: string }
  | { readonly event: 'connected'; readonly server: string; readonly version: string; readonly revision: Revision | undefined }
  | { readonly event: 'tools'; readonly tools: readonly { readonly name: string; readonly description: string }[] }
  | { readonly event: 'calling'; readonly tool: string; readonly args: JsonObject }
  | { readonly event: 'progress'; readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }
  | { readonly event: 'result'; readonly text: string; readonly isError: boolean }
  | { readonly event: 'cancelled'; readonly progress: number; readonly total?: number | undefined }
  /** The message that tells a server of an older revision about it. */
  | { readonly event: 'sent'; readonly method: string; readonly requestId: unknown }
  /** What the server logs, as MCP notifications. */
  | { readonly event: 'log'; readonly level: LoggingLevel; readonly logger?: string | undefined; readonly data: unknown }
  /** What the server prints. */
  | { readonly event: 'output'; readonly line: string }
  | { readonly event: 'closed'; readonly processesStarted: number; readonly processesLeft: number }
  | { readonly event: 'error'; readonly message: string };

/** An event, and the leg it happened on. */
export type DemoEvent = LegEvent & { readonly leg: string };

/** Shows events as they come. */
export type Reporter = (event: DemoEvent) => void;
