// A server for specs, at the other end of a memory pair: scripted by method, and it remembers what it was sent.
import type { McpError } from '../../lib/errors.ts';
import { Connection, type ConnectionOptions } from '../../lib/session/connection.ts';
import { createMemoryPair } from '../../lib/transport/memory.ts';
import { TransportCore } from '../../lib/transport/transport-core.ts';
import type { Delivery, Transport } from '../../lib/transport/transport.ts';

/** What the server does about a message: the result it returns is sent; `undefined` is silence. */
export type Reaction = (message: any, peer: Peer) => object | undefined;

/** Reactions by method. */
export type Script = Readonly<Record<string, Reaction>>;

/** Thrown by a reaction: an error answer. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** Instead of the request's own id. */
    readonly id?: null,
  ) {
    super(message);
  }
}

export interface PeerOptions {
  /** Whether messages arrive inside the `next()` that sends them. */
  readonly synchronous?: boolean;
}

export class Peer {
  /** The client's side of the pair. */
  readonly transport: Transport;
  readonly received: any[] = [];
  /** Whether the client has gone. */
  closed = false;
  readonly #side: Transport;

  constructor(script: Script = {}, options: PeerOptions = {}) {
    [this.transport, this.#side] = createMemoryPair(options);
    this.#side.inbound$.subscribe((message: any) => {
      this.received.push(message);
      this.#react(message, script[message.method]);
    });
    this.#side.state$.subscribe(({ status }) => (this.closed = status === 'closed'));
    void this.#side.connect();
  }

  // These return undefined, so that a reaction can be `(_, peer) => peer.close()`.

  /** Sends anything, `jsonrpc` added. */
  send(...messages: object[]): undefined {
    for (const message of messages) this.sendRaw({ jsonrpc: '2.0', ...message });
  }

  /** Sends anything as it is. */
  sendRaw(message: unknown): undefined {
    this.#side.outbound$.next(message as never);
  }

  result(id: unknown, result: unknown = {}): undefined {
    this.send({ id, result });
  }

  error(id: unknown, code: number, message = 'no', data?: unknown): undefined {
    this.send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  notify(method: string, params?: object): undefined {
    this.send({ method, ...(params && { params }) });
  }

  /** Messages of one method. */
  of(method: string): any[] {
    return this.received.filter((message) => message.method === method);
  }

  /** The methods that came, in order; of answers their ids. */
  get methods(): unknown[] {
    return this.received.map(({ method, id }) => method ?? { answer: id });
  }

  close(): undefined {
    void this.#side.close();
  }

  #react(message: any, reaction: Reaction | undefined): void {
    if (reaction === undefined) return;
    try {
      const result = reaction(message, this);
      if (result !== undefined) this.result(message.id, result);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      const { id = message.id, code, message: text, data } = refusal;
      this.error(id, code, text, data);
    }
  }
}

/** A connection that is open, and the server it leads to. */
export function connected(script: Script = {}, options: ConnectionOptions & PeerOptions = {}): { connection: Connection; peer: Peer } {
  const { synchronous = false, ...rest } = options;
  const peer = new Peer(script, { synchronous });
  const connection = new Connection(peer.transport, rest);
  void connection.connect();
  return { connection, peer };
}

/** A transport by hand: a spec says what becomes of each message, and what comes in. */
export class FakeTransport extends TransportCore {
  readonly sent: any[] = [];
  readonly released: unknown[] = [];
  readonly hasRequestStreams: boolean;
  /** What `release` answers. */
  hadLeft = true;

  constructor({ hasRequestStreams = false } = {}) {
    super();
    this.hasRequestStreams = hasRequestStreams;
  }

  release(id: string | number): boolean {
    this.released.push(id);
    return this.hadLeft;
  }

  /** Something comes from the server. */
  receives(message: object, origin?: string | number): void {
    this.receive({ jsonrpc: '2.0', ...message }, origin);
  }

  /** This became of the nth message. */
  delivered(n: number, type: 'written' | 'accepted' | 'streaming'): void {
    this.deliver({ type, message: this.sent[n] });
  }

  failed(n: number, error: Error, mayHaveRun = true): void {
    this.deliver({ type: 'failed', message: this.sent[n], error, mayHaveRun } satisfies Delivery);
  }

  /** It ends by itself. */
  ends(cause?: McpError): void {
    this.closed(cause);
  }

  reports(error: Error): void {
    this.diagnose({ kind: 'failure', message: 'Something failed', error });
  }

  protected open(): void {
    this.opened();
  }

  protected shutDown(): void {
    this.closed(undefined);
  }

  protected send(message: object): void {
    this.sent.push(message);
  }
}

/** A server that can be connected to again and again: `createClient(server.open)`. */
export class ScriptedServer {
  /** One for each connection that was made. */
  readonly peers: Peer[] = [];

  /** @param script - The reactions; a function gives those of the nth connection, from 0. */
  constructor(
    readonly script: Script | ((n: number) => Script),
    readonly options: PeerOptions = {},
  ) {}

  readonly open = (): Transport => {
    const script = typeof this.script === 'function' ? this.script(this.peers.length) : this.script;
    const peer = new Peer(script, this.options);
    this.peers.push(peer);
    return peer.transport;
  };

  /** The newest connection. */
  get peer(): Peer {
    const peer = this.peers.at(-1);
    if (peer === undefined) throw new Error('Nobody has connected yet');
    return peer;
  }

  /** The methods that came, over all connections. */
  get methods(): unknown[] {
    return this.peers.flatMap(({ methods }) => methods);
  }
}

const refuse = (code: number): Reaction => () => {
  throw new Refusal(code, 'Method not found');
};

/** A server that opens with `initialize`. */
export const legacyScript = (more: Script = {}): Script => ({
  'server/discover': refuse(-32601),
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'legacy', version: '1' },
  }),
  ping: () => ({}),
  ...more,
});

/** A server without a handshake. */
export const modernScript = (more: Script = {}): Script => ({
  'server/discover': () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    instructions: 'be brief',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '2' } },
  }),
  initialize: () => {
    throw new Refusal(-32022, 'Unsupported protocol version', { supported: ['2026-07-28'], requested: '2025-11-25' });
  },
  ...more,
});
