import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { builtin } from '../transport/builtin.js';

/** Why a request is not served, as an HTTP status and a text for people. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 426 | 429;
  readonly text: string;
}

/** What requests are held against. */
export interface AdmissionRules {
  readonly port: number;
  readonly origins: readonly string[] | undefined;
  readonly allowMissingOrigin: boolean;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** To whatever is no WebSocket. */
export const NO_WEB_SOCKET: Refusal = { status: 426, text: 'This address speaks WebSocket only' };

/** Headers that a status asks for. @see RFC 9110 §15.5 */
const HEADERS: Partial<Record<Refusal['status'], Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'Ticket' },
  426: { Upgrade: 'websocket' },
};

/** Everything about a request but its ticket; undefined when it may go on. */
export function refusalOf(request: IncomingMessage, { port, origins, allowMissingOrigin }: AdmissionRules): Refusal | undefined {
  const { host = '', origin, upgrade = '' } = request.headers;
  // A page of another site can have a name that resolves to this address, but it cannot send another Host.
  if (!isLoopbackHost(host, port)) return { status: 403, text: 'The Host of the request is not this bridge' };
  if (upgrade.toLowerCase() !== 'websocket') return NO_WEB_SOCKET;
  if (origin === undefined && !allowMissingOrigin) return { status: 403, text: 'A request without Origin is not allowed here' };
  if (origin !== undefined && !(origins?.includes(origin) ?? isLoopbackOrigin(origin))) return { status: 403, text: 'The Origin of the request is not allowed here' };
  if (!protocolsOf(request).includes('mcp')) return { status: 400, text: 'The subprotocol "mcp" is needed' };
  return undefined;
}

/** The subprotocols that are offered. */
export function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
}

export function headersOf({ status, text }: Refusal): Record<string, string | number> {
  return { ...HEADERS[status], Connection: 'close', 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(text) };
}

/** Answers a request for a WebSocket, and closes. */
export function refuse(socket: Duplex, refusal: Refusal): void {
  const { status, text } = refusal;
  const fields = Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status} ${builtin('node:http').STATUS_CODES[status] ?? ''}`, ...fields, '', text].join('\r\n'));
}

function isLoopbackHost(host: string, port: number): boolean {
  return LOOPBACK.some((name) => host.toLowerCase() === `${name}:${port}` || (port === 80 && host.toLowerCase() === name));
}

function isLoopbackOrigin(origin: string): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
  return LOOPBACK.includes(new URL(origin).hostname);
}
