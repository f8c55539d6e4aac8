// Every message that a client sends during the specs is checked against the schemas of the official package, and against
// what the revision of 2026-07-28 wants beside them. Loaded by the set-up of both platforms.
import * as core from '@modelcontextprotocol/core';
import { Connection, type WireRecord } from '../../lib/session/connection.ts';

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly message: string } | undefined };
}

const requests: Readonly<Record<string, Schema>> = {
  'completion/complete': core.CompleteRequestSchema,
  initialize: core.InitializeRequestSchema,
  'logging/setLevel': core.SetLevelRequestSchema,
  ping: core.PingRequestSchema,
  'prompts/get': core.GetPromptRequestSchema,
  'prompts/list': core.ListPromptsRequestSchema,
  'resources/list': core.ListResourcesRequestSchema,
  'resources/read': core.ReadResourceRequestSchema,
  'resources/subscribe': core.SubscribeRequestSchema,
  'resources/templates/list': core.ListResourceTemplatesRequestSchema,
  'resources/unsubscribe': core.UnsubscribeRequestSchema,
  'server/discover': core.DiscoverRequestSchema,
  'subscriptions/listen': core.SubscriptionsListenRequestSchema,
  'tasks/cancel': core.CancelTaskRequestSchema,
  'tasks/get': core.GetTaskRequestSchema,
  'tasks/list': core.ListTasksRequestSchema,
  'tasks/result': core.GetTaskPayloadRequestSchema,
  'tools/call': core.CallToolRequestSchema,
  'tools/list': core.ListToolsRequestSchema,
};

const notifications: Readonly<Record<string, Schema>> = {
  'notifications/cancelled': core.CancelledNotificationSchema,
  'notifications/initialized': core.InitializedNotificationSchema,
  'notifications/roots/list_changed': core.RootsListChangedNotificationSchema,
};

/** What the client answers, by the method that the server asked for. */
const answers: Readonly<Record<string, Schema>> = {
  'elicitation/create': core.ElicitResultSchema,
  ping: core.EmptyResultSchema,
  'roots/list': core.ListRootsResultSchema,
  'sampling/createMessage': core.CreateMessageResultWithToolsSchema,
};

/** How many messages of each kind were checked. */
const checked = new Map<string, number>();
const violations: string[] = [];

/** What was checked, in a line. @throws when a message was not as it must be. */
export function wireReport(): string {
  if (violations.length > 0) throw new Error(violations.join('\n\n'));
  const total = [...checked.values()].reduce((sum, n) => sum + n, 0);
  return `${total} messages of ${checked.size} kinds were sent as the schemas want them`;
}

/** @see MCP 2026-07-28 Base Protocol, "Per-request protocol fields" */
function modernProblem(message: any): string | undefined {
  const meta = message.params?._meta ?? {};
  const { name, version } = meta['io.modelcontextprotocol/clientInfo'] ?? {};
  if (meta['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') return 'no protocolVersion in _meta';
  if (typeof name !== 'string' || typeof version !== 'string') return 'no clientInfo in _meta';
  const capabilities = meta['io.modelcontextprotocol/clientCapabilities'];
  if (!core.ClientCapabilitiesSchema.safeParse(capabilities).success) return 'no clientCapabilities in _meta';
  if ('inputResponses' in message.params && Object.values<any>(message.params.inputResponses).some((answer) => typeof answer !== 'object')) return 'an input response that is no object';
  return 'task' in message.params ? 'a task of 2025-11-25' : undefined;
}

/** What is wrong with a message; undefined when nothing is, or nobody knows its method. */
export function problemOf(message: any, isModern: boolean, asked?: string): string | undefined {
  const [schema, value, name] =
    message.method === undefined ? [answers[asked ?? ''], message.result, `answer to ${asked}`] : [message.id === undefined ? notifications[message.method] : requests[message.method], message, message.method];
  if (schema === undefined || value === undefined) return undefined;
  checked.set(name, (checked.get(name) ?? 0) + 1);
  const envelope = message.method === undefined ? core.JSONRPCResultResponseSchema : message.id === undefined ? core.JSONRPCNotificationSchema : core.JSONRPCRequestSchema;
  const problem = (envelope as Schema).safeParse(message).error?.message ?? schema.safeParse(value).error?.message ?? (isModern && message.id !== undefined && message.method !== undefined ? modernProblem(message) : undefined);
  return problem === undefined ? undefined : `${problem}\n${JSON.stringify(message)}`;
}

const watched = new WeakSet<Connection>();
const { connect } = Connection.prototype;

/** Checks what connections send from now on. @param current - The spec that runs. */
export function checkWire(current: () => string): void {
  Connection.prototype.connect = function (this: Connection) {
    if (!watched.has(this)) watch(this, current());
    return connect.call(this);
  };
}

function watch(connection: Connection, spec: string): void {
  watched.add(connection);
  const asked = new Map<unknown, string>();
  connection.wire$.subscribe(({ direction, message }: WireRecord) => {
    const { id, method } = message as { id?: unknown; method?: string };
    if (direction === 'in') {
      if (id !== undefined && method !== undefined) asked.set(id, method);
      return;
    }
    const problem = problemOf(message, connection.era.name === 'modern' || method === 'server/discover', asked.get(id));
    if (problem !== undefined) violations.push(`"${spec}" sent what the schemas refuse: ${problem}`);
  });
}
