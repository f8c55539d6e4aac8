import { firstValueFrom, lastValueFrom } from 'rxjs';
import type { NotifyOptions, RequestOptions } from '../session/request-options.js';
import type { Tool } from '../wire/mcp/tool-types.js';
import type { CallToolResult } from '../wire/mcp/tools.js';
import type { JsonObject } from '../wire/message.js';
import type { NotificationParamsOf, ParamsOf, ResultOf } from '../wire/methods.js';
import type { McpClient } from './client.js';

/** A client for people who await. Each method does at once what the Observable does when subscribed. @public */
export interface McpPromises {
  /** The client itself, for its streams. */
  readonly client: McpClient;
  connect(): Promise<void>;
  reconnect(): Promise<void>;
  close(): Promise<void>;
  request<M extends string>(method: M, params?: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>>;
  notify<M extends string>(method: M, params?: NotificationParamsOf<M>, options?: NotifyOptions): Promise<void>;
  ping(options?: RequestOptions): Promise<void>;
  listTools(options?: RequestOptions): Promise<Tool[]>;
  callTool(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>;
}

/**
 * The Promise view of a client. To give a call up, pass a `signal`.
 *
 * @public
 */
export function toPromises(client: McpClient): McpPromises {
  const done = { defaultValue: undefined };
  return {
    client,
    connect: async () => {
      await lastValueFrom(client.connect());
    },
    reconnect: async () => {
      await lastValueFrom(client.reconnect());
    },
    close: () => lastValueFrom(client.close(), done),
    request: (method, params, options) => firstValueFrom(client.request(method, params, options)),
    notify: (method, params, options) => lastValueFrom(client.notify(method, params, options), done),
    ping: (options) => lastValueFrom(client.ping(options), done),
    listTools: (options) => firstValueFrom(client.listTools(options)),
    callTool: (name, args, options) => firstValueFrom(client.callTool(name, args, options)),
  };
}
