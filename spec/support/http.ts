// HTTP connections to the raw fixtures for specs, closed after each of them.
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { Connection, type ConnectionOptions } from '../../lib/session/connection.ts';
import { HttpTransport, type HttpConfig } from '../../lib/transport/http.ts';
import { rawHttp, type RawFixture } from './fixtures.ts';
import { outcome } from './outcome.ts';

/** One answer of `servers/raw-http/scripted.mjs`. */
export interface Rule {
  /** A JSON-RPC method, or GET or DELETE, or * for everything. */
  readonly on: string;
  readonly times?: number;
  readonly delay?: number;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** "$id" stands for the id of the request. */
  readonly body?: string;
  /** An event stream, in these chunks. */
  readonly sse?: readonly string[];
  /** Nothing more comes: no head, or no end. */
  readonly hang?: boolean;
  /** The connection is cut here. */
  readonly reset?: boolean;
}

const opened: Connection[] = [];

export async function openHttp(fixture: RawFixture, config: Partial<HttpConfig> = {}, options: ConnectionOptions = {}): Promise<Connection> {
  const connection = new Connection(new HttpTransport({ type: 'http', url: fixture.url, ...config }), options);
  opened.push(connection);
  await lastValueFrom(connection.connect());
  return connection;
}

export const scripted = (...rules: Rule[]): Promise<RawFixture> => rawHttp('scripted', { rules: JSON.stringify(rules) });

/** For `afterEach`. */
export async function closeHttp(): Promise<void> {
  await Promise.all(opened.splice(0).map((connection) => outcome(connection.close())));
}

export const call$ = (connection: Connection, args: object = {}, options?: object) =>
  connection.request('tools/call', { name: 'echo', arguments: args as never }, options);

/** The text of a tool's result. */
export async function call(connection: Connection, args?: object, options?: object): Promise<string> {
  const { content } = await firstValueFrom(call$(connection, args, options));
  return (content[0] as { text: string }).text;
}

/** A tool's result as a message, for rules. */
export const answer = (text = 'ok', id = '"$id"'): string => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}`;
