import { isObject, type JsonObject } from '../wire/message.js';
import type { Tool } from '../wire/mcp/tool-types.js';

/** A parameter that is mirrored into a header. */
interface ParamHeader {
  readonly header: string;
  /** Where its value is in the arguments. */
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
/** Types whose values a header can hold. */
const PRIMITIVE = ['string', 'integer', 'boolean'];
/** Keywords that hold a schema, a list of schemas, or schemas by name; `properties` is followed apart. */
const SUBSCHEMAS = ['items', 'prefixItems', 'contains', 'additionalProperties', 'patternProperties', 'propertyNames', 'dependentSchemas', 'not', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', '$defs', 'definitions'];
/** How deep a schema is looked into. */
const MAX_DEPTH = 64;

/**
 * Which parameters of which tools are mirrored into `Mcp-Param-*` headers, as
 * far as tools were listed.
 *
 * @see MCP 2026-07-28 Streamable HTTP, "Custom Headers from Tool Parameters"
 */
export class ParamHeaders {
  readonly #byTool = new Map<string, readonly ParamHeader[]>();

  /** Takes note of a tool. @returns what is wrong with its annotations, if anything is: then the tool is not to be used. */
  learn({ name, inputSchema }: Tool): string | undefined {
    const headers: ParamHeader[] = [];
    const problem = collect(inputSchema, [], true, headers, 0);
    if (problem === undefined && headers.length > 0) this.#byTool.set(name, headers);
    else this.#byTool.delete(name);
    return problem;
  }

  /** The headers for a call with these params, by name in lower case. */
  of(params: JsonObject | undefined): Record<string, string> {
    const headers = this.#byTool.get(String(params?.name)) ?? [];
    return Object.fromEntries(
      headers.flatMap(({ header, path }) => {
        const value = path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), params?.arguments);
        return ['string', 'number', 'boolean'].includes(typeof value) ? [[`mcp-param-${header.toLowerCase()}`, String(value)]] : [];
      }),
    );
  }
}

/** Finds the annotations of a schema; @returns what is wrong with the first bad one. */
function collect(schema: unknown, path: readonly string[], isReachable: boolean, found: ParamHeader[], depth: number): string | undefined {
  if (!isObject(schema) || depth > MAX_DEPTH) return undefined;
  if (ANNOTATION in schema) {
    const header = schema[ANNOTATION];
    const problem = problemWith(header, schema, isReachable && path.length > 0, found);
    if (problem !== undefined) return `${ANNOTATION} ${JSON.stringify(header)} ${problem}`;
    found.push({ header: header as string, path });
  }
  for (const [key, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const problem = collect(property, [...path, key], isReachable, found, depth + 1);
    if (problem !== undefined) return problem;
  }
  for (const keyword of SUBSCHEMAS) {
    const value = schema[keyword];
    const isNamed = isObject(value) && ['patternProperties', 'dependentSchemas', '$defs', 'definitions'].includes(keyword);
    for (const subschema of isNamed ? Object.values(value) : [value].flat()) {
      const problem = collect(subschema, path, false, found, depth + 1);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function problemWith(header: unknown, { type }: JsonObject, isReachable: boolean, found: readonly ParamHeader[]): string | undefined {
  if (typeof header !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(header)) return 'is not the name of a header';
  if (typeof type !== 'string' || !PRIMITIVE.includes(type)) return 'is on a parameter that is not a string, an integer or a boolean';
  if (!isReachable) return 'is on a schema that is not a property of the arguments';
  return found.some((other) => other.header.toLowerCase() === header.toLowerCase()) ? 'is given twice' : undefined;
}
