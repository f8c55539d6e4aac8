import type { Observable } from 'rxjs';
import { Connection, type ConnectionOptions } from '../session/connection.js';
import type { CommonConfig } from '../transport/config.js';
import type { Transport } from '../transport/transport.js';
import { McpClient, type ClientOptions } from './client.js';
import { whileSubscribed } from './connect.js';
import type { ClientFeature, FeatureApis } from './feature.js';

/** A client together with what its features add. @public */
export type ClientWith<F extends readonly ClientFeature[]> = McpClient & FeatureApis<F>;

/** What connects to a server: a configuration, or a function that makes a new transport each time. @public */
export type ClientSource<Config> = Config | (() => Transport);

/** Makes a raw transport of a configuration; each door knows its own kinds. */
type Open<Config> = (config: Config) => Transport;

/** `createTransport` for a door. */
export function transportCreator<Config extends CommonConfig>(open: Open<Config>) {
  return (config: Config, options: ConnectionOptions = {}): Connection => {
    const { name, timeout } = config;
    return new Connection(open(config), { ...options, name: options.name ?? name, timeout: options.timeout ?? timeout });
  };
}

/**
 * `createClient` for a door.
 *
 * @param builtIn - Features that every client of the door has.
 */
export function clientCreator<Config extends CommonConfig>(open: Open<Config>, builtIn: readonly ClientFeature[] = []) {
  return <const F extends readonly ClientFeature[] = readonly []>(
    source: ClientSource<Config>,
    options: ClientOptions<F> = {},
  ): ClientWith<F> => {
    const all = { ...options, features: [...(options.features ?? []), ...builtIn] };
    if (typeof source === 'function') return new McpClient([source], all) as ClientWith<F>;
    const further = all.features.flatMap(({ transport }) => transport?.(source) ?? []);
    const ways = [() => open(source), ...further];
    if ((source as { type?: string }).type === 'sse') ways.reverse();
    return new McpClient(ways, { ...all, name: options.name ?? source.name, timeout: options.timeout ?? source.timeout }) as ClientWith<F>;
  };
}

/** `connect` for a door. */
export function connector<Config extends CommonConfig>(open: Open<Config>, builtIn: readonly ClientFeature[] = []) {
  const createClient = clientCreator(open, builtIn);
  return <const F extends readonly ClientFeature[] = readonly []>(
    source: ClientSource<Config>,
    options: ClientOptions<F> = {},
  ): Observable<ClientWith<F>> => whileSubscribed(() => createClient(source, options));
}
