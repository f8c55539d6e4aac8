import { tap, type MonoTypeOperatorFunction } from 'rxjs';
import { McpError } from '../errors.js';
import type { CallToolResult } from '../wire/mcp/tools.js';

/** A tool ran and says that it failed. @see MCP 2025-11-25 Tools, "Error Handling" @public */
export class ToolError extends McpError {
  override readonly name = 'ToolError';

  /** @param result - The whole result, for the model to read. */
  constructor(readonly result: CallToolResult) {
    super(textOf(result) || 'The tool reported an error');
  }
}

/**
 * Errors on results that say `isError`; by itself a result with `isError` is a result.
 *
 * @throws {@link ToolError} the tool reported an error.
 * @public
 */
export function throwOnToolError(): MonoTypeOperatorFunction<CallToolResult> {
  return tap((result) => {
    if (result.isError) throw new ToolError(result);
  });
}

function textOf({ content }: CallToolResult): string {
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) => (block as { text?: unknown } | null)?.text);
  return texts.filter((text) => typeof text === 'string').join('\n');
}
