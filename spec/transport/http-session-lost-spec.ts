import { expect } from 'chai';
import { firstValueFrom, of, Subject, type Observable } from 'rxjs';
import type { McpClient } from '../../lib/client/client.ts';
import { HttpError, RpcError } from '../../lib/errors.ts';
import { createClient, withLiveViews } from '../../lib/index.ts';
import type { Connection } from '../../lib/session/connection.ts';
import type { Diagnostic } from '../../lib/transport/diagnostic.ts';
import { rawHttp } from '../support/fixtures.ts';
import { endHttpByHand, FakeHttp, type FakeExchange } from '../support/http-by-hand.ts';
import { answer, call$, closeHttp, openHttp, scripted } from '../support/http.ts';
import { errorOf, outcome } from '../support/outcome.ts';
import { inVirtualTime, record, type Recorded, type VirtualTime } from '../support/test-scheduler.ts';
import { validParams } from '../support/valid-params.ts';

const REFUSAL = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}';

interface Run {
  readonly time: VirtualTime;
  readonly client: McpClient;
  readonly http: FakeHttp;
  readonly diagnostics: Diagnostic[];
  /** What was sent since the session was first there: the method and the session's id. */
  readonly sent: () => string[];
  /** The server forgets its session. */
  readonly lose: () => void;
  readonly call: (options?: object) => Recorded<unknown>;
}

interface ServerOptions {
  /** The ids of the sessions, in order; undefined for none. */
  readonly sessions?: (string | undefined)[];
  /** What it does about a message instead; true when it did. `n` counts the messages of that method. */
  readonly react?: (exchange: FakeExchange, method: string, n: number) => boolean | undefined;
  readonly revisions?: string[];
  readonly listen?: boolean;
  readonly timeout?: number;
  readonly headers?: () => Observable<Record<string, string>>;
}

/** Opens a session, or none. */
function initialized(exchange: FakeExchange, session: string | undefined, protocolVersion = '2025-11-25'): void {
  exchange.result({ protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } }, session === undefined ? {} : { 'mcp-session-id': session });
}

/** A client with a session server, on virtual time. */
function run({ sessions = ['A', 'B', 'C'], react, revisions = [], listen = false, timeout, headers }: ServerOptions, look: (run: Run) => void): void {
  inVirtualTime((time) => {
    const counts: Record<string, number> = {};
    let current: string | undefined = 'none';
    let opened = 0;
    const http = new FakeHttp((exchange) => {
      const { message, request } = exchange;
      const method: string = message?.method ?? request.method;
      const n = (counts[method] = (counts[method] ?? 0) + 1);
      if (react?.(exchange, method, n)) return;
      if (method === 'server/discover') exchange.respond(404);
      else if (method === 'initialize') {
        const protocolVersion = revisions[opened] ?? '2025-11-25';
        current = sessions[opened++];
        initialized(exchange, current, protocolVersion);
      } else if (request.headers['mcp-session-id'] !== current) exchange.respond(404, REFUSAL);
      else if (method === 'GET') exchange.stream();
      else if (message?.id === undefined) exchange.respond(202);
      else exchange.result({ ok: message.id });
    });
    const client = createClient({ type: 'http', url: 'http://fake.example/mcp', handler: http.handler, ...(timeout && { timeout }), ...(headers && { headers }) }, { listen });
    const diagnostics: Diagnostic[] = [];
    client.diagnostics$.subscribe((diagnostic) => diagnostics.push(diagnostic));
    record(client.connect());
    const before = http.exchanges.length;
    look({
      time,
      client,
      http,
      diagnostics,
      sent: () => http.exchanges.slice(before).map(({ message, request }) => `${message?.method ?? request.method} ${request.headers['mcp-session-id'] ?? '-'}`),
      lose: () => (current = 'none'),
      call: (options) => record(client.request('x/y', {}, options)),
    });
    void client.close();
    time.flush();
    expect(http.exchanges.filter(({ open }) => open)).to.deep.equal([]);
  });
}

const RENEWED = ['initialize -', 'notifications/initialized B'];
const lost = (diagnostics: Diagnostic[]) => diagnostics.filter(({ kind }) => kind === 'session-lost').length;

describe('HTTP: a session that the server has lost [B44 B45 R31]', () => {
  afterEach(closeHttp);
  afterEach(endHttpByHand);

  it('is opened anew, and the refused call is sent again, once', () => {
    run({}, ({ time, client, sent, lose, call, diagnostics, http }) => {
      const states = record(client.state$);
      lose();
      const given = call();
      time.flush();
      expect(given).to.deep.include({ errors: [], completed: 1 });
      expect(sent()).to.deep.equal(['x/y A', ...RENEWED, 'x/y B']);
      expect(lost(diagnostics)).to.equal(1);
      expect(states.values.map(({ status }) => status)).to.deep.equal(['ready', 'ready']);
      const [first, , , second] = http.exchanges.slice(-4);
      expect(second!.message).to.deep.equal(first!.message); // the same call, under its own id
      call();
      expect(sent().at(-1)).to.equal('x/y B');
    });
  });

  it('makes the client know the server as it is now, and live views fetch again [B44]', () => {
    inVirtualTime((time) => {
      let current = 'none';
      let opened = 0;
      const http = new FakeHttp((exchange) => {
        const { message, request } = exchange;
        if (message?.method === 'server/discover') exchange.respond(404);
        else if (message?.method === 'initialize') {
          current = `S${++opened}`;
          const capabilities = { tools: {}, resources: { subscribe: true }, ...(opened > 1 && { prompts: {} }) };
          exchange.result({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'x', version: String(opened) } }, { 'mcp-session-id': current });
        } else if (request.headers['mcp-session-id'] !== current) exchange.respond(404);
        else if (message?.method === 'tools/list') exchange.result({ tools: [{ name: `tool of ${current}`, inputSchema: {} }] });
        else if (message?.method === 'prompts/list') exchange.result({ prompts: [{ name: `prompt of ${current}` }] });
        else if (message?.method === 'resources/read') exchange.result({ contents: [{ uri: 'x:/', text: current }] });
        else if (message?.id === undefined) exchange.respond(202);
        else exchange.result({});
      });
      const client = createClient({ type: 'http', url: 'http://fake.example/mcp', handler: http.handler }, { listen: false, features: [withLiveViews()] });
      void client.connect();
      time.flush();
      const tools = record(client.tools$);
      const prompts = record(client.prompts$);
      const resource = record(client.resource$('x:/'));
      time.flush();
      expect(client.capabilities).to.not.have.property('prompts');
      current = 'none';
      const call = record(client.callTool('any'));
      time.flush();
      expect(call.completed).to.equal(1);
      expect(client.serverInfo?.version).to.equal('2');
      expect(client.capabilities).to.have.property('prompts');
      expect(tools.values.map(([tool]) => tool?.name)).to.deep.equal(['tool of S1', 'tool of S2']);
      expect(prompts.values.map((list) => list.map(({ name }) => name))).to.deep.equal([[], ['prompt of S2']]);
      expect(resource.values.map(({ contents: [content] }) => (content as { text: string }).text)).to.deep.equal(['S1', 'S2']);
      const watching = http.exchanges.filter(({ message }) => message?.method?.startsWith('resources/') && message.method !== 'resources/read');
      expect(watching.map(({ message, request }) => `${message?.method} ${request.headers['mcp-session-id']}`)).to.deep.equal(['resources/subscribe S1', 'resources/subscribe S2']);
      void client.close();
      time.flush();
    });
  });

  for (const [title, body] of [
    ['text', 'Session not found'],
    ['nothing', ''],
    ['an error for the call', '{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"?"}}'],
  ] as const) {
    it(`is known by the status alone, whatever is said with it: ${title}`, () => {
      run({ react: (exchange, method, n) => method === 'x/y' && n === 1 && (exchange.respond(404, body), true) }, ({ time, sent, call }) => {
        const given = call();
        time.flush();
        expect(given.values).to.have.length(1);
        expect(sent()).to.deep.equal(['x/y A', ...RENEWED, 'x/y B']);
      });
    });
  }

  it('over real HTTP', async () => {
    const fixture = await rawHttp('session', { calls: 1 });
    const client = createClient({ type: 'http', url: fixture.url }, { listen: false });
    await outcome(client.connect());
    for (let i = 0; i < 3; i++) expect((await outcome(client.callTool('echo', { i }))).error).to.equal(undefined);
    await outcome(client.close());
    const requests = (await fixture.requests()).map(({ body, method, headers }) => `${body?.method ?? method} ${headers['mcp-session-id'] ?? '-'}`);
    const session = (n: number) => ['initialize -', `notifications/initialized session-${n}`, `tools/call session-${n}`];
    const refused = (n: number) => `tools/call session-${n}`;
    expect(requests).to.deep.equal(['server/discover -', ...session(1), refused(1), ...session(2), refused(2), ...session(3), 'DELETE session-3']);
  });

  it('the first call of a new session speaks its revision', () => {
    run({ revisions: ['2025-11-25', '2025-06-18'] }, ({ time, lose, call, http }) => {
      lose();
      call();
      time.flush();
      expect(http.exchanges.slice(-4).map(({ request }) => request.headers['mcp-protocol-version'])).to.deep.equal(['2025-11-25', undefined, '2025-06-18', '2025-06-18']);
    });
  });

  it('the new one may have no id', () => {
    run({ sessions: ['A', undefined] }, ({ time, sent, lose, call }) => {
      lose();
      const given = call();
      time.flush();
      call();
      expect(given.values).to.have.length(1);
      expect(sent()).to.deep.equal(['x/y A', 'initialize -', 'notifications/initialized -', 'x/y -', 'x/y -']);
    });
  });

  it('a notification is sent again too', () => {
    run({}, ({ time, client, sent, lose }) => {
      lose();
      const given = record(client.notify('note'));
      time.flush();
      expect(given).to.deep.include({ errors: [], completed: 1 });
      expect(sent()).to.deep.equal(['note A', ...RENEWED, 'note B']);
    });
  });

  it('the listener stream is opened in the new one', () => {
    run({ listen: true }, ({ time, sent, lose, call, http }) => {
      const [old] = http.exchanges.slice(-1);
      lose();
      call();
      time.flush();
      expect(sent()).to.deep.equal(['x/y A', ...RENEWED, 'GET B', 'x/y B']);
      expect(old!.open).to.equal(false);
    });
  });

  it('is noticed by the listener stream too, when it had been open: nobody need call [B63]', () => {
    run({ listen: true }, ({ time, http, sent, lose, diagnostics }) => {
      lose();
      http.exchanges.find(({ request }) => request.method === 'GET')?.end();
      time.flush();
      expect(sent()).to.deep.equal(['GET A', 'ping A', ...RENEWED, 'GET B', 'ping B']);
      expect(lost(diagnostics)).to.equal(1);
    });
  });

  it('is not suspected because of a listener stream that was never offered', () => {
    run({ listen: true, react: (exchange, method) => (method === 'GET' ? (exchange.respond(404), true) : undefined) }, ({ time, sent, diagnostics }) => {
      time.flush();
      expect(sent()).to.deep.equal([]);
      expect(lost(diagnostics)).to.equal(0);
    });
  });

  it('a listener that was stopped stays stopped', () => {
    run({ listen: true }, ({ time, client, sent, lose, call }) => {
      let connection: Connection | undefined;
      client.connection$.subscribe((value) => (connection = value)).unsubscribe();
      connection!.startSSEListener().unsubscribe();
      lose();
      call();
      time.flush();
      expect(sent()).to.deep.equal(['x/y A', ...RENEWED, 'x/y B']);
    });
  });

  describe('by several calls at once [B45]', () => {
    it('is opened once', () => {
      const held: FakeExchange[] = [];
      const react = (exchange: FakeExchange, method: string, n: number) => method === 'x/y' && n <= 8 && held.push(exchange) > 0;
      run({ react }, ({ time, sent, lose, call, diagnostics }) => {
        lose();
        const calls = Array.from({ length: 8 }, () => call());
        for (const exchange of held) exchange.respond(404, REFUSAL);
        time.flush();
        expect(calls.map(({ values }) => values.length)).to.deep.equal(Array(8).fill(1));
        expect(sent()).to.deep.equal([...Array<string>(8).fill('x/y A'), ...RENEWED, ...Array<string>(8).fill('x/y B')]);
        expect(lost(diagnostics)).to.equal(1);
      });
    });

    it('is opened once, also for refusals that come while it is opened', () => {
      const [held, opening]: [FakeExchange[], FakeExchange[]] = [[], []];
      const react = (exchange: FakeExchange, method: string, n: number) =>
        (method === 'x/y' && n <= 3 && held.push(exchange) > 0) || (method === 'initialize' && n === 2 && opening.push(exchange) > 0);
      run({ react }, ({ time, sent, lose, call, diagnostics }) => {
        lose();
        const calls = [call(), call(), call()];
        for (const exchange of held) exchange.respond(404, REFUSAL);
        initialized(opening[0]!, 'none');
        time.flush();
        expect(calls.map(({ values }) => values.length)).to.deep.equal([1, 1, 1]);
        expect(sent().slice(3)).to.deep.equal(['initialize -', 'notifications/initialized none', 'x/y none', 'x/y none', 'x/y none']);
        expect(lost(diagnostics)).to.equal(1);
      });
    });

    it('a refusal that comes late is only sent again', () => {
      const held: FakeExchange[] = [];
      const react = (exchange: FakeExchange, method: string, n: number) => method === 'x/y' && n === 1 && held.push(exchange) > 0;
      run({ react }, ({ time, sent, lose, call, diagnostics }) => {
        lose();
        const late = call({ timeoutMs: Infinity });
        const other = call();
        time.flush();
        expect(other.values).to.have.length(1);
        held[0]!.respond(404, REFUSAL);
        time.flush();
        expect(late.values).to.have.length(1);
        expect(sent()).to.deep.equal(['x/y A', 'x/y A', ...RENEWED, 'x/y B', 'x/y B']);
        expect(lost(diagnostics)).to.equal(1);
      });
    });

    it('an answer of the old session that comes late is an answer, and changes nothing', () => {
      const held: FakeExchange[] = [];
      const react = (exchange: FakeExchange, method: string, n: number) => method === 'x/y' && n === 1 && held.push(exchange) > 0;
      run({ react }, ({ time, sent, lose, call }) => {
        const late = call({ timeoutMs: Infinity });
        lose();
        call();
        time.flush();
        held[0]!.result({ late: true }, { 'mcp-session-id': 'A' });
        expect(late.values).to.deep.equal([{ late: true }]);
        call();
        expect(sent().at(-1)).to.equal('x/y B');
      });
    });

    it('a stream of the old session is resumed in that one', () => {
      const held: FakeExchange[] = [];
      const react = (exchange: FakeExchange, method: string, n: number) => method === 'x/y' && n === 1 && held.push(exchange) > 0;
      run({ react }, ({ time, sent, lose, call }) => {
        const early = call({ timeoutMs: Infinity });
        lose();
        call();
        held[0]!.stream().write('id: 1\ndata:\n\n').end();
        time.flush();
        expect(sent().slice(-2)).to.deep.equal(['x/y B', 'GET A']);
        expect(early.errors.map(String)).to.deep.equal(['NoResponseError: No response received for request ID 3']); // it may have run
      });
    });

    it('what is called meanwhile waits for the new one', () => {
      const [opening, accepting]: [FakeExchange[], FakeExchange[]] = [[], []];
      const react = (exchange: FakeExchange, method: string, n: number) =>
        (method === 'initialize' && n === 2 && opening.push(exchange) > 0) || (method === 'notifications/initialized' && n === 2 && accepting.push(exchange) > 0);
      run({ react }, ({ sent, time, lose, call }) => {
        lose();
        call();
        const meanwhile = call();
        expect(sent()).to.deep.equal(['x/y A', 'initialize -']);
        initialized(opening[0]!, 'none');
        call();
        expect(sent()).to.deep.equal(['x/y A', 'initialize -', 'notifications/initialized none']);
        accepting[0]!.respond(202);
        time.flush();
        expect(meanwhile.values).to.have.length(1);
        expect(sent().slice(3)).to.deep.equal(['x/y none', 'x/y none', 'x/y none']);
      });
    });

    it('a call whose headers took long still belongs to the session it was made in', () => {
      const slow$ = new Subject<Record<string, string>>();
      let isSlow = false;
      run({ headers: () => (isSlow ? slow$ : of({})) }, ({ time, sent, lose, call }) => {
        isSlow = true;
        const slow = call({ timeoutMs: Infinity });
        isSlow = false;
        lose();
        call();
        slow$.next({});
        time.flush();
        expect(slow.values).to.have.length(1);
        expect(sent()).to.deep.equal(['x/y A', ...RENEWED, 'x/y B', 'x/y A', 'x/y B']);
      });
    });
  });

  describe('while it is opened, a call may be given up', () => {
    const holding = () => {
      const opening: FakeExchange[] = [];
      return { opening, react: (exchange: FakeExchange, method: string, n: number) => method === 'initialize' && n === 2 && opening.push(exchange) > 0 };
    };
    for (const [title, giveUp] of [
      ['by unsubscribing', (given) => given.unsubscribe()],
      ['by a signal', (_given, abort) => abort.abort(new Error('enough'))],
    ] as [string, (given: Recorded<unknown>, abort: AbortController) => void][]) {
      it(`${title}: it is not sent again, nor is it cancelled`, () => {
        const { opening, react } = holding();
        run({ react }, ({ time, sent, lose, call }) => {
          lose();
          const abort = new AbortController();
          const first = call({ signal: abort.signal });
          const second = call({});
          giveUp(first, abort);
          initialized(opening[0]!, 'none');
          time.flush();
          expect(first.values).to.deep.equal([]);
          expect(second.values).to.have.length(1);
          expect(sent()).to.deep.equal(['x/y A', 'initialize -', 'notifications/initialized none', 'x/y none']);
        });
      });
    }

    it('by its deadline, and a server that hangs holds nobody up for ever', () => {
      const { react } = holding();
      run({ react, timeout: 5_000 }, ({ time, sent, lose, call }) => {
        lose();
        const short = call({ timeoutMs: 1_000 });
        const long = call({ timeoutMs: 60_000 });
        time.flush();
        expect(short.errors.map(String)).to.deep.equal(['RequestTimeoutError: Request timeout after 1000ms']);
        expect(short.endedAt).to.equal(1_000);
        expect(long.values).to.have.length(1); // had to wait, then met the lost session itself
        expect(sent()).to.deep.equal(['x/y A', 'initialize -', 'x/y A', 'initialize -', 'notifications/initialized B', 'x/y B']);
      });
    });

    it('by close()', () => {
      const { react } = holding();
      run({ react }, ({ time, client, sent, lose, call }) => {
        lose();
        const given = call();
        void client.close();
        time.flush();
        expect(given.errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed']);
        expect(sent()).to.deep.equal(['x/y A', 'initialize -', 'DELETE A']);
      });
    });
  });

  it('never more than once for a call: the second refusal is its error', () => {
    const react = (exchange: FakeExchange, method: string) => method === 'x/y' && (exchange.respond(404, REFUSAL), true);
    run({ react }, ({ time, sent, call, client }) => {
      const given = call();
      time.flush();
      expect(given.errors).to.have.length(1);
      expect(given.errors[0]).to.be.instanceOf(RpcError).with.property('status', 404);
      expect(sent()).to.deep.equal(['x/y A', ...RENEWED, 'x/y B']);
      expect(record(client.state$).values.map(({ status }) => status)).to.deep.equal(['ready']);
    });
  });

  it('that cannot be opened again: the calls fail with the reason, and the next call tries again', () => {
    const react = (exchange: FakeExchange, method: string, n: number) => method === 'initialize' && n === 2 && (exchange.respond(500, 'starting'), true);
    run({ react }, ({ time, sent, lose, call }) => {
      lose();
      const first = call();
      time.flush();
      expect(first.errors[0]).to.be.instanceOf(HttpError).with.property('message', 'HTTP 500: starting');
      const second = call();
      time.flush();
      expect(second.values).to.have.length(1);
      expect(sent()).to.deep.equal(['x/y A', 'initialize -', 'x/y A', ...RENEWED, 'x/y B']);
    });
  });

  it('whose new one is refused at once fails the calls', () => {
    const react = (exchange: FakeExchange, method: string, n: number) => method === 'notifications/initialized' && n === 2 && (exchange.respond(404, 'gone'), true);
    run({ react }, ({ time, lose, call, sent }) => {
      lose();
      const given = call();
      time.flush();
      expect(given.errors[0]).to.be.instanceOf(HttpError).with.property('message', 'HTTP 404: gone');
      expect(sent()).to.deep.equal(['x/y A', ...RENEWED]);
    });
  });

  it('404 without a session is an error like others', () => {
    const react = (exchange: FakeExchange, method: string) => method === 'x/y' && (exchange.respond(404, 'no'), true);
    run({ sessions: [undefined], react }, ({ time, sent, call }) => {
      const given = call();
      time.flush();
      expect(given.errors[0]).to.be.instanceOf(HttpError).with.property('status', 404);
      expect(sent()).to.deep.equal(['x/y -']);
    });
  });

  it('an answer to the server is not sent into the new one', () => {
    const react = (exchange: FakeExchange, method: string, n: number) => method === 'x/y' && n === 1 && (exchange.stream().event({ jsonrpc: '2.0', id: 'q', method: 'ping' }), true);
    run({ react }, ({ time, http, sent, lose, diagnostics, call }) => {
      lose();
      const given = call();
      given.unsubscribe();
      time.flush();
      expect(http.methods).to.deep.include({ answer: 'q' });
      expect(sent().filter((line) => line.startsWith('POST'))).to.have.length(1);
      expect(diagnostics.map(({ kind }) => kind)).to.include('undelivered');
    });
  });

  it('a connection that was not opened by our handshake cannot open it again', async () => {
    const fixture = await scripted({ on: 'initialize', body: answer('hello'), headers: { 'mcp-session-id': 's' } }, { on: 'tools/call', status: 404, body: 'gone' });
    const connection = await openHttp(fixture);
    await firstValueFrom(connection.request('initialize', validParams('initialize')));
    await outcome(connection.notify('notifications/initialized'));
    expect(await errorOf(call$(connection))).to.be.instanceOf(HttpError).with.property('message', 'HTTP 404: gone');
  });
});
