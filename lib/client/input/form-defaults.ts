import type { ElicitParams, ElicitResult, ElicitValue } from '../../wire/mcp/elicitation.js';
import type { ResultMeta } from '../../wire/mcp/meta.js';
import { isObject } from '../../wire/message.js';

/** A filled-in form; `undefined` leaves a field empty that has a default. @public */
export type FormContent = Readonly<Record<string, ElicitValue | undefined>>;

/** What a user decided, before the form's defaults are filled in. @public */
export interface ElicitDecision {
  /** The user agreed, said no, or walked away. */
  readonly action: ElicitResult['action'];
  /** The filled-in form; only sent with `accept`. */
  readonly content?: FormContent | undefined;
  readonly _meta?: ResultMeta | undefined;
}

/**
 * The result as the server is to get it: content for an accepted form only,
 * with the default of every field that it leaves out.
 *
 * @see MCP 2025-11-25 Elicitation, "Requested Schema"; SEP-1034
 */
export function completed(params: ElicitParams, decision: ElicitDecision): ElicitResult {
  const { content, ...rest } = decision;
  if (decision.action !== 'accept' || params.mode === 'url') return rest;
  return { ...rest, content: withDefaults(params.requestedSchema, content ?? {}) };
}

function withDefaults(schema: unknown, content: FormContent): Record<string, ElicitValue> {
  const fields = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const left = Object.entries(fields).flatMap(([name, field]): [string, ElicitValue | undefined][] =>
    !Object.hasOwn(content, name) && isObject(field) ? [[name, field.default as ElicitValue | undefined]] : [],
  );
  const filled = [...left, ...Object.entries(content)].filter((entry): entry is [string, ElicitValue] => entry[1] !== undefined);
  return Object.fromEntries(filled); // also for a name like __proto__
}
