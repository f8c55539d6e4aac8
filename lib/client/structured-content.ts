import { from, map, of, pipe, switchMap, type OperatorFunction } from 'rxjs';
import { McpError } from '../errors.js';
import type { CallToolResult } from '../wire/mcp/tools.js';
import { throwOnToolError } from './tool-error.js';

/**
 * What every schema library of the Standard Schema family offers: Zod, Valibot,
 * ArkType and others. @see https://standardschema.dev
 *
 * @public
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** @public */
export type StandardResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** @public */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A result has no structured content, or not of the shape that was asked for. @public */
export class StructuredContentError extends McpError {
  override readonly name = 'StructuredContentError';

  /**
   * @param result - The whole result; its content may still be of use.
   * @param issues - What the schema finds wrong; empty when there is nothing to look at.
   */
  constructor(
    readonly result: CallToolResult,
    readonly issues: readonly StandardIssue[],
  ) {
    super(issues.length === 0 ? 'The result has no structured content' : `The structured content is not as expected: ${issues.map(textOf).join('; ')}`);
  }
}

/**
 * The structured content of a tool's result, typed: by a schema, which also
 * checks it, or by the type parameter, when the server is taken at its word.
 *
 * @throws {@link ToolError} the tool reported an error.
 * @throws {@link StructuredContentError} there is none, or the schema refuses it.
 * @see MCP 2025-11-25 Tools, "Structured Content"
 * @public
 */
export function structuredContent<T>(schema?: StandardSchema<T>): OperatorFunction<CallToolResult, T> {
  return pipe(
    throwOnToolError(),
    switchMap((result) => {
      if (result.structuredContent === undefined) throw new StructuredContentError(result, []);
      if (schema === undefined) return of(result.structuredContent as T);
      const checked = schema['~standard'].validate(result.structuredContent);
      return ('then' in checked ? from(checked) : of(checked)).pipe(
        map((outcome) => {
          if (outcome.issues !== undefined) throw new StructuredContentError(result, outcome.issues);
          return outcome.value;
        }),
      );
    }),
  );
}

function textOf({ message, path = [] }: StandardIssue): string {
  const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}
