// Every difference between our types and those of the official package: what, why, and where the specification says so.
// The compiler holds these lists to the types in both directions: see types.node-spec.ts.

interface Reason {
  readonly why: string;
  /** Where to look; absent where no revision says anything. */
  readonly see?: string;
}

const anyJson: Reason = { why: 'a JSON object is Record<string, unknown> here, theirs is recursive: an interface of the caller fits ours only', see: '2026-07-28 schema, JSONObject' };
const holds = (name: string): Reason => ({ why: `holds ${name}` });
const known: Reason = { why: 'ours declares the known fields only, theirs allows others; what else comes stays in place here too' };
const noUndefined: Reason = { why: 'messages as they travel: JSON knows no undefined, which theirs allows in place of an absent field', see: 'JSON-RPC 2.0, section 4' };

/** A value of ours may be none of theirs, because of this field; `*`: because of the whole. */
export const WIDER = {
  'ClientCapabilities.elicitation': anyJson,
  'ClientCapabilities.experimental': anyJson,
  'ClientCapabilities.extensions': anyJson,
  'ClientCapabilities.sampling': anyJson,
  'ClientCapabilities.tasks': anyJson,
  'CreateMessageRequest.params': holds('CreateMessageRequestParams'),
  'CreateMessageRequestParams.metadata': anyJson,
  'CreateMessageRequestParams.tools': holds('Tool'),
  'CreateMessageResult.content': { why: 'a list, and blocks of tools, which theirs has in CreateMessageResultWithTools', see: '2025-11-25 schema, CreateMessageResult' },
  'DirectoryResource.*': known,
  'DiscoverResult.capabilities': holds('ServerCapabilities'),
  'ElicitRequest.params': holds('ElicitRequestParams'),
  'ElicitRequestFormParams.requestedSchema': { why: 'a closed list of keywords; theirs allows others', see: '2026-07-28 schema, ElicitRequestFormParams' },
  'ElicitRequestParams.*': holds('ElicitRequestFormParams and ElicitRequestURLParams'),
  'ElicitRequestURLParams.elicitationId': { why: 'required in 2025-11-25, gone in 2026-07-28', see: '2026-07-28 schema, ElicitRequestURLParams' },
  'GetSkillResult.cacheScope': { why: 'optional, as in every result here: servers leave it out', see: '2026-07-28 schema, CacheableResult' },
  'GetSkillResult.skill': holds('Skill'),
  'GetSkillResult.ttlMs': { why: 'optional, as in every result here: servers leave it out', see: '2026-07-28 schema, CacheableResult' },
  'InitializeRequest.params': holds('InitializeRequestParams'),
  'InitializeRequestParams.capabilities': holds('ClientCapabilities'),
  'InitializeResult.capabilities': holds('ServerCapabilities'),
  'JSONObject.*': anyJson,
  'JSONRPCErrorResponse.id': { why: 'null where the peer could not read the id, as JSON-RPC has it and servers send it', see: 'JSON-RPC 2.0, section 5' },
  'JSONRPCMessage.*': holds('JSONRPCErrorResponse'),
  'JSONRPCResponse.*': holds('JSONRPCErrorResponse'),
  'ListSkillsResult.cacheScope': { why: 'optional, as in every result here: servers leave it out', see: '2026-07-28 schema, CacheableResult' },
  'ListSkillsResult.skills': holds('Skill'),
  'ListSkillsResult.ttlMs': { why: 'optional, as in every result here: servers leave it out', see: '2026-07-28 schema, CacheableResult' },
  'ListToolsResult.tools': holds('Tool'),
  'Notification.params': known,
  'ReadResourceDirectoryResult.cacheScope': { why: 'optional: the extension does not speak of it for this result', see: 'MCP Skills extension, "Reading Directories"' },
  'ReadResourceDirectoryResult.resources': holds('DirectoryResource'),
  'ReadResourceDirectoryResult.ttlMs': { why: 'optional: the extension does not speak of it for this result', see: 'MCP Skills extension, "Reading Directories"' },
  'Request.params': known,
  'ServerCapabilities.completions': anyJson,
  'ServerCapabilities.experimental': anyJson,
  'ServerCapabilities.extensions': anyJson,
  'ServerCapabilities.logging': anyJson,
  'ServerCapabilities.tasks': anyJson,
  'Skill.resources': holds('SkillResourceEntry'),
  'SkillResourceEntry.*': known,
  'SkillResources.*': holds('SkillResourceEntry'),
  'TaskCreationParams.*': known,
  'Tool.inputSchema': { why: 'the schema of a property is unknown: JSON Schema has true and false too, where theirs has objects', see: '2026-07-28 schema, Tool' },
} as const satisfies Record<string, Reason>;

/** A value of theirs may be none of ours. */
export const NARROWER = {
  'JSONRPCErrorResponse.id': noUndefined,
  'JSONRPCMessage.*': holds('JSONRPCRequest, JSONRPCNotification and JSONRPCErrorResponse'),
  'JSONRPCNotification.params': noUndefined,
  'JSONRPCRequest.params': noUndefined,
  'JSONRPCResponse.*': holds('JSONRPCErrorResponse'),
} as const satisfies Record<string, Reason>;

/** Fields that theirs declares and ours does not. */
export const ONLY_THEIRS = {
  'TaskCreationParams.pollInterval': { why: 'of a draft of tasks; the revision has ttl only', see: '2025-11-25 schema, TaskMetadata' },
} as const satisfies Record<string, Reason>;

/** Fields that ours declares and theirs does not, mostly of 2026-07-28. By field, with the types. */
export const ONLY_OURS = {
  resultType: {
    why: 'a field of every result since 2026-07-28; theirs leaves it to the index signature',
    see: '2026-07-28 schema, Result',
    of: [
      'CallToolResult',
      'CancelTaskResult',
      'CompleteResult',
      'CreateMessageResult',
      'CreateMessageResultWithTools',
      'CreateTaskResult',
      'DiscoverResult',
      'ElicitResult',
      'EmptyResult',
      'GetPromptResult',
      'GetSkillResult',
      'GetTaskPayloadResult',
      'GetTaskResult',
      'InitializeResult',
      'ListPromptsResult',
      'ListResourceTemplatesResult',
      'ListResourcesResult',
      'ListRootsResult',
      'ListSkillsResult',
      'ListTasksResult',
      'ListToolsResult',
      'PaginatedResult',
      'ReadResourceDirectoryResult',
      'ReadResourceResult',
      'Result',
      'SubscriptionsListenResult',
    ],
  },
  ttlMs: {
    why: 'how long a result may be kept; theirs declares it for skills only',
    see: '2026-07-28 schema, CacheableResult',
    of: ['DiscoverResult', 'ListPromptsResult', 'ListResourceTemplatesResult', 'ListResourcesResult', 'ListToolsResult', 'ReadResourceResult'],
  },
  cacheScope: {
    why: 'as ttlMs',
    see: '2026-07-28 schema, CacheableResult',
    of: ['DiscoverResult', 'ListPromptsResult', 'ListResourceTemplatesResult', 'ListResourcesResult', 'ListToolsResult', 'ReadResourceResult'],
  },
  inputResponses: {
    why: 'the second round of a call; theirs has nothing of multi round-trip requests',
    see: '2026-07-28 schema, InputResponseRequestParams',
    of: ['CallToolRequestParams', 'GetPromptRequestParams', 'ReadResourceRequestParams', 'ResourceRequestParams'],
  },
  requestState: {
    why: 'as inputResponses',
    see: '2026-07-28 schema, InputResponseRequestParams',
    of: ['CallToolRequestParams', 'GetPromptRequestParams', 'ReadResourceRequestParams', 'ResourceRequestParams'],
  },
  taskIds: { why: 'of the extension io.modelcontextprotocol/tasks', see: 'SEP-2663, "Task Status Notifications"', of: ['SubscriptionFilter'] },
  title: {
    why: 'part of BaseMetadata, which these types extend since 2025-06-18',
    see: '2026-07-28 schema, PromptArgument and PromptReference',
    of: ['PromptArgument', 'PromptReference'],
  },
  'io.modelcontextprotocol/protocolVersion': { why: 'in every request since 2026-07-28', see: '2026-07-28 schema, RequestMetaObject', of: ['RequestMeta'] },
  'io.modelcontextprotocol/clientInfo': { why: 'in every request since 2026-07-28', see: '2026-07-28 schema, RequestMetaObject', of: ['RequestMeta'] },
  'io.modelcontextprotocol/clientCapabilities': { why: 'in every request since 2026-07-28', see: '2026-07-28 schema, RequestMetaObject', of: ['RequestMeta'] },
  'io.modelcontextprotocol/logLevel': { why: 'takes the place of logging/setLevel', see: '2026-07-28 schema, RequestMetaObject', of: ['RequestMeta'] },
  'io.modelcontextprotocol/related-task': {
    why: 'in any message that belongs to a task, results too; theirs declares it for requests only',
    see: '2025-11-25 Tasks, "Related Task Metadata"',
    of: ['ResultMetaObject', 'SubscriptionsListenResultMeta'],
  },
  traceparent: { why: 'trace context, in any _meta', see: '2026-07-28 Base Protocol, "_meta"', of: ['RequestMeta', 'ResultMetaObject', 'SubscriptionsListenResultMeta'] },
  tracestate: { why: 'as traceparent', see: '2026-07-28 Base Protocol, "_meta"', of: ['RequestMeta', 'ResultMetaObject', 'SubscriptionsListenResultMeta'] },
  baggage: { why: 'as traceparent', see: '2026-07-28 Base Protocol, "_meta"', of: ['RequestMeta', 'ResultMetaObject', 'SubscriptionsListenResultMeta'] },
} as const satisfies Record<string, Reason & { of: readonly string[] }>;
