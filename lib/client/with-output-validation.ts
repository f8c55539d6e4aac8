import type { Schema, SchemaDraft, Validator } from '@cfworker/json-schema';
import { concatMap, map, Subject, type Observable } from 'rxjs';
import { ConfigError, McpError } from '../errors.js';
import type { CallEvent } from '../session/request-options.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { CallToolResult } from '../wire/mcp/tools.js';
import { isObject, type JsonObject } from '../wire/message.js';
import type { ClientFeature } from './feature.js';
import { LazyModule } from './lazy-module.js';

/** The validator. */
export const jsonSchemaModule = /* @__PURE__ */ new LazyModule<JsonSchema>(() => import('@cfworker/json-schema'));

/** What is needed of the package. */
interface JsonSchema {
  readonly Validator: typeof Validator;
}

/** How deep a schema may be; a deeper one is not used. */
const MAX_DEPTH = 100;

/** Dialects by what `$schema` names; without one it is 2020-12. @see MCP 2026-07-28 Base Protocol, "Schema Dialect" */
const DIALECTS: [RegExp, SchemaDraft][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, '7'],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, '4'],
];

/** A result that is not as the tool's `outputSchema` says, or a schema that cannot be used. @public */
export interface OutputProblem {
  readonly tool: string;
  /** `schema`: told once for a tool; its results are not looked at. */
  readonly kind: 'result' | 'schema';
  readonly message: string;
}

/** A result that is not as the tool's `outputSchema` says. @public */
export class OutputValidationError extends McpError {
  override readonly name = 'OutputValidationError';

  /** @param result - The whole result; its content may still be of use. */
  constructor(
    readonly tool: string,
    problem: string,
    readonly result: CallToolResult,
  ) {
    super(`The result of tool "${tool}" does not match its output schema: ${problem}`);
  }
}

/** @public */
export interface OutputValidation {
  /** What was found wrong. Hot; no replay. */
  readonly outputProblems$: Observable<OutputProblem>;
}

/**
 * Checks `structuredContent` of results against the `outputSchema` of tools that
 * were listed. Results that say `isError` are not looked at. Needs no `eval`
 * and fetches no `$ref`. The validator is imported with the first result that
 * there is a schema for, which waits for it.
 *
 * @param mode - `warn`: problems are told on `outputProblems$` and the result
 * passes; `strict`: the call errors as well. @defaultValue 'warn'
 * @throws {@link OutputValidationError} in calls, when strict.
 * @see MCP 2025-11-25 Tools, "Output Schema"
 * @public
 */
export function withOutputValidation(mode: 'off' | 'warn' | 'strict' = 'warn'): ClientFeature<OutputValidation> {
  return { name: 'output validation', create: () => outputValidation(mode) };
}

function outputValidation(mode: 'off' | 'warn' | 'strict'): ClientFeature<OutputValidation> {
  const problems = new Subject<OutputProblem>();
  const schemas = new Map<string, unknown>();
  const validators = new Map<string, Check>();

  const learn = (tools: unknown) => {
    for (const tool of Array.isArray(tools) ? (tools as (Tool | null)[]) : []) {
      if (tool === null || schemas.get(tool.name) === tool.outputSchema) continue;
      schemas.set(tool.name, tool.outputSchema);
      validators.delete(tool.name);
    }
  };
  /** What is wrong with a value; a schema that turns out to be of no use is told of once. */
  const problemWith = (tool: string, value: unknown, validator: JsonSchema): string | undefined => {
    try {
      const check = validators.get(tool) ?? checker(schemas.get(tool), validator);
      validators.set(tool, check);
      return check(value);
    } catch (error) {
      validators.set(tool, () => undefined);
      problems.next({ tool, kind: 'schema', message: firstLine(error) });
      return undefined;
    }
  };
  const check = (tool: string, result: CallToolResult, validator: JsonSchema) => {
    const message = problemWith(tool, result.structuredContent, validator);
    if (message === undefined) return;
    problems.next({ tool, kind: 'result', message });
    if (mode === 'strict') throw new OutputValidationError(tool, message, result);
  };

  return {
    name: 'output validation',
    intercept: ({ method, params, options }, next) => {
      const events$ = next({ method, params, options });
      if (mode === 'off' || (method !== 'tools/list' && method !== 'tools/call')) return events$;
      const tool = String(params?.name);
      return events$.pipe(
        concatMap((event: CallEvent<JsonObject>) => {
          if (event.type !== 'result' || !isObject(event.result)) return [event];
          if (method === 'tools/list') learn(event.result.tools);
          const result = event.result as unknown as CallToolResult;
          if (method === 'tools/list' || schemas.get(tool) === undefined || result.isError || isOnlyBegun(result)) return [event];
          return jsonSchemaModule.module$.pipe(
            map((validator) => {
              check(tool, result, validator);
              return event;
            }),
          );
        }),
      );
    },
    extend: () => ({ outputProblems$: problems.asObservable() }),
  };
}

/** Whether the result proper comes later: after more input, or from a task. */
function isOnlyBegun({ resultType = 'complete', content, task }: CallToolResult): boolean {
  return resultType !== 'complete' || ((content as unknown) === undefined && isObject(task));
}

/** What is wrong with a value, if anything is. */
type Check = (value: unknown) => string | undefined;

/** @throws the schema cannot be used; some find that only when a value leads there, as with an unresolved `$ref`. */
function checker(schema: unknown, { Validator }: JsonSchema): Check {
  if (typeof schema !== 'boolean' && !isObject(schema)) throw new ConfigError('The output schema is no schema');
  if (depthOf(schema) > MAX_DEPTH) throw new ConfigError(`The output schema is more than ${MAX_DEPTH} levels deep`);
  const dialect = dialectOf(schema);
  if (dialect === undefined) throw new ConfigError(`The output schema is of an unknown dialect: ${JSON.stringify((schema as Schema).$schema)}`);
  const validator = new Validator(schema, dialect, true);
  return (value) => {
    if (value === undefined) return 'structuredContent is missing';
    const { errors } = validator.validate(value);
    const worst = errors.at(-1);
    return worst === undefined ? undefined : `${worst.instanceLocation.replace(/^#/, '') || '/'}: ${worst.error}`;
  };
}

function firstLine(error: unknown): string {
  return (error as Error).message.split('\n', 1)[0] ?? '';
}

function dialectOf(schema: unknown): SchemaDraft | undefined {
  const { $schema } = isObject(schema) ? schema : {};
  if ($schema === undefined) return '2020-12';
  return DIALECTS.find(([pattern]) => typeof $schema === 'string' && pattern.test($schema))?.[1];
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  return Math.max(depth, ...Object.values(value).map((inner) => depthOf(inner, depth + 1)));
}
