import type { JsonObject } from '../../../lib/index.ts';

interface Schema {
  readonly type?: unknown;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const PLAIN: Readonly<Record<string, unknown>> = { string: 'text', number: 1, integer: 1, boolean: true, array: [], object: {}, null: null };

/** Arguments to begin with: defaults, and something of the right type for what is required. */
export function sampleArguments(inputSchema: object): JsonObject {
  const { properties = {}, required = [] } = inputSchema as Schema;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, schema]) => schema.default !== undefined || required.includes(name))
      .map(([name, schema]) => [name, schema.default ?? schema.const ?? schema.enum?.[0] ?? PLAIN[String(schema.type)] ?? 'text']),
  );
}
