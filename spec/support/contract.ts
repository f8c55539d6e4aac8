// The one suite that every transport keeps: see contract-server.mjs for the server at the other end.
import { expect } from 'chai';
import { firstValueFrom, merge, take } from 'rxjs';
import { ConnectionClosedError, NotConnectedError, RequestTimeoutError, RpcError } from '../../lib/errors.ts';
import type { Connection, ConnectionOptions } from '../../lib/session/connection.ts';
import type { Diagnostic } from '../../lib/transport/diagnostic.ts';
import type { JsonRpcMessage } from '../../lib/wire/message.ts';
import { errorOf, outcome, until } from './outcome.ts';
import { record } from './test-scheduler.ts';

export interface ContractOptions {
  /** How many requests the platform lets be under way at once. @defaultValue 50 */
  readonly inFlight?: number;
}

/** Makes a connection that is not open yet, to a contract server of its own. */
export type Open = (options?: ConnectionOptions) => Connection | Promise<Connection>;

/** Declares the suite; call it inside a `describe`. */
export function keepsTheContract(open: Open, { inFlight = 50 }: ContractOptions = {}): void {
  const made: Connection[] = [];

  async function idle(options?: ConnectionOptions): Promise<Connection> {
    const connection = await open(options);
    made.push(connection);
    return connection;
  }

  async function ready(options?: ConnectionOptions): Promise<Connection> {
    const connection = await idle(options);
    await outcome(connection.connect());
    return connection;
  }

  const ask = (connection: Connection, name: string, params?: object, options?: object) =>
    connection.request(`contract/${name}`, params as never, options);
  const answerTo = async (connection: Connection, name: string, params?: object): Promise<any> => firstValueFrom(ask(connection, name, params));
  const received = async (connection: Connection): Promise<any[]> => (await answerTo(connection, 'received')).messages;
  const receivedOf = async (connection: Connection, method: string) => (await received(connection)).filter((message) => message.method === method);
  /** What is on its way needs a moment. */
  const untilReceived = (connection: Connection, method: string) =>
    until(async () => {
      const messages = await receivedOf(connection, method);
      return messages.length > 0 ? messages : undefined;
    });

  function statuses(connection: Connection): string[] {
    const seen: string[] = [];
    connection.state$.subscribe({ next: ({ status }) => seen.push(status), complete: () => seen.push('|') });
    return seen;
  }

  afterEach(async () => {
    for (const connection of made.splice(0)) await outcome(connection.close());
  });

  describe('connecting', () => {
    it('starts idle, with nothing pending [R20 R30]', async () => {
      const connection = await idle();
      expect(statuses(connection)).to.deep.equal(['idle']);
      expect(connection.connected).to.equal(false);
      expect(connection.pendingRequests).to.equal(0);
    });

    it('connects eagerly, once, and replays', async () => {
      const connection = await idle();
      const seen = statuses(connection);
      const first$ = connection.connect(); // nobody subscribes
      await until(() => connection.connected);
      expect(await outcome(first$)).to.deep.include({ error: undefined });
      expect(await outcome(connection.connect())).to.deep.include({ error: undefined });
      expect(seen).to.deep.equal(['idle', 'connecting', 'connected']);
      expect(await answerTo(connection, 'echo', { n: 1 })).to.deep.equal({ n: 1 });
    });

    for (const when of ['before connect()', 'after close()']) {
      it(`refuses ${when}, at once [R06]`, async () => {
        const connection = await idle();
        if (when === 'after close()') {
          await outcome(connection.connect());
          await outcome(connection.close());
        }
        const request = record(ask(connection, 'echo'));
        const notification = record(connection.notify('note'));
        for (const { errors, values, completed } of [request, notification]) {
          expect({ values, completed, errors: errors.length }).to.deep.equal({ values: [], completed: 0, errors: 1 });
          expect(errors[0]).to.be.instanceOf(NotConnectedError);
          expect(errors[0].message).to.equal('Transport not connected');
        }
        expect(() => {
          connection.outbound$.next({ jsonrpc: '2.0', method: 'note' });
        }).not.to.throw();
      });
    }

    it('does not connect after close(), not even without ever having been connected', async () => {
      const connection = await idle();
      expect((await outcome(connection.close())).error).to.equal(undefined);
      expect(await errorOf(connection.connect())).to.be.instanceOf(NotConnectedError);
      expect(statuses(connection).at(-1)).to.equal('|');
    });

    it('closed while connecting, it ends, and connect() says so', async () => {
      const connection = await idle();
      const connecting = outcome(connection.connect());
      const seen = statuses(connection);
      expect((await outcome(connection.close())).error).to.equal(undefined);
      const { error } = await connecting;
      if (!seen.includes('connected')) expect(error).to.be.instanceOf(NotConnectedError);
      expect(seen.slice(-3)).to.deep.equal(['closing', 'closed', '|']);
    });
  });

  describe('requests', () => {
    it('give one answer and complete [R11 R12 R13]', async () => {
      const connection = await ready();
      expect(await outcome(ask(connection, 'echo', { text: 'é漢🦀\n' }))).to.deep.equal({ values: [{ text: 'é漢🦀\n' }], error: undefined });
      expect(connection.pendingRequests).to.equal(0);
    });

    it('are cold: each subscription sends again, with an id of its own [R10 B31]', async () => {
      const connection = await ready();
      const echo$ = ask(connection, 'echo', { n: 1 });
      expect(await receivedOf(connection, 'contract/echo')).to.deep.equal([]);
      await Promise.all([outcome(echo$), outcome(echo$), outcome(echo$)]);
      const ids = (await receivedOf(connection, 'contract/echo')).map(({ id }) => id);
      expect(ids).to.have.length(3);
      expect(new Set(ids).size).to.equal(3);
    });

    it('find their answers in whatever order they come [R10 B31]', async () => {
      const connection = await ready();
      const numbers = Array.from({ length: inFlight }, (_, n) => n);
      const order: number[] = [];
      const answers = await Promise.all(
        numbers.map(async (n) => {
          const answer = await answerTo(connection, 'hold', { n, count: inFlight });
          order.push(n);
          return answer.n;
        }),
      );
      expect(answers).to.deep.equal(numbers);
      expect(order).to.have.length(inFlight);
      const ids = (await receivedOf(connection, 'contract/hold')).map(({ id }) => id);
      expect(new Set(ids).size).to.equal(inFlight);
    });

    it('see all progress before the result, in order [B33]', async () => {
      const connection = await ready();
      const events$ = connection.exchange('contract/progress', { count: 20 }, { progress: true });
      const { values, error } = await outcome(events$);
      expect(error).to.equal(undefined);
      expect(values.map((event: any) => event.progress?.progress ?? event.result)).to.deep.equal([...Array.from({ length: 20 }, (_, i) => i + 1), { done: true }]);
    });

    it('fail with what the server says [R34]', async () => {
      const connection = await ready();
      const error = await errorOf(ask(connection, 'fail'));
      expect(error).to.be.instanceOf(RpcError);
      expect(error.message).to.equal('MCP error -32000: no luck');
      expect(error).to.deep.include({ code: -32000, detail: 'no luck', data: { why: 'because' } });
      expect(await answerTo(connection, 'echo', { n: 2 })).to.deep.equal({ n: 2 });
    });

    it('end at their deadline; a late answer is ignored, and visible [R40 R41 B30]', async () => {
      const connection = await ready();
      const diagnostics = record(connection.diagnostics$);
      const error = await errorOf(ask(connection, 'silent', {}, { timeoutMs: 40 }));
      expect(error).to.be.instanceOf(RequestTimeoutError);
      expect(error.message).to.equal('Request timeout after 40ms');
      expect(connection.pendingRequests).to.equal(0);
      expect(await answerTo(connection, 'late')).to.deep.equal({ late: false });
      expect(kinds(diagnostics.values)).to.deep.equal(['unmatched-answer']);
      expect((await untilReceived(connection, 'notifications/cancelled')).length).to.equal(1);
    });

    it('end with the reason of their signal; the server hears a neutral one [R42 R43 B37]', async () => {
      const connection = await ready();
      const reason = new Error('tenant X revoked');
      const abort = new AbortController();
      const given = outcome(ask(connection, 'silent', {}, { signal: abort.signal }));
      const [{ id }] = await untilReceived(connection, 'contract/silent');
      abort.abort(reason);
      expect((await given).error).to.equal(reason);
      expect(connection.pendingRequests).to.equal(0);
      const cancels = await untilReceived(connection, 'notifications/cancelled');
      expect(cancels.map(({ params }) => params.requestId)).to.deep.equal([id]);
      expect(JSON.stringify(cancels)).not.to.include('tenant');
    });

    it('that are aborted beforehand are not sent [R42 B37]', async () => {
      const connection = await ready();
      const reason = new Error('never mind');
      expect(await errorOf(ask(connection, 'silent', {}, { signal: AbortSignal.abort(reason) }))).to.equal(reason);
      await answerTo(connection, 'echo');
      expect((await received(connection)).map(({ method }) => method)).to.deep.equal(['contract/echo', 'contract/received']);
    });

    it('that are unsubscribed are cancelled, silently for the subscriber [R42 R43]', async () => {
      const connection = await ready();
      const given = record(ask(connection, 'silent'));
      const [{ id }] = await untilReceived(connection, 'contract/silent');
      given.unsubscribe();
      expect(given).to.deep.include({ values: [], errors: [], completed: 0 });
      expect(connection.pendingRequests).to.equal(0);
      const cancels = await untilReceived(connection, 'notifications/cancelled');
      expect(cancels.map(({ params }) => params.requestId)).to.deep.equal([id]);
    });

    it('with one signal for all leave no listener on it [B38]', async () => {
      const connection = await ready();
      const { signal } = new AbortController();
      let listeners = 0;
      const counted = {
        aborted: false,
        reason: undefined,
        addEventListener: (type: 'abort', listener: () => void) => {
          listeners++;
          signal.addEventListener(type, listener);
        },
        removeEventListener: (type: 'abort', listener: () => void) => {
          listeners--;
          signal.removeEventListener(type, listener);
        },
      };
      const pending = record(ask(connection, 'silent', {}, { signal: counted }));
      expect(listeners).to.equal(1);
      pending.unsubscribe();
      for (let n = 0; n < 20; n++) await outcome(ask(connection, 'echo', {}, { signal: counted }));
      await outcome(ask(connection, 'fail', {}, { signal: counted }));
      await outcome(ask(connection, 'silent', {}, { signal: counted, timeoutMs: 10 }));
      expect(listeners).to.equal(0);
    });
  });

  describe('notifications', () => {
    it('reach every subscriber in the order of the wire, and are not replayed [R16]', async () => {
      const connection = await ready();
      const called: unknown[] = [];
      const seen = [record(connection.notifications$), record(connection.notifications$)];
      connection.onNotification(({ params }) => called.push(params?.n));
      await answerTo(connection, 'notes', { count: 30 });
      const late = record(connection.notifications$);
      const expected = Array.from({ length: 30 }, (_, i) => i + 1);
      for (const { values } of seen) expect(values.map(({ params }) => params?.n)).to.deep.equal(expected);
      expect(called).to.deep.equal(expected);
      expect(late.values).to.deep.equal([]);
    });

    it('need no subscriber [R16]', async () => {
      const connection = await ready();
      expect(await answerTo(connection, 'notes', { count: 30 })).to.deep.equal({ count: 30 });
    });

    it('are sent without an id, eagerly [R15]', async () => {
      const connection = await ready();
      void connection.notify('note', { n: 1 });
      expect(await outcome(connection.notify('note'))).to.deep.equal({ values: [], error: undefined });
      const notes = await until(async () => {
        const messages = await receivedOf(connection, 'note');
        return messages.length === 2 && messages;
      });
      expect(notes).to.have.deep.members([
        { jsonrpc: '2.0', method: 'note', params: { n: 1 } },
        { jsonrpc: '2.0', method: 'note' },
      ]);
    });

    it('that a handler throws at reach everybody else, and errors$ [B94]', async () => {
      const failure = new Error('from a handler');
      const errors: unknown[] = [];
      const connection = await ready({ onError: (error) => errors.push(error) });
      connection.onNotification(() => {
        throw failure;
      });
      const other = record(connection.notifications$);
      const reported = record(connection.errors$);
      expect(await answerTo(connection, 'notes', { count: 3 })).to.deep.equal({ count: 3 });
      expect(other.values).to.have.length(3);
      expect(reported.values).to.deep.equal([failure, failure, failure]);
      expect(errors).to.deep.equal(reported.values);
    });
  });

  describe('what is no message', () => {
    it('is skipped with a diagnostic [R11 R36 B30]', async () => {
      const connection = await ready();
      const diagnostics = record(connection.diagnostics$);
      expect(await answerTo(connection, 'junk')).to.deep.equal({ after: 'junk' });
      expect(kinds(diagnostics.values)).to.deep.equal(['not-json-rpc', 'not-json-rpc', 'unmatched-answer']);
      expect(diagnostics.values.map(({ excerpt }) => excerpt)[0]).to.equal('{"hello":"world"}');
      expect(await answerTo(connection, 'echo', { n: 3 })).to.deep.equal({ n: 3 });
    });
  });

  describe('inside next [B95]', () => {
    it('a request is answered, and all subscribers see one order', async () => {
      const connection = await ready();
      const answers: unknown[] = [];
      const lists: string[][] = [[], [], []];
      const label = (message: any): string => (message.params ? `note ${message.params.n}` : `answer ${message.id}`);
      lists.forEach((list, index) => {
        connection.inbound$.subscribe((message: JsonRpcMessage) => {
          list.push(label(message));
          if (index === 0 && list.length === 2) void answerTo(connection, 'echo', { n: 9 }).then((answer) => answers.push(answer));
        });
      });
      await answerTo(connection, 'notes', { count: 4 });
      await until(() => answers.length === 1);
      expect(answers).to.deep.equal([{ n: 9 }]);
      expect(lists[0]?.filter((entry) => entry.startsWith('note'))).to.deep.equal(['note 1', 'note 2', 'note 3', 'note 4']);
      expect(lists[0]).to.have.length(6);
      expect(lists[1]).to.deep.equal(lists[0]);
      expect(lists[2]).to.deep.equal(lists[0]);
    });

    it('close() is safe: everyone gets the message, and the end once', async () => {
      let closes = 0;
      const connection = await ready({ onClose: () => closes++ });
      const pending = record(ask(connection, 'silent'));
      connection.notifications$.pipe(take(1)).subscribe(() => {
        void connection.close();
      });
      const others = [record(connection.notifications$), record(connection.notifications$)];
      const notes = record(ask(connection, 'notes', { count: 3 }));
      await until(() => others[0]?.completed === 1);
      for (const { values, completed } of others) {
        expect(values[0]?.params).to.deep.equal({ n: 1 });
        expect(completed).to.equal(1);
      }
      expect(pending).to.deep.include({ values: [], completed: 0 });
      expect(pending.errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed']);
      expect(notes.errors.length + notes.completed).to.equal(1);
      expect(closes).to.equal(1);
    });

    it('unsubscribing takes nothing from the others', async () => {
      const connection = await ready();
      const first = record(connection.notifications$.pipe(take(1)));
      const leaving: unknown[] = [];
      const subscription = connection.onNotification(({ params }) => {
        leaving.push(params?.n);
        if (leaving.length === 2) subscription.unsubscribe();
      });
      const stays = record(connection.notifications$);
      await answerTo(connection, 'notes', { count: 3 });
      expect(first.values).to.have.length(1);
      expect(leaving).to.deep.equal([1, 2]);
      expect(stays.values.map(({ params }) => params?.n)).to.deep.equal([1, 2, 3]);
    });

    it('a call given up in the moment of its answer settles once', async () => {
      const connection = await ready();
      const abort = new AbortController();
      connection.notifications$.pipe(take(1)).subscribe(() => {
        abort.abort(new Error('enough'));
      });
      const settled = record(ask(connection, 'notes', { count: 2 }, { signal: abort.signal }));
      await until(() => settled.errors.length + settled.completed > 0);
      await answerTo(connection, 'echo');
      expect(settled).to.deep.include({ values: [], completed: 0 });
      expect(settled.errors.map(String)).to.deep.equal(['Error: enough']);
    });
  });

  describe('closing', () => {
    it('rejects everything pending exactly once, and tells once [R21 B17]', async () => {
      const causes: unknown[] = [];
      const connection = await ready({ onClose: (cause) => causes.push(cause) });
      const pending = Array.from({ length: 5 }, () => record(ask(connection, 'silent')));
      await untilReceivedCount(connection, 5);
      const { error } = await outcome(connection.close());
      expect(error).to.equal(undefined);
      for (const { values, completed, errors } of pending) {
        expect({ values, completed, errors: errors.length }).to.deep.equal({ values: [], completed: 0, errors: 1 });
        expect(errors[0]).to.be.instanceOf(ConnectionClosedError);
        expect(errors[0].message).to.equal('Transport closed');
      }
      expect(causes).to.deep.equal([undefined]);
      expect(connection.pendingRequests).to.equal(0);
      expect(connection.connected).to.equal(false);
    });

    it('completes every stream, also for who comes late', async () => {
      const connection = await ready();
      const seen = statuses(connection);
      const streams = () => [connection.inbound$, connection.deliveries$, connection.diagnostics$, connection.notifications$, connection.errors$, connection.wire$];
      const early = streams().map((stream$) => record<unknown>(stream$));
      await outcome(connection.close());
      const late = streams().map((stream$) => record<unknown>(stream$));
      for (const { completed, errors } of [...early, ...late]) expect({ completed, errors }).to.deep.equal({ completed: 1, errors: [] });
      expect(seen).to.deep.equal(['connected', 'closing', 'closed', '|']);
      expect(late.flatMap(({ values }) => values)).to.deep.equal([]);
    });

    it('twice is the same as once, and eager', async () => {
      let closes = 0;
      const connection = await ready({ onClose: () => closes++ });
      const seen = statuses(connection);
      void connection.close();
      void connection.close();
      expect((await outcome(merge(connection.close(), connection.close()))).error).to.equal(undefined);
      expect((await outcome(connection.close())).error).to.equal(undefined);
      expect(seen).to.deep.equal(['connected', 'closing', 'closed', '|']);
      expect(closes).to.equal(1);
    });

    it('survives an onClose that throws', async () => {
      const connection = await ready({
        onClose: () => {
          throw new Error('from onClose');
        },
      });
      expect((await outcome(connection.close())).error).to.equal(undefined);
      expect(record(connection.notifications$).completed).to.equal(1);
    });

    it('ends a notification that waits, too', async () => {
      const connection = await ready();
      const notification = record(connection.notify('note'));
      await outcome(connection.close());
      expect(notification.errors.length + notification.completed).to.equal(1);
    });

    it('inside the error of a pending call is safe', async () => {
      const connection = await ready();
      const errors: unknown[] = [];
      ask(connection, 'silent').subscribe({
        error: (error: unknown) => {
          errors.push(error);
          void connection.close();
          errors.push(...record(ask(connection, 'echo')).errors);
        },
      });
      await untilReceived(connection, 'contract/silent');
      await outcome(connection.close());
      expect(errors.map(String)).to.deep.equal(['ConnectionClosedError: Transport closed', 'NotConnectedError: Transport not connected']);
    });
  });

  const untilReceivedCount = (connection: Connection, count: number) =>
    until(async () => (await receivedOf(connection, 'contract/silent')).length === count);
}

const kinds = (diagnostics: readonly Diagnostic[]): string[] => diagnostics.map(({ kind }) => kind);
