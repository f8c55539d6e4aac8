import { ConfigError } from '../errors.js';

/**
 * A message as JSON text.
 *
 * @throws {@link ConfigError} what the caller gave cannot be written as JSON: a cycle, a BigInt.
 */
export function encodeMessage(message: object): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The message cannot be written as JSON: ${reason}`, { cause: error });
  }
}
