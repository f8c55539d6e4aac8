/**
 * The client that the public conformance suite drives: one scenario a run,
 * named by the environment, with the server's URL as last argument. The
 * library does the work; here stands only which calls a scenario wants.
 */
import process from 'node:process';
import { concat, concatMap, defer, EMPTY, filter, forkJoin, from, lastValueFrom, type Observable } from 'rxjs';
import { connect, withElicitation, withSkills, type JsonObject, type McpClient, type Revision, type SkillsApi, type Tool } from '../../lib/index.ts';

/** What the suite says beyond the scenario's name. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { toolCalls?: { name: string; arguments: JsonObject }[] };

type Scenario = (client: McpClient & SkillsApi) => Observable<unknown>;

/** Arguments that a tool may want; servers of the suite name what they need. */
const ARGUMENTS: Readonly<Record<string, JsonObject>> = {
  add_numbers: { a: 5, b: 3 },
};

const listAndCallAll: Scenario = (client) =>
  client.listTools({ observe: 'items' }).pipe(concatMap(({ name }) => client.callTool(name, ARGUMENTS[name])));

/** Loads every skill, then its other files. */
const loadSkills: Scenario = (client) =>
  client.listSkills({ observe: 'items' }).pipe(
    concatMap((skill) => {
      const files = skill.resources === 'dynamic' ? [] : skill.resources;
      return concat(client.readSkill(skill), from(files).pipe(concatMap(({ uri }) => client.readSkillFile(skill, uri))));
    }),
  );

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  initialize: () => EMPTY,
  tools_call: listAndCallAll,
  /** Its answer stream ends early, and is resumed. */
  'sse-retry': (client) => client.callTool('test_reconnection'),
  'request-metadata': (client) => client.listTools(),
  'json-schema-ref-no-deref': (client) => client.listTools(),
  /** What the list says of a schema, word for word. */
  'json-schema-2020-12-preservation': (client) =>
    client.listTools({ observe: 'items' }).pipe(
      filter((tool) => tool.name === 'json_schema_2020_12_tool'),
      concatMap(({ inputSchema }) => client.callTool('json_schema_echo', { schema: inputSchema })),
    ),
  'elicitation-sep1034-client-defaults': (client) => client.callTool('test_client_elicitation_defaults'),
  'sep-2322-client-request-state': listAndCallAll,
  /** The calls that the suite asks for, once the tools and their headers are known. */
  'http-custom-headers': (client) =>
    concat(
      client.listTools(),
      from(context.toolCalls ?? []).pipe(concatMap((call) => client.callTool(call.name, call.arguments))),
    ),
  'http-invalid-tool-headers': listAndCallAll,
  /** Every method whose name or URI is mirrored into a header, once. */
  'http-standard-headers': (client) =>
    forkJoin({
      tools: client.listTools(),
      prompts: client.request('prompts/list'),
      resources: client.request('resources/list'),
    }).pipe(
      concatMap(({ tools, prompts, resources }) =>
        from([
          ...tools.map(({ name }: Tool) => client.callTool(name)),
          ...prompts.prompts.map(({ name }) => client.request('prompts/get', { name })),
          ...resources.resources.map(({ uri }) => client.request('resources/read', { uri })),
        ]),
      ),
      concatMap((call$: Observable<unknown>) => call$),
    ),
  'sep-2640-client-no-prefetch': (client) => client.listSkills(),
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,
};

const name = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const scenario = SCENARIOS[name];
const url = process.argv.at(-1);
if (scenario === undefined || url === undefined) throw new Error(`No steps for scenario "${name}"`);

/** A pinned revision is spoken alone. */
const pinned = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION as Revision | undefined;
const options = {
  clientInfo: { name: 'rxjs-mcp-conformance', version: '1.0.0' },
  revisions: pinned && [pinned],
  /** Agrees to everything, as the form proposes it. */
  features: [withElicitation(() => [{ action: 'accept' }]), withSkills()],
} as const;
const run$ = connect({ type: 'http', url }, options).pipe(
  concatMap((client) => concat(scenario(client), defer(() => client.close()))),
);
await lastValueFrom(run$, { defaultValue: undefined });
