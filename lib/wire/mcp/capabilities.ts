/**
 * What clients and servers say they can do.
 *
 * Legacy revisions exchange capabilities once, in `initialize`. 2026-07-28 sends
 * the client's with every request and the server's in `server/discover`.
 *
 * @module
 */
import type { JsonObject } from '../message.js';

/**
 * Which of its requests a client lets the server run as tasks.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, ClientCapabilities
 * @public
 */
export interface ClientTasksCapability {
  /** Answers `tasks/list`. */
  list?: JsonObject | undefined;
  /** Answers `tasks/cancel`. */
  cancel?: JsonObject | undefined;
  /** Requests that accept a `task` parameter; any other one does not. */
  requests?:
    | {
        sampling?: { createMessage?: JsonObject | undefined } | undefined;
        elicitation?: { create?: JsonObject | undefined } | undefined;
      }
    | undefined;
}

/**
 * Which of its requests a server lets the client run as tasks.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 * @see MCP 2025-11-25 schema, ServerCapabilities
 * @public
 */
export interface ServerTasksCapability {
  /** Answers `tasks/list`. */
  list?: JsonObject | undefined;
  /** Answers `tasks/cancel`. */
  cancel?: JsonObject | undefined;
  /** Requests that accept a `task` parameter; any other one does not. */
  requests?: { tools?: { call?: JsonObject | undefined } | undefined } | undefined;
}

/**
 * What a client can do for a server. The set is open: names that are not listed
 * here go under `experimental` or `extensions`.
 *
 * @see MCP 2026-07-28 schema, ClientCapabilities
 * @public
 */
export interface ClientCapabilities {
  /** Capabilities outside the standard. */
  experimental?: Record<string, JsonObject> | undefined;
  /** Can list roots. Deprecated in 2026-07-28. */
  roots?:
    | {
        /** Announces changed roots. Removed in 2026-07-28. */
        listChanged?: boolean | undefined;
      }
    | undefined;
  /** Can sample a model. Deprecated in 2026-07-28. */
  sampling?:
    | {
        /**
         * Honours `includeContext` values other than `none`.
         *
         * @since 2025-11-25
         */
        context?: JsonObject | undefined;
        /**
         * Honours `tools` and `toolChoice`.
         *
         * @since 2025-11-25
         */
        tools?: JsonObject | undefined;
      }
    | undefined;
  /**
   * Can ask the user. An empty object means form mode only.
   *
   * @since 2025-06-18
   */
  elicitation?:
    | {
        /** @since 2025-11-25 */
        form?: JsonObject | undefined;
        /** @since 2025-11-25 */
        url?: JsonObject | undefined;
      }
    | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  tasks?: ClientTasksCapability | undefined;
  /**
   * Extensions by identifier, each with its settings; `{}` means no settings.
   *
   * @since 2026-07-28
   */
  extensions?: Record<string, JsonObject> | undefined;
}

/**
 * What a server offers. The set is open, as with {@link ClientCapabilities}.
 *
 * @see MCP 2026-07-28 schema, ServerCapabilities
 * @public
 */
export interface ServerCapabilities {
  /** Capabilities outside the standard. */
  experimental?: Record<string, JsonObject> | undefined;
  /** Sends log messages. Deprecated in 2026-07-28. */
  logging?: JsonObject | undefined;
  /**
   * Completes arguments.
   *
   * @since 2025-03-26
   */
  completions?: JsonObject | undefined;
  /** Offers prompts. */
  prompts?:
    | {
        /** Announces a changed list. */
        listChanged?: boolean | undefined;
      }
    | undefined;
  /** Offers resources. */
  resources?:
    | {
        /** Announces changes of single resources to those who subscribe. */
        subscribe?: boolean | undefined;
        /** Announces a changed list. */
        listChanged?: boolean | undefined;
      }
    | undefined;
  /** Offers tools. */
  tools?:
    | {
        /** Announces a changed list. */
        listChanged?: boolean | undefined;
      }
    | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  tasks?: ServerTasksCapability | undefined;
  /**
   * Extensions by identifier, each with its settings; `{}` means no settings.
   *
   * @since 2026-07-28
   */
  extensions?: Record<string, JsonObject> | undefined;
}
