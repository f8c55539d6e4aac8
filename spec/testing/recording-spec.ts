// Recordings: what is in them, and what becomes of a client that meets one. No server is needed here.
import { expect } from 'chai';
import { firstValueFrom, lastValueFrom, merge, tap, timer, concat, ignoreElements, map } from 'rxjs';
import { ConnectionClosedError, createClient, HttpError, withElicitation, type ClientOptions, type JsonRpcMessage } from '../../lib/index.ts';
import { collect, expectNoLeaks, outcome, parseRecording, RecordingFormatError, recordWire, replay, ReplayError, runMcpMarbles, scriptedServer, type RecordedEvent, type Recording, type ReplayOptions, type ScriptedServer } from '../../lib/testing.ts';
import { clientOptions, run, sentIn, session } from './everything-recording.ts';
import kept from './recordings/everything.json' with { type: 'json' };

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
type Client = ReturnType<typeof createClient>;

/** Records what a client does with a scripted server. */
async function recorded(server: ScriptedServer, use: (client: Client) => Promise<unknown>, options: ClientOptions = {}): Promise<Recording> {
  const client = createClient(server.open, options);
  const recorder = recordWire(client);
  expect((await outcome(client.connect())).error).to.equal(undefined);
  await use(client);
  await outcome(client.close());
  return recorder.toRecording();
}

/** A server that answers two calls, the first one later. */
function twoCalls(era: 'legacy' | 'modern' = 'modern'): ScriptedServer {
  const server = scriptedServer({ era });
  server.when('tools/call', { name: 'a' }).progress({ progress: 1 }).after(2).answer(text('a'));
  return server.when('tools/call', { name: 'b' }).answer(text('b'));
}

const both = (client: Client, first = 'a', second = 'b') =>
  outcome(merge(client.callTool(first, {}, { observe: 'events' }), client.callTool(second, {}, { observe: 'events' })).pipe(map((event) => (event.type === 'result' ? (event.result.content[0] as any).text : event.type))));

/** Plays a recording for a client, and gives what `verify()` says. */
async function replayed(recording: Recording, use: (client: Client) => Promise<unknown>, options: ReplayOptions = {}, clientOptions: ClientOptions = {}): Promise<string> {
  const server = replay(recording, options);
  const client = createClient(server.open, clientOptions);
  await outcome(client.connect());
  await use(client);
  await outcome(client.close());
  try {
    server.verify();
    return '';
  } catch (error) {
    expect(error).to.be.instanceOf(ReplayError);
    return (error as ReplayError).message;
  }
}

describe('recordWire()', () => {
  it('keeps what passed, with its time and its connection, as plain data', () => {
    let recording: Recording | undefined;
    runMcpMarbles({ opening: 'scripted' }, ({ client, server, at, advance }) => {
      const recorder = recordWire(client);
      server.when('tools/call').after(5).answer(text('a'));
      at(10, () => client.connect());
      at(20, () => client.callTool('a').subscribe());
      at(30, () => {
        server.close();
      });
      at(40, () => client.connect());
      advance(50);
      recorder.unsubscribe();
      client.callTool('a').subscribe();
      advance(50);
      recording = recorder.toRecording();
    });
    expect(recording).to.deep.equal(JSON.parse(JSON.stringify(recording)));
    const summary = recording?.events.map(({ direction, ms, connection, message }) => [direction, ms, connection, (message as any)?.method ?? (message as any)?.id]);
    expect(summary).to.deep.equal([
      ['out', 10, 1, 'server/discover'],
      ['in', 10, 1, 1],
      ['out', 20, 1, 'tools/call'],
      ['in', 25, 1, 2],
      ['end', 30, 1, undefined],
      ['out', 40, 2, 'server/discover'],
      ['in', 40, 2, 3],
    ]);
  });

  it('leaves out what is to stay secret, and not in the messages themselves', async () => {
    const client = createClient(twoCalls().open);
    const recorder = recordWire(client, { redact: (message, direction) => (direction === 'in' && 'result' in message ? { ...message, result: { hidden: true } } : message) });
    await outcome(client.connect());
    expect(await lastValueFrom(client.callTool('b'))).to.deep.equal(text('b'));
    await outcome(client.close());
    expect(recorder.toRecording().events.at(-1)?.message).to.deep.include({ result: { hidden: true } });
  });

  it('takes the stream of messages alone, too', async () => {
    const client = createClient(twoCalls().open);
    const recorder = recordWire(client.wire$);
    await outcome(client.connect());
    await outcome(client.close());
    expect(recorder.toRecording().events.map(({ direction, connection }) => [direction, connection])).to.deep.equal([['out', 1], ['in', 1]]);
  });

  it('writes JSON that can be read again', async () => {
    const recording = await recorded(twoCalls(), both);
    const client = createClient(twoCalls().open);
    const recorder = recordWire(client);
    await outcome(client.connect());
    await outcome(client.close());
    expect(recorder.save((json) => parseRecording(json))).to.deep.equal(recorder.toRecording());
    expect(parseRecording(JSON.stringify(recording))).to.deep.equal(recording);
  });
});

describe('parseRecording()', () => {
  for (const [what, value, message] of [
    ['text that is no JSON', 'no', 'This is no recording'],
    ['other JSON', { events: [] }, 'This is no recording'],
    ['a later version', { ...kept, version: 2 }, 'has version 2; version 1 is known here'],
    ['an event without a message', { ...kept, events: [{ direction: 'in', ms: 0, connection: 1 }] }, 'Event 1'],
    ['an event of an unknown kind', { ...kept, events: [kept.events[0], { direction: 'up', ms: 0, connection: 1 }] }, 'Event 2'],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => parseRecording(value)).to.throw(RecordingFormatError, message);
      expect(() => replay(value as never)).to.throw(RecordingFormatError);
    });
  }
});

describe('replay()', () => {
  it('plays a session with the everything server that was recorded long ago', () =>
    expectNoLeaks(async (watch) => {
      const server = replay(parseRecording(kept));
      const client = watch(createClient(server.open, clientOptions()));
      const again = recordWire(client);
      const results: any[] = await run(client);
      expect(results[2].values[0].content).to.deep.equal(text('The sum of 2 and 0.5 is 2.5.').content);
      expect(results[4].values.map(({ type }: any) => type)).to.deep.equal(['progress', 'progress', 'result']);
      expect(results).to.have.length(session.length);
      const withoutVersion = (messages: string[]) => messages.map((message) => message.replaceAll(/"name":"rxjs-mcp","version":"[^"]*"/g, '"name":"rxjs-mcp"'));
      expect(withoutVersion(sentIn(again.toRecording()))).to.deep.equal(withoutVersion(sentIn(parseRecording(kept))));
      server.verify();
    }));

  for (const era of ['legacy', 'modern'] as const) {
    describe(`of a ${era} session`, () => {
      let recording: Recording;
      before(async () => {
        recording = await recorded(twoCalls(era), both);
      });

      it('gives each call its own answer, whatever the ids are', async () => {
        let n = 0;
        const use = async (client: Client) => {
          expect((await both(client)).values).to.deep.equal(['progress', 'a', 'b']); // at once: the order is that of the calls
        };
        expect(await replayed(recording, use, {}, { nextId: () => `mine-${++n}` })).to.equal('');
      });

      it('takes calls in another order, unless the order counts', async () => {
        const turned = (client: Client) => both(client, 'b', 'a');
        expect(await replayed(recording, turned)).to.equal('');
        expect(await replayed(recording, turned, { order: 'strict' })).to.match(/at params\.name: recorded "a", sent "b"/);
        expect(await replayed(recording, both, { order: 'strict' })).to.equal('');
      });

      it('answers at once, or in the recorded time', () => {
        const slow: Recording = { ...recording, events: recording.events.map((event, n) => ({ ...event, ms: n * 10 })) };
        for (const times of ['at-once', 'recorded'] as const) {
          runMcpMarbles(({ at, advance }) => {
            const server = replay(slow, { times });
            const client = createClient(server.open);
            void client.connect();
            advance(1_000);
            let seen: ReturnType<typeof collect> | undefined;
            at(0, () => (seen = collect(merge(client.callTool('a', {}, { observe: 'events' }), client.callTool('b', {}, { observe: 'events' })))));
            advance(1_000);
            void client.close();
            expect(seen?.values.map((event: any) => event.result?.content[0].text ?? event.type)).to.deep.equal(times === 'at-once' ? ['progress', 'a', 'b'] : ['progress', 'b', 'a']);
            expect(seen?.times).to.deep.equal(times === 'at-once' ? [0, 0, 0] : [20, 20, 40]);
          });
        }
      });

      it('tells of another argument, an extra call, and calls that are missing', async () => {
        const other = await replayed(recording, (client) => both(client, 'a', 'c'));
        expect(other).to.match(/Message \d of connection 1 differs from the recording at params\.name: recorded "b", sent "c"\n {2}recorded .*"b".*\n {2}sent .*"c".*\nRecorded and never sent:\n {2}connection 1: .*"b"/);
        const extra = await replayed(recording, (client) => Promise.all([both(client), outcome(client.listPrompts())]));
        expect(extra).to.match(/^The replay differs from the recording\.\nMessage \d of connection 1 is not in the recording, or was sent already: .*prompts\/list.*$/);
        const none = await replayed(recording, async () => {});
        expect(none.match(/connection 1: .*tools\/call/g)).to.have.length(2);
      });

      it('answers a call that strayed with an error, and shows it on problems$', async () => {
        const server = replay(recording);
        const client = createClient(server.open);
        await outcome(client.connect());
        const { error }: any = await outcome(client.callTool('c'));
        await outcome(client.close());
        const problems = collect(server.problems$);
        expect(problems.values).to.have.length(1);
        expect(error.detail).to.equal(problems.values[0]?.message);
        expect(problems.values[0]?.facts).to.include({ connection: 1, message: era === 'legacy' ? 4 : 2 });
        expect(problems.values[0]?.facts.difference).to.deep.equal({ path: 'params.name', expected: 'a', actual: 'c' });
        problems.unsubscribe();
      });

      it('overlooks what it is told to', async () => {
        const changed = (client: Client) => outcome(merge(client.callTool('a', { at: 5 }, { progress: true }), client.callTool('b', {}, { progress: true })));
        expect(await replayed(recording, changed)).to.match(/at params\.arguments\.at: recorded nothing, sent 5/);
        expect(await replayed(recording, changed, { ignore: ['params.arguments.at'] })).to.equal('');
        expect(await replayed(recording, changed, { ignore: [['params', 'arguments', '*']] })).to.equal('');
      });

      it('does not mind another version of the client, but another name', async () => {
        const use = (client: Client) => both(client);
        expect(await replayed(recording, use, {}, { clientInfo: { name: 'rxjs-mcp', version: '99' } })).to.equal('');
        expect(await replayed(recording, use, {}, { clientInfo: { name: 'other', version: '0' } })).to.include('recorded "rxjs-mcp", sent "other"');
      });
    });
  }

  it('asks what the server asked, and compares the answers', async () => {
    const server = scriptedServer({ era: 'legacy' });
    const asking = { message: 'Who?', requestedSchema: { type: 'object' as const, properties: {} } };
    server.when('tools/call').answer(() => server.request('elicitation/create', asking).pipe(map(({ content }: any) => text(content.name))));
    const named = (name: string): ClientOptions => ({ features: [withElicitation(() => timer(1).pipe(map(() => ({ action: 'accept', content: { name } }))))] });
    const answers: unknown[] = [];
    const use = async (client: Client) => {
      answers.length = 0;
      client.wire$.subscribe(({ direction, message }) => 'result' in message && answers.push(direction));
      await outcome(client.callTool('greet'));
    };
    const recording = await recorded(server, use, named('Ada'));
    expect(await replayed(recording, use, {}, named('Ada'))).to.equal('');
    expect(answers).to.deep.equal(['out', 'in']); // the server waits for the answer, as it did
    expect(await replayed(recording, use, {}, named('Eve'))).to.match(/at result\.content\.name: recorded "Ada", sent "Eve"/);
  });

  it('ends connections that the server ended, and knows those that came after', async () => {
    const server = twoCalls();
    server.when('tools/call', { name: 'die' }).once().close();
    const use = (client: Client) => lastValueFrom(concat(timer(0).pipe(ignoreElements()), client.callTool('die').pipe(tap({ error: () => {} }))), { defaultValue: 0 }).catch(() => outcome(client.connect()).then(() => outcome(client.callTool('b'))));
    const recording = await recorded(server, use);
    expect(recording.events.map(({ connection }) => connection)).to.include(2);
    expect(await replayed(recording, use)).to.equal('');
    const stays = await replayed(recording, (client) => outcome(client.callTool('die')));
    expect(stays).to.match(/Recorded and never sent:\n {2}connection 2: .*discover.*\n {2}connection 2: .*tools\/call/);
    let refusal: unknown;
    const more = await replayed(recording, async (client) => {
      await use(client);
      refusal = (await outcome(client.reconnect())).error;
    });
    expect(refusal).to.be.instanceOf(ConnectionClosedError);
    expect(more).to.include('Connection 3 was not recorded');
  });

  it('dies at once where the server did', async () => {
    const server = replay({ format: 'rxjs-mcp/recording', version: 1, events: [{ direction: 'end', ms: 0, connection: 1 }] });
    const client = createClient(server.open);
    expect((await outcome(client.connect())).error).to.be.instanceOf(ConnectionClosedError);
    await outcome(client.close());
  });

  it('says first what the server said first', async () => {
    const recording = await recorded(twoCalls(), (client) => outcome(client.callTool('b')));
    const greeting = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hello' } } as const;
    const events: RecordedEvent[] = [{ direction: 'in', ms: 0, connection: 1, message: greeting }, ...recording.events];
    const seen: unknown[] = [];
    const use = async (client: Client) => {
      client.logs$.subscribe(({ data }) => seen.push(data));
      await outcome(client.callTool('b'));
      await firstValueFrom(timer(0)); // what came early is handed out after a moment
    };
    expect(await replayed({ ...recording, events }, use)).to.equal('');
    expect(seen).to.deep.equal(['hello']);
  });

  it('fails what failed on its way, as by an HTTP status', async () => {
    const message = (id: number, method: string): JsonRpcMessage => ({ jsonrpc: '2.0', id, method });
    const recording = await recorded(twoCalls('legacy'), (client) => outcome(client.ping()));
    const ping = recording.events.findIndex(({ message: sent }) => (sent as any)?.method === 'ping');
    const failed: RecordedEvent = { direction: 'failed', ms: 0, connection: 1, message: message(3, 'ping'), failure: { name: 'HttpError', text: 'gone', status: 503 } };
    const events = [...recording.events.slice(0, ping + 1), failed];
    let error: unknown;
    const use = async (client: Client) => ({ error } = await outcome(client.ping()));
    expect(await replayed({ ...recording, events }, use)).to.equal('');
    expect(error).to.be.instanceOf(HttpError).and.deep.include({ status: 503, text: 'gone' });
  });
});
