// An `HttpHandler` by hand: a spec sees each request, and says what comes back and when. Synchronous, so good in virtual time.
import { finalize, Observable, ReplaySubject, type Subscriber } from 'rxjs';
import { Connection, type ConnectionOptions } from '../../lib/session/connection.ts';
import { HttpTransport, type HttpConfig } from '../../lib/transport/http.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/transport/http-handler.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export class FakeExchange {
  /** The JSON-RPC message of a POST. */
  readonly message: any;
  /** Whether anybody is still there to take an answer. */
  open = true;
  readonly #subscriber: Subscriber<HttpResponse>;
  readonly #body = new ReplaySubject<Uint8Array>(Infinity);

  constructor(
    readonly request: HttpRequest,
    subscriber: Subscriber<HttpResponse>,
  ) {
    this.message = request.body === undefined ? undefined : JSON.parse(request.body);
    this.#subscriber = subscriber;
  }

  /** Sends the head of an answer. */
  head(status = 200, headers: Record<string, string> = {}): this {
    this.#subscriber.next({ status, statusText: 'Status Text', headers: new Headers(headers), body$: this.#body.pipe(finalize(() => (this.open = false))) });
    return this;
  }

  write(...chunks: (string | Uint8Array)[]): this {
    for (const chunk of chunks) this.#body.next(typeof chunk === 'string' ? utf8(chunk) : chunk);
    return this;
  }

  end(): void {
    this.#body.complete();
    this.#subscriber.complete();
  }

  fail(error: Error): void {
    this.#subscriber.error(error);
  }

  /** The connection breaks in the body. */
  break(error: Error): void {
    this.#body.error(error);
  }

  /** A whole answer. */
  respond(status: number, body = '', headers: Record<string, string> = {}): void {
    this.head(status, headers);
    if (body !== '') this.write(body);
    this.end();
  }

  result(result: unknown = {}, headers: Record<string, string> = {}): void {
    this.respond(200, JSON.stringify({ jsonrpc: '2.0', id: this.message.id, result }), { 'content-type': 'application/json', ...headers });
  }

  /** Starts an event stream. */
  stream(headers: Record<string, string> = {}): this {
    return this.head(200, { 'content-type': 'text/event-stream', ...headers });
  }

  event(message: unknown, fields = ''): this {
    return this.write(`${fields}data: ${JSON.stringify(message)}\n\n`);
  }
}

const made: FakeHttp[] = [];

/** For `afterEach`: what a spec left unanswered is cut off. */
export function endHttpByHand(): void {
  for (const { exchanges } of made.splice(0)) for (const exchange of exchanges) if (exchange.open) exchange.fail(new Error('The spec is over'));
}

export class FakeHttp {
  readonly exchanges: FakeExchange[] = [];
  /** The most requests that were open at once. */
  most = 0;

  /** @param react - Called with each request as it comes. */
  constructor(readonly react: (exchange: FakeExchange, n: number) => void = () => {}) {
    made.push(this);
  }

  readonly handler: HttpHandler = (request) =>
    new Observable((subscriber) => {
      const exchange = new FakeExchange(request, subscriber);
      this.exchanges.push(exchange);
      this.most = Math.max(this.most, this.exchanges.filter(({ open }) => open).length);
      this.react(exchange, this.exchanges.length - 1);
      return () => {
        exchange.open = false;
      };
    });

  /** What was sent, in order: the JSON-RPC method, or that of HTTP; of answers their id. */
  get methods(): unknown[] {
    return this.exchanges.map(({ request, message }) => message?.method ?? (message ? { answer: message.id } : request.method));
  }

  get last(): FakeExchange {
    const exchange = this.exchanges.at(-1);
    if (exchange === undefined) throw new Error('Nothing was sent yet');
    return exchange;
  }

  /** A connection over this handler, open. */
  connect(config: Partial<HttpConfig> = {}, options: ConnectionOptions = {}): Connection {
    const connection = new Connection(new HttpTransport({ type: 'http', url: 'http://fake.example/mcp', handler: this.handler, ...config }), options);
    connection.connect().subscribe();
    return connection;
  }
}
