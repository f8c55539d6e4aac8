/**
 * Which params and which result belong to which MCP method, for all revisions
 * from 2024-11-05 to 2026-07-28.
 *
 * @module
 */
import type { CompleteParams, CompleteResult } from './mcp/completion.js';
import type { ElicitationCompleteParams, ElicitParams, ElicitResult } from './mcp/elicitation.js';
import type {
  DiscoverParams,
  DiscoverResult,
  InitializeParams,
  InitializeResult,
  PingParams,
} from './mcp/lifecycle.js';
import type { LoggingMessageParams, SetLevelParams } from './mcp/logging.js';
import type { EmptyResult, NotificationParams } from './mcp/meta.js';
import type { CancelledParams, ProgressParams } from './mcp/notifications.js';
import type {
  GetPromptParams,
  GetPromptResult,
  ListPromptsParams,
  ListPromptsResult,
} from './mcp/prompts.js';
import type {
  ListResourcesParams,
  ListResourcesResult,
  ListResourceTemplatesParams,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  ResourceUpdatedParams,
  SubscribeParams,
  UnsubscribeParams,
} from './mcp/resources.js';
import type { ListRootsParams, ListRootsResult } from './mcp/roots.js';
import type { CreateMessageParams, CreateMessageResult } from './mcp/sampling.js';
import type {
  GetSkillParams,
  GetSkillResult,
  ListSkillsParams,
  ListSkillsResult,
  ReadDirectoryParams,
  ReadDirectoryResult,
} from './mcp/skills.js';
import type {
  SubscriptionsAcknowledgedParams,
  SubscriptionsListenParams,
  SubscriptionsListenResult,
} from './mcp/subscriptions.js';
import type {
  CancelTaskParams,
  CancelTaskResult,
  GetTaskParams,
  GetTaskPayloadParams,
  GetTaskPayloadResult,
  GetTaskResult,
  ListTasksParams,
  ListTasksResult,
  TaskStatusParams,
} from './mcp/tasks.js';
import type { DetailedTaskResult, TaskNotificationParams, UpdateTaskParams } from './mcp/tasks-extension.js';
import type { CallToolParams, CallToolResult, ListToolsParams, ListToolsResult } from './mcp/tools.js';

/**
 * Task requests of 2025-11-25, which either side may send.
 *
 * @since 2025-11-25, experimental; removed in 2026-07-28
 */
interface TaskRequests {
  'tasks/get': { params: GetTaskParams; result: GetTaskResult };
  'tasks/result': { params: GetTaskPayloadParams; result: GetTaskPayloadResult };
  'tasks/list': { params: ListTasksParams | undefined; result: ListTasksResult };
  'tasks/cancel': { params: CancelTaskParams; result: CancelTaskResult };
}

/**
 * Requests of the Skills extension.
 *
 * @see MCP Skills extension, `io.modelcontextprotocol/skills`
 */
interface SkillRequests {
  'skills/list': { params: ListSkillsParams | undefined; result: ListSkillsResult };
  'skills/get': { params: GetSkillParams; result: GetSkillResult };
  /** Only of servers that declare `directoryRead`. */
  'resources/directory/read': { params: ReadDirectoryParams; result: ReadDirectoryResult };
}

/**
 * Task requests of a client, in both forms: tasks of 2025-11-25, and those of the
 * extension `io.modelcontextprotocol/tasks` for 2026-07-28.
 *
 * @see SEP-2663
 */
interface ClientTaskRequests extends Omit<TaskRequests, 'tasks/get' | 'tasks/cancel'> {
  'tasks/get': { params: GetTaskParams; result: GetTaskResult | DetailedTaskResult };
  /** The extension's. */
  'tasks/update': { params: UpdateTaskParams; result: EmptyResult };
  /** The state in 2025-11-25, nothing in the extension. */
  'tasks/cancel': { params: CancelTaskParams; result: CancelTaskResult | EmptyResult };
}

/**
 * Requests a client sends. `params` includes `undefined` where the caller need not
 * say anything; the library still adds `_meta` in 2026-07-28.
 *
 * `result` is the complete result. In 2026-07-28 `tools/call`, `prompts/get` and
 * `resources/read` may first answer with an `InputRequiredResult`; in 2025-11-25 a
 * `tools/call` with `task` answers with a `CreateTaskResult`.
 *
 * @see MCP 2026-07-28 schema, ClientRequest
 * @see MCP 2025-11-25 schema, ClientRequest
 * @public
 */
export interface ClientRequests extends ClientTaskRequests, SkillRequests {
  /** Removed in 2026-07-28. */
  initialize: { params: InitializeParams; result: InitializeResult };
  /** @since 2026-07-28 */
  'server/discover': { params: DiscoverParams | undefined; result: DiscoverResult };
  /** Removed in 2026-07-28. */
  ping: { params: PingParams | undefined; result: EmptyResult };
  'tools/list': { params: ListToolsParams | undefined; result: ListToolsResult };
  'tools/call': { params: CallToolParams; result: CallToolResult };
  'resources/list': { params: ListResourcesParams | undefined; result: ListResourcesResult };
  'resources/templates/list': {
    params: ListResourceTemplatesParams | undefined;
    result: ListResourceTemplatesResult;
  };
  'resources/read': { params: ReadResourceParams; result: ReadResourceResult };
  /** Removed in 2026-07-28. */
  'resources/subscribe': { params: SubscribeParams; result: EmptyResult };
  /** Removed in 2026-07-28. */
  'resources/unsubscribe': { params: UnsubscribeParams; result: EmptyResult };
  'prompts/list': { params: ListPromptsParams | undefined; result: ListPromptsResult };
  'prompts/get': { params: GetPromptParams; result: GetPromptResult };
  'completion/complete': { params: CompleteParams; result: CompleteResult };
  /** Removed in 2026-07-28. */
  'logging/setLevel': { params: SetLevelParams; result: EmptyResult };
  /** @since 2026-07-28 */
  'subscriptions/listen': { params: SubscriptionsListenParams; result: SubscriptionsListenResult };
}

/**
 * Requests a server sends in legacy revisions. Since 2026-07-28 a server sends
 * none; sampling, elicitation and roots turn into input requests.
 *
 * In 2025-11-25 a request with `task` is answered with a `CreateTaskResult`.
 *
 * @see MCP 2025-11-25 schema, ServerRequest
 * @public
 */
export interface ServerRequests extends TaskRequests {
  ping: { params: PingParams | undefined; result: EmptyResult };
  'sampling/createMessage': { params: CreateMessageParams; result: CreateMessageResult };
  /** @since 2025-06-18 */
  'elicitation/create': { params: ElicitParams; result: ElicitResult };
  'roots/list': { params: ListRootsParams | undefined; result: ListRootsResult };
}

/**
 * Notifications a client sends, with their params. 2026-07-28 keeps
 * `notifications/cancelled` only.
 *
 * @see MCP 2026-07-28 schema, ClientNotification
 * @see MCP 2025-11-25 schema, ClientNotification
 * @public
 */
export interface ClientNotifications {
  /** Removed in 2026-07-28. */
  'notifications/initialized': NotificationParams | undefined;
  'notifications/cancelled': CancelledParams;
  /** Removed for clients in 2026-07-28. */
  'notifications/progress': ProgressParams;
  /** Removed in 2026-07-28. */
  'notifications/roots/list_changed': NotificationParams | undefined;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  'notifications/tasks/status': TaskStatusParams;
}

/**
 * Notifications a server sends, with their params.
 *
 * @see MCP 2026-07-28 schema, ServerNotification
 * @see MCP 2025-11-25 schema, ServerNotification
 * @public
 */
export interface ServerNotifications {
  'notifications/cancelled': CancelledParams;
  'notifications/progress': ProgressParams;
  'notifications/message': LoggingMessageParams;
  'notifications/tools/list_changed': NotificationParams | undefined;
  'notifications/prompts/list_changed': NotificationParams | undefined;
  'notifications/resources/list_changed': NotificationParams | undefined;
  'notifications/resources/updated': ResourceUpdatedParams;
  /** @since 2026-07-28 */
  'notifications/subscriptions/acknowledged': SubscriptionsAcknowledgedParams;
  /** @since 2025-11-25, removed in 2026-07-28 */
  'notifications/elicitation/complete': ElicitationCompleteParams;
  /** @since 2025-11-25, experimental; removed in 2026-07-28 */
  'notifications/tasks/status': TaskStatusParams;
  /** Of the extension `io.modelcontextprotocol/tasks`. */
  'notifications/tasks': TaskNotificationParams;
}

/**
 * Params of a request by its method: the declared type for a method of
 * {@link ClientRequests} or {@link ServerRequests}, an open object for any other.
 * @public
 */
export type ParamsOf<M extends string> = M extends keyof ClientRequests
  ? ClientRequests[M]['params']
  : M extends keyof ServerRequests
    ? ServerRequests[M]['params']
    : Record<string, unknown>;

/**
 * Complete result of a request by its method, with the same rule as
 * {@link ParamsOf}.
 * @public
 */
export type ResultOf<M extends string> = M extends keyof ClientRequests
  ? ClientRequests[M]['result']
  : M extends keyof ServerRequests
    ? ServerRequests[M]['result']
    : Record<string, unknown>;

/** Params of a notification that a client sends, by its method, with the same rule as {@link ParamsOf}. @public */
export type NotificationParamsOf<M extends string> = M extends keyof ClientNotifications ? ClientNotifications[M] : Record<string, unknown>;

/** A JSON-RPC notification; `params` may be absent where `P` includes `undefined`. */
type NotificationMessage<M extends string, P> = undefined extends P
  ? { jsonrpc: '2.0'; method: M; params?: P }
  : { jsonrpc: '2.0'; method: M; params: P };

/** Any notification of a server that this library knows; narrow by `method`. @public */
export type ServerNotification = {
  [M in keyof ServerNotifications]: NotificationMessage<M, ServerNotifications[M]>;
}[keyof ServerNotifications];
