import { ProtocolError } from '../../errors.js';
import { isObject, type JsonObject } from '../../wire/message.js';

/**
 * Refuses a conversation that a model's provider would refuse: every use of a
 * tool is followed by its result, in a message that holds nothing else.
 *
 * @throws {@link ProtocolError}
 * @see MCP 2025-11-25 Sampling, "Message Content Constraints"
 */
export function checkToolResults(messages: unknown): void {
  if (!Array.isArray(messages)) return;
  const blocks = messages.map((message: unknown) => (isObject(message) ? [message.content].flat().filter(isObject) : []));
  blocks.forEach((content, index) => {
    const results = content.filter(({ type }) => type === 'tool_result');
    if (results.length > 0 && results.length < content.length) throw new ProtocolError('Tool results mixed with other content');
    const answered = new Set((blocks[index + 1] ?? []).filter(({ type }) => type === 'tool_result').map(({ toolUseId }: JsonObject) => toolUseId));
    const isAnswered = content.every(({ type, id }) => type !== 'tool_use' || answered.has(id));
    if (!isAnswered) throw new ProtocolError('Tool result missing in request');
  });
}
