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

/** The types that doors know; every other is a feature's. */
const DOOR_TYPES = ['stdio', 'http', 'sse'];

/** @public */
export interface TransportOptions extends ConnectionOptions {
  /** Ways to reach a server, such as {@link withWebSocket}; nothing else of a feature counts here. */
  readonly features?: readonly ClientFeature[] | undefined;
}

/** What leads to a server: the door's own way and further ones, or a feature's for a type that no door knows. */
function waysTo<Config extends CommonConfig>(open: Open<Config>, config: Config, features: readonly ClientFeature[]): (() => Transport)[] {
  const { type = 'stdio' } = config;
  const further = features.flatMap(({ transport }) => transport?.(config) ?? []);
  return further.length > 0 && !DOOR_TYPES.includes(type) ? further : [() => open(config), ...further];
}

/**
 * `createTransport` for a door.
 *
 * @param builtIn - Features whose ways every transport of the door can take.
 */
export function transportCreator<Config extends CommonConfig>(open: Open<Config>, builtIn: readonly ClientFeature[] = []) {
  return (config: Config, options: TransportOptions = {}): Connection => {
    const { name, timeout } = config;
    const [make = () => open(config)] = waysTo(open, config, [...(options.features ?? []), ...builtIn]);
    return new Connection(make(), { ...options, name: options.name ?? name, timeout: options.timeout ?? timeout });
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
    const ways = waysTo(open, source, all.features);
    if (source.type === 'sse') ways.reverse();
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
