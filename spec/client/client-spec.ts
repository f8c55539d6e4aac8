import { expect } from 'chai';
import { finalize, firstValueFrom, lastValueFrom, map, of, take, tap } from 'rxjs';
import type { ClientFeature } from '../../lib/client/feature.ts';
import { connect, createClient, toPromises } from '../../lib/index.ts';
import { ConnectionClosedError, NotConnectedError, RpcError } from '../../lib/errors.ts';
import { legacyScript, modernScript, Refusal, ScriptedServer, type PeerOptions, type Script } from '../support/peer.ts';
import { inVirtualTime, record, timersLeftBy, type VirtualTime } from '../support/test-scheduler.ts';

/** A client that is ready, and its server. */
function readyClient<const F extends readonly ClientFeature[] = readonly []>(
  time: VirtualTime,
  script: Script | ((n: number) => Script) = legacyScript(),
  options: Parameters<typeof createClient<F>>[1] & PeerOptions = {},
) {
  const { synchronous = false, ...rest } = options;
  const server = new ScriptedServer(script, { synchronous });
  const client = createClient<F>(server.open, rest);
  record(client.connect());
  time.flush();
  expect(client.connected).to.equal(true);
  return { server, client };
}

const statusesOf = (client: { state$: any }) => {
  const seen: string[] = [];
  client.state$.subscribe({ next: ({ status }: any) => seen.push(status), complete: () => seen.push('|') });
  return seen;
};

describe('McpClient', () => {
  describe('connect()', () => {
    it('is eager, and shared by five callers in one tick [B80]', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(legacyScript());
        const client = createClient(server.open);
        const seen = Array.from({ length: 4 }, () => record(client.connect()));
        void client.connect(); // nobody subscribes to this one
        time.flush();
        for (const one of seen) expect(one).to.deep.include({ values: [client], completed: 1, errors: [] });
        expect(server.peers).to.have.length(1);
        const late = record(client.connect());
        expect(late.values).to.deep.equal([client]);
        expect(server.peers).to.have.length(1);
        void client.close();
      });
    });

    it('goes on when a caller unsubscribes: it is eager', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(legacyScript());
        const client = createClient(server.open);
        record(client.connect()).unsubscribe();
        time.flush();
        expect(client.connected).to.equal(true);
        void client.close();
      });
    });

    it('that fails fails for everybody who waits, and is not remembered', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer((n) => (n < 2 ? legacyScript({ initialize: () => { throw new Refusal(-1, 'not now'); } }) : legacyScript()));
        const client = createClient(server.open);
        const states = statusesOf(client);
        const seen = [record(client.connect()), record(client.connect()), record(client.connect())];
        time.flush();
        expect(seen.map(({ errors }) => errors.map(({ message }) => message))).to.deep.equal(Array(3).fill(['MCP error -1: not now']));
        expect(client.connected).to.equal(false);
        const again = record(client.connect());
        time.flush();
        expect(again.values).to.deep.equal([client]);
        expect(states).to.deep.equal(['idle', 'connecting', 'disconnected', 'connecting', 'ready']);
        expect(server.peers.map(({ closed }) => closed)).to.deep.equal([true, true, false]);
        void client.close();
      });
    });

    it('may be called again inside its own failure', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer((n) => (n < 2 ? legacyScript({ initialize: () => { throw new Refusal(-1, 'not now'); } }) : legacyScript()));
        const client = createClient(server.open);
        let again: ReturnType<typeof record<unknown>> | undefined;
        client.connect().subscribe({ error: () => (again = record<unknown>(client.connect())) });
        time.flush();
        expect(again!.completed).to.equal(1);
        expect(client.connected).to.equal(true);
        expect(server.peers).to.have.length(3);
        void client.close();
      });
    });

    it('fails when the transport cannot be made', () => {
      inVirtualTime((time) => {
        const client = createClient(() => {
          throw new Error('no such thing');
        });
        const seen = record(client.connect());
        time.flush();
        expect(seen.errors.map(({ message }) => message)).to.deep.equal(['no such thing']);
        expect(statusesOf(client)).to.deep.equal(['disconnected']);
        void client.close();
      });
    });

    it('after close() fails as not connected', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        void client.close();
        expect(record(client.connect()).errors[0]).to.be.instanceOf(NotConnectedError);
        expect(record(client.reconnect()).errors[0]).to.be.instanceOf(NotConnectedError);
        expect(server.peers).to.have.length(1);
      });
    });
  });

  describe('close()', () => {
    it('ends the connection, completes every stream, and is idempotent', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        const states = statusesOf(client);
        const streams = [client.notifications$, client.logs$, client.diagnostics$, client.errors$, client.wire$, client.connection$].map((stream$) => record<unknown>(stream$));
        const seen = [record(client.close()), record(client.close())];
        time.flush();
        for (const one of [...seen, record(client.close())]) expect(one).to.deep.include({ completed: 1, errors: [] });
        expect(states).to.deep.equal(['ready', 'closed', '|']);
        expect(streams.map(({ completed }) => completed)).to.deep.equal(Array(6).fill(1));
        expect(server.peer.closed).to.equal(true);
        expect(client.connected).to.equal(false);
        expect(client.protocolVersion).to.equal(undefined);
      });
    });

    it('rejects what is pending, once, with Transport closed [R21]', () => {
      inVirtualTime((time) => {
        const { client } = readyClient(time);
        const seen = [record(client.callTool('x')), record(client.listTools())];
        void client.close();
        time.flush();
        for (const one of seen) {
          expect(one.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
          expect(one.errors[0]).to.be.instanceOf(ConnectionClosedError);
        }
      });
    });

    it('during connect wins: no client, and nothing left behind', () => {
      inVirtualTime((time) => {
        for (const ms of [0, 1, 5, 12]) {
          const server = new ScriptedServer(legacyScript({ 'server/discover': ({ id }, peer) => time.at(4, () => peer.error(id, -32601)), initialize: ({ id }, peer) => time.at(8, () => peer.result(id, { protocolVersion: '2025-11-25' })) }));
          const client = createClient(server.open);
          const states = statusesOf(client);
          const seen = record(client.connect());
          time.at(ms, () => client.close());
          time.flush();
          if (ms < 12) {
            expect(seen.values, `closed at ${ms}`).to.deep.equal([]);
            expect(seen.errors).to.have.length(1);
            expect(seen.errors[0]).to.be.instanceOf(ConnectionClosedError);
          }
          expect(states.slice(-2)).to.deep.equal(['closed', '|']);
          expect(server.peers.every(({ closed }) => closed)).to.equal(true);
          expect(server.methods).not.to.include('notifications/cancelled');
          expect(client.connected).to.equal(false);
        }
      });
    });

    it('of a client that never connected completes', () => {
      const client = createClient(() => {
        throw new Error('never');
      });
      expect(record(client.close()).completed).to.equal(1);
      expect(statusesOf(client)).to.deep.equal(['closed', '|']);
    });

    it('tells who comes late that it is closed', () => {
      inVirtualTime((time) => {
        const { client } = readyClient(time);
        void client.close();
        time.flush();
        expect(statusesOf(client)).to.deep.equal(['closed', '|']);
      });
    });

    it('leaves no timer, also right after it is ready', async () => {
      const left = await timersLeftBy(async () => {
        const server = new ScriptedServer(legacyScript());
        const client = createClient(server.open);
        client.state$.subscribe(({ status }) => {
          if (status === 'ready') void client.close();
        });
        await lastValueFrom(client.connect(), { defaultValue: undefined }).catch(() => {});
        const other = createClient(server.open);
        await lastValueFrom(other.connect());
        other.callTool('mute').subscribe({ error: () => {} });
        await lastValueFrom(other.close(), { defaultValue: undefined });
      });
      expect(left).to.equal(0);
    });

    it('is what `await using` does', async () => {
      const server = new ScriptedServer(legacyScript());
      {
        await using client = await firstValueFrom(createClient(server.open).connect());
        expect(client.connected).to.equal(true);
      }
      expect(server.peer.closed).to.equal(true);
    });
  });

  describe('when the connection is lost', () => {
    it('is disconnected with the cause; calls fail as not connected; connect() works again', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        const states = record(client.state$);
        const pending = record(client.callTool('mute'));
        server.peer.close();
        time.flush();
        expect(states.values.map(({ status }) => status)).to.deep.equal(['ready', 'disconnected']);
        expect((states.values.at(-1) as any).cause).to.be.instanceOf(ConnectionClosedError);
        expect(pending.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
        const late = record(client.callTool('x'));
        expect(late.errors.map(({ message }) => message)).to.deep.equal(['Transport not connected']);
        expect(record<unknown>(client.notify('n')).errors[0]).to.be.instanceOf(NotConnectedError);
        record(client.connect());
        time.flush();
        expect(client.connected).to.equal(true);
        void client.close();
      });
    });

    it('shows every subscriber of state$ one order when the first reconnects inside [B95]', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript(), { synchronous: true });
        const seen: string[][] = [[], [], []];
        seen.forEach((list, index) => {
          client.state$.subscribe(({ status }) => {
            list.push(status);
            if (index === 0 && status === 'disconnected') void client.connect();
          });
        });
        server.peer.close();
        time.flush();
        expect(seen[0]).to.deep.equal(['ready', 'disconnected', 'connecting', 'ready']);
        expect(seen[1]).to.deep.equal(seen[0]);
        expect(seen[2]).to.deep.equal(seen[0]);
        void client.close();
      });
    });
  });

  describe('reconnect()', () => {
    it('ends the old connection, makes a new one, never uses an id twice, and keeps the streams alive [R10 B31]', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript({ 'tools/list': () => ({ tools: [] }) }));
        const states = statusesOf(client);
        const notifications = record(client.notifications$);
        const connections = record(client.connection$);
        const pending = record(client.callTool('mute'));
        server.peer.notify('first');
        time.at(1, () => {
          const seen = [record(client.reconnect()), record(client.reconnect()), record(client.connect())];
          time.at(100, () => {
            for (const one of seen) expect(one).to.deep.include({ values: [client], completed: 1 });
            server.peer.notify('second');
            record(client.listTools());
          });
        });
        time.flush();
        expect(states).to.deep.equal(['ready', 'connecting', 'ready']);
        expect(server.peers.map(({ closed }) => closed)).to.deep.equal([true, false]);
        expect(pending.errors.map(({ message }) => message)).to.deep.equal(['Transport closed']);
        expect(notifications.values.map(({ method }) => method)).to.deep.equal(['first', 'second']);
        expect(notifications.completed).to.equal(0);
        const ids = server.peers.flatMap(({ received }) => received.flatMap(({ id }) => id ?? []));
        expect(new Set(ids).size).to.equal(ids.length);
        expect(connections.values.map((connection) => connection !== undefined)).to.deep.equal([true, false, true]);
        void client.close();
      });
    });

    it('of a client that never connected connects', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(legacyScript());
        const client = createClient(server.open);
        record(client.reconnect());
        time.flush();
        expect(client.connected).to.equal(true);
        void client.close();
      });
    });

    it('that is closed meanwhile leaves nothing behind', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        const seen = record(client.reconnect());
        void client.close();
        time.flush();
        expect(seen.errors).to.have.length(1);
        expect(server.peers.every(({ closed }) => closed)).to.equal(true);
      });
    });
  });

  describe('calls', () => {
    it('before connect() fail at once as not connected, decided when subscribed to [R06]', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(legacyScript({ 'tools/list': () => ({ tools: [] }) }));
        const client = createClient(server.open);
        const tools$ = client.listTools();
        for (const seen of [record<unknown>(tools$), record<unknown>(client.callTool('x')), record<unknown>(client.ping()), record<unknown>(client.notify('n'))]) {
          expect(seen.errors.map(({ message }) => message)).to.deep.equal(['Transport not connected']);
        }
        void client.connect();
        expect(record(tools$).errors, 'while connecting').to.have.length(1);
        time.flush();
        const later = record(tools$);
        time.flush();
        expect(later.values).to.deep.equal([[]]);
        expect(server.methods.filter((method) => method === 'tools/list')).to.have.length(1);
        void client.close();
      });
    });

    it('request sends anything; notify too, eagerly', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript({ 'x/y': ({ params }) => ({ got: params }) }));
        const seen = record(client.request('x/y', { a: 1 }));
        void client.notify('x/told', { b: 2 });
        time.flush();
        expect(seen.values).to.deep.equal([{ got: { a: 1 } }]);
        expect(server.peer.of('x/told')).to.deep.equal([{ jsonrpc: '2.0', method: 'x/told', params: { b: 2 } }]);
        void client.close();
      });
    });

    for (const [era, script, method] of [
      ['legacy', legacyScript(), 'ping'],
      ['modern', modernScript(), 'server/discover'],
    ] as const) {
      it(`ping completes empty: ${method} on a ${era} server`, () => {
        inVirtualTime((time) => {
          const { client, server } = readyClient(time, script);
          const before = server.peer.received.length;
          const seen = record(client.ping());
          time.flush();
          expect(seen).to.deep.include({ values: [], completed: 1, errors: [] });
          expect(server.peer.methods.slice(before)).to.deep.equal([method]);
          void client.close();
        });
      });
    }

    it('ping fails when nobody answers', () => {
      inVirtualTime((time) => {
        const { client } = readyClient(time, legacyScript({ ping: () => undefined }));
        const seen = record(client.ping({ timeoutMs: 10 }));
        time.flush();
        expect(seen.errors.map(({ message }) => message)).to.deep.equal(['Request timeout after 10ms']);
        void client.close();
      });
    });

    it('answer the server through requestHandlers, over all connections [B25]', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript(), { capabilities: { roots: {} }, requestHandlers: { 'roots/list': () => of({ roots: [{ uri: 'file:///x' }] }) } });
        record(client.reconnect());
        time.flush();
        server.peer.send({ id: 's', method: 'roots/list' });
        time.flush();
        expect(server.peer.received.at(-1)).to.deep.equal({ jsonrpc: '2.0', id: 's', result: { roots: [{ uri: 'file:///x' }] } });
        void client.close();
      });
    });
  });

  describe('notifications [R16]', () => {
    it('that come before the client is handed out are held, in order, and delivered then', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(
          legacyScript({
            initialize: ({ params }, peer) => {
              peer.notify('early', { n: 1 });
              return { protocolVersion: params.protocolVersion, capabilities: {} };
            },
            'notifications/initialized': (_, peer) => peer.send({ method: 'early', params: { n: 2 } }, { method: 'early', params: { n: 3 } }),
          }),
        );
        const seen: unknown[] = [];
        const client = createClient(server.open);
        client.connect().subscribe({
          complete: () => {
            client.onNotification('early', (params) => seen.push(params?.n));
          },
        });
        time.at(50, () => server.peer.notify('early', { n: 4 }));
        time.flush();
        expect(seen).to.deep.equal([1, 2, 3, 4]);
        void client.close();
      });
    });

    it('are held up to 100; the rest shows in diagnostics$', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(
          legacyScript({
            initialize: ({ params }, peer) => {
              for (let n = 0; n < 130; n++) peer.notify('early', { n });
              return { protocolVersion: params.protocolVersion, capabilities: {} };
            },
          }),
        );
        const client = createClient(server.open);
        const diagnostics = record(client.diagnostics$);
        const notifications = record(client.notifications$);
        void client.connect();
        time.flush();
        expect(notifications.values.map(({ params }) => params?.n)).to.deep.equal(Array.from({ length: 100 }, (_, n) => n));
        expect(diagnostics.values.map(({ kind }) => kind)).to.deep.equal(Array(30).fill('dropped-notification'));
        void client.close();
      });
    });

    it('that a handler causes do not overtake those that are held [B95]', () => {
      inVirtualTime((time) => {
        const server = new ScriptedServer(
          legacyScript({
            initialize: ({ params }, peer) => {
              for (const n of [1, 2, 3]) peer.notify('early', { n });
              return { protocolVersion: params.protocolVersion, capabilities: {} };
            },
            x: ({ id }, peer) => peer.send({ method: 'early', params: { n: 4 } }, { id, result: {} }),
          }),
          { synchronous: true },
        );
        const client = createClient(server.open);
        const seen: unknown[][] = [[], []];
        seen.forEach((list, index) => {
          client.onNotification('early', (params) => {
            list.push(params?.n);
            if (index === 0 && list.length === 1) record(client.request('x'));
          });
        });
        void client.connect();
        time.flush();
        expect(seen).to.deep.equal([[1, 2, 3, 4], [1, 2, 3, 4]]);
        void client.close();
      });
    });

    it('go to handlers of one method, or of all; a handler that throws hurts nobody [B94]', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        const seen: unknown[] = [];
        const errors = record(client.errors$);
        client.onNotification('notifications/tools/list_changed', () => {
          throw new Error('mine');
        });
        client.onNotification((notification) => {
          seen.push(notification.method);
          if (seen.length === 1) throw new Error('all');
        });
        client.onNotification('notifications/tools/list_changed', (params) => seen.push(params));
        server.peer.notify('notifications/tools/list_changed');
        server.peer.notify('other');
        time.flush();
        expect(seen).to.deep.equal(['notifications/tools/list_changed', undefined, 'other']);
        expect(errors.values.map(String)).to.deep.equal(['Error: mine', 'Error: all']);
        void client.close();
      });
    });

    it('of logs are in logs$', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        const logs = record(client.logs$);
        server.peer.notify('notifications/message', { level: 'info', data: 'hi' });
        server.peer.notify('other');
        time.flush();
        expect(logs.values).to.deep.equal([{ level: 'info', data: 'hi' }]);
        void client.close();
      });
    });

    it('leave no subscription behind [B91]', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time);
        const sources = () => ['notifications$', 'diagnostics$', 'errors$'].map((name) => (client as any)[name].source.observers.length);
        const base = sources();
        for (let i = 0; i < 1_000; i++) {
          for (const stream$ of [client.notifications$, client.logs$, client.wire$, client.state$, client.diagnostics$, client.errors$, client.connection$]) record<unknown>(stream$).unsubscribe();
          client.onNotification(() => {}).unsubscribe();
        }
        expect(sources()).to.deep.equal(base);
        server.peer.close();
        time.flush();
        void client.close();
      });
    });
  });

  describe('features', () => {
    it('stand before every call, the first outermost; may change, answer, and repeat it', () => {
      inVirtualTime((time) => {
        const order: string[] = [];
        const noting = (name: string): ClientFeature => ({
          name,
          intercept: (call, next) => {
            order.push(`${name} → ${call.method}`);
            return next({ ...call, params: { ...call.params, [name]: true } }).pipe(finalize(() => order.push(`${name} ←`)));
          },
        });
        const cached: ClientFeature = { name: 'cached', intercept: (call, next) => (call.method === 'cached' ? of({ type: 'result', result: { cached: true } }) : next(call)) };
        const { client, server } = readyClient(time, legacyScript({ x: ({ params }) => ({ params }) }), { features: [noting('a'), noting('b'), cached] });
        const x = record(client.request('x', { c: 1 }));
        const hit = record(client.request('cached'));
        time.flush();
        expect(x.values).to.deep.equal([{ params: { c: 1, a: true, b: true } }]);
        expect(hit.values).to.deep.equal([{ cached: true }]);
        expect(order.slice(0, 2)).to.deep.equal(['a → x', 'b → x']);
        expect(server.methods).not.to.include('cached');
        void client.close();
      });
    });

    it('see progress and results of tools, too', () => {
      inVirtualTime((time) => {
        const seen: string[] = [];
        const watching: ClientFeature = { name: 'watching', intercept: (call, next) => next(call).pipe(tap(({ type }) => seen.push(`${call.method} ${type}`))) };
        const { client } = readyClient(time, legacyScript({ 'tools/call': () => ({ content: [] }), 'tools/list': () => ({ tools: [] }) }), { features: [watching] });
        record(client.callTool('x'));
        record(client.listTools());
        time.flush();
        expect(seen).to.deep.equal(['tools/call result', 'tools/list result']);
        void client.close();
      });
    });

    it('add members, typed, and declare capabilities beside the client’s own', () => {
      inVirtualTime((time) => {
        const shouting = {
          name: 'shouting',
          capabilities: { sampling: {} },
          extend: (client) => ({ shout: (text: string) => client.request('x', { text: text.toUpperCase() }).pipe(map((result: any) => result.text as string)) }),
        } satisfies ClientFeature<{ shout: (text: string) => unknown }>;
        const server = new ScriptedServer(legacyScript({ x: ({ params }) => ({ text: params.text }) }));
        const client = createClient(server.open, { features: [shouting, { name: 'more', capabilities: { elicitation: {} } }], capabilities: { roots: {} } });
        void client.connect();
        time.flush();
        const seen = record(client.shout('hi'));
        time.flush();
        expect(seen.values).to.deep.equal(['HI']);
        expect(server.peer.of('initialize')[0].params.capabilities).to.deep.equal({ roots: {}, sampling: {}, elicitation: {} });
        void client.close();
      });
    });
  });

  describe('toPromises [R03]', () => {
    it('does at once what the Observables do when subscribed', async () => {
      const server = new ScriptedServer(legacyScript({ 'tools/list': () => ({ tools: [{ name: 'a', inputSchema: {} }] }), 'tools/call': ({ params }) => ({ content: [{ type: 'text', text: params.name }] }), x: () => ({ ok: 1 }) }));
      const client = createClient(server.open);
      const promises = toPromises(client);
      expect(promises.client).to.equal(client);
      await promises.connect();
      expect((await promises.listTools()).map(({ name }) => name)).to.deep.equal(['a']);
      expect((await promises.callTool('hi')).content).to.deep.equal([{ type: 'text', text: 'hi' }]);
      expect(await promises.request('x')).to.deep.equal({ ok: 1 });
      await promises.ping();
      await promises.notify('n');
      await promises.reconnect();
      expect(server.peers).to.have.length(2);
      await promises.close();
      await promises.close();
      const error = await promises.callTool('x').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(NotConnectedError);
    });

    it('rejects with the error, and with the reason of a signal [R42]', async () => {
      const server = new ScriptedServer(legacyScript({ bad: () => { throw new Refusal(-1, 'no'); } }));
      const promises = toPromises(createClient(server.open));
      await promises.connect();
      expect(await promises.request('bad').catch((reason: unknown) => reason)).to.be.instanceOf(RpcError);
      const controller = new AbortController();
      const reason = new Error('enough');
      const call = promises.callTool('mute', {}, { signal: controller.signal }).catch((error: unknown) => error);
      controller.abort(reason);
      expect(await call).to.equal(reason);
      await promises.close();
    });
  });
});

describe('connect()', () => {
  it('is cold; emits a ready client, and closes it when unsubscribed', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(legacyScript());
      const client$ = connect(server.open);
      time.flush();
      expect(server.peers).to.have.length(0);
      const seen = record(client$);
      time.flush();
      expect(seen).to.deep.include({ completed: 0, errors: [] });
      expect(seen.values).to.have.length(1);
      expect(seen.values[0]!.connected).to.equal(true);
      seen.unsubscribe();
      time.flush();
      expect(server.peer.closed).to.equal(true);
    });
  });

  it('makes a connection for each subscription', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(legacyScript());
      const client$ = connect(server.open);
      const seen = [record(client$), record(client$)];
      time.flush();
      expect(server.peers).to.have.length(2);
      expect(seen[0]!.values[0]).not.to.equal(seen[1]!.values[0]);
      seen[0]!.unsubscribe();
      time.flush();
      expect(server.peers.map(({ closed }) => closed)).to.deep.equal([true, false]);
      seen[1]!.unsubscribe();
    });
  });

  it('closes when unsubscribed before it is ready', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer({});
      const seen = record(connect(server.open));
      time.at(10, () => seen.unsubscribe());
      time.flush();
      expect(server.peer.closed).to.equal(true);
      expect(seen).to.deep.include({ values: [], errors: [] });
    });
  });

  it('closes after take(1): who wants to keep the client stays subscribed', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(legacyScript());
      record(connect(server.open).pipe(take(1)));
      time.flush();
      expect(server.peer.closed).to.equal(true);
    });
  });

  it('completes when the client is closed', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(legacyScript());
      const seen = record(connect(server.open));
      time.flush();
      void seen.values[0]!.close();
      time.flush();
      expect(seen).to.deep.include({ completed: 1, errors: [] });
    });
  });

  it('fails when connecting does, and leaves nothing behind', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer(legacyScript({ initialize: () => { throw new Refusal(-1, 'no'); } }));
      const seen = record(connect(server.open));
      time.flush();
      expect(seen.errors.map(({ message }) => message)).to.deep.equal(['MCP error -1: no']);
      expect(server.peers.every(({ closed }) => closed)).to.equal(true);
    });
  });

  it('tries again with retry: each time a new client', () => {
    inVirtualTime((time) => {
      const server = new ScriptedServer((n) => (n < 2 ? legacyScript({ initialize: () => { throw new Refusal(-1, 'no'); } }) : legacyScript()));
      const client$ = connect(server.open);
      const first = record(client$);
      time.flush();
      expect(first.errors).to.have.length(1);
      const second = record(client$);
      time.flush();
      expect(second.values).to.have.length(1);
      second.unsubscribe();
    });
  });
});
