import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { noop, Observable, Subject } from 'rxjs';
import type { WebSocketServer } from 'ws';
import { ConfigError } from '../errors.js';
import { builtin } from '../transport/builtin.js';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../transport/config.js';
import { checkTimeout } from '../transport/deadline.js';
import { DEFAULT_MAX_QUEUED_BYTES } from '../transport/send-queue.js';
import { StdioTransport, type StdioConfig } from '../transport/stdio.js';
import { headersOf, NO_WEB_SOCKET, protocolsOf, refusalOf, refuse, type AdmissionRules, type Refusal } from './admission.js';
import type { Bridge, BridgeConnection, BridgeOptions, BridgeRefusal } from './bridge.js';
import { Relay } from './relay.js';
import { Tickets } from './tickets.js';

const DEFAULT_TICKET_TTL_MS = 60_000;
const DEFAULT_MAX_CONNECTIONS = 16;

/** Listens no further than HTTP: who may come in, and who is in. */
class BridgeServer implements Bridge {
  readonly #config: StdioConfig;
  readonly #rules: AdmissionRules;
  readonly #maxConnections: number;
  readonly #tickets: Tickets;
  readonly #sockets: WebSocketServer;
  readonly #open = new Set<Relay>();
  readonly #connections = new Subject<BridgeConnection>();
  readonly #refusals = new Subject<BridgeRefusal>();
  #last = 0;

  readonly url: string;
  readonly connections$: Observable<BridgeConnection> = this.#connections.asObservable();
  readonly refusals$: Observable<BridgeRefusal> = this.#refusals.asObservable();

  constructor(config: StdioConfig, options: BridgeOptions, { address, family, port }: AddressInfo, Sockets: typeof WebSocketServer) {
    const { origins, allowMissingOrigin = false, ticketTtlMs = DEFAULT_TICKET_TTL_MS, maxConnections = DEFAULT_MAX_CONNECTIONS } = options;
    this.#config = config;
    this.#rules = { port, origins, allowMissingOrigin };
    this.#maxConnections = maxConnections;
    this.#tickets = new Tickets(ticketTtlMs);
    this.#sockets = new Sockets({
      noServer: true,
      clientTracking: false,
      maxPayload: config.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      handleProtocols: () => 'mcp', // a ticket does not go back
    });
    this.url = `ws://${family === 'IPv6' ? `[${address}]` : address}:${port}/`;
  }

  ticket(): string {
    return this.#tickets.issue();
  }

  get connections(): readonly BridgeConnection[] {
    return [...this.#open];
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', noop); // a page that leaves early
    const refusal = refusalOf(request, this.#rules) ?? this.#overfull() ?? this.#unticketed(request);
    if (refusal !== undefined) {
      this.#report(request, refusal);
      refuse(socket, refusal);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Relay({
        id: ++this.#last,
        origin: request.headers.origin,
        socket: webSocket,
        child: new StdioTransport(this.#config),
        maxQueuedBytes: this.#config.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES,
      });
      this.#open.add(connection);
      connection.closed$.subscribe(() => {
        this.#open.delete(connection);
      });
      this.#connections.next(connection);
    });
  }

  /** To a request that asks for no WebSocket. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const refusal = refusalOf(request, this.#rules) ?? NO_WEB_SOCKET;
    this.#report(request, refusal);
    response.writeHead(refusal.status, headersOf(refusal)).end(refusal.text);
  }

  end(): void {
    this.#tickets.unsubscribe();
    for (const connection of this.#open) connection.close();
    this.#connections.complete();
    this.#refusals.complete();
  }

  #report({ headers }: IncomingMessage, { status, text }: Refusal): void {
    this.#refusals.next({ status, text, origin: headers.origin });
  }

  #overfull(): Refusal | undefined {
    if (this.#open.size < this.#maxConnections) return undefined;
    return { status: 429, text: `There are ${this.#maxConnections} connections already (maxConnections)` };
  }

  #unticketed(request: IncomingMessage): Refusal | undefined {
    if (this.#tickets.redeem(protocolsOf(request))) return undefined;
    return { status: 401, text: 'A connection needs a ticket as a subprotocol, one that is neither used nor expired' };
  }
}

/** See {@link serveStdio}. */
export function openBridge(config: StdioConfig, options: BridgeOptions, Sockets: typeof WebSocketServer): Observable<Bridge> {
  return new Observable((subscriber) => {
    check(config, options);
    const { host = '127.0.0.1', port = 0 } = options;
    let bridge: BridgeServer | undefined;
    const server = builtin('node:http').createServer((request, response) => bridge?.answer(request, response));
    server.on('upgrade', (request, socket, head) => bridge?.accept(request, socket, head));
    server.on('error', (error: NodeJS.ErrnoException) => {
      subscriber.error(new ConfigError(`Cannot listen at ${host}, port ${port}: ${error.code ?? error.message}`, { cause: error }));
    });
    server.listen({ host, port }, () => {
      bridge = new BridgeServer(config, options, server.address() as AddressInfo, Sockets);
      subscriber.next(bridge);
    });
    return () => {
      bridge?.end();
      server.close();
      server.closeAllConnections();
    };
  });
}

/** @throws {@link ConfigError} the bridge could never work. */
function check(config: StdioConfig, { host = '127.0.0.1', port = 0, origins = [], ticketTtlMs = 1, maxConnections = 1 }: BridgeOptions): void {
  new StdioTransport(config); // names what is missing
  checkTimeout('ticketTtlMs', ticketTtlMs);
  const complain = (what: string) => {
    throw new ConfigError(what);
  };
  if (!['127.0.0.1', '::1'].includes(host)) complain(`A bridge listens at "127.0.0.1" or "::1" only; got ${JSON.stringify(host)}`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) complain(`No port: ${port}`);
  if (!Number.isInteger(maxConnections) || maxConnections < 1) complain(`maxConnections must be a whole number above 0; got ${maxConnections}`);
  for (const origin of origins) {
    if (!isOrigin(origin)) {
      complain(`Not an origin as browsers write it: ${JSON.stringify(origin)}; for instance "https://app.example.com"`);
    }
  }
}

/** Also those of extensions and desktop shells, which have schemes of their own. */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return text === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^/?#]+$/.test(text);
}
