import { isObject } from '../../wire/message.js';

/** What two configurations have in common that lead to the same server as the same user; undefined where that cannot be told. */
export function endpointOf(config: object | undefined): unknown {
  const { command, args = [], env = {}, cwd, url, headers = {} }: Readonly<Record<string, unknown>> = { ...config };
  if (typeof command === 'string') return { command, args, env, cwd };
  if (typeof url !== 'string' || !isPlain(headers)) return undefined;
  return { url: URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url, headers: lowerCased(headers) };
}

function lowerCased(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Not a stream or promise of headers. */
function isPlain(headers: unknown): headers is Readonly<Record<string, unknown>> {
  return isObject(headers) && Object.getPrototypeOf(headers) === Object.prototype;
}
