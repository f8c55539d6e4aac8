// Records a session with the official reference server, and plays it again without the server.
import { expect } from 'chai';
import { ignoreElements, type Observable } from 'rxjs';
import { createClient, withSampling, type ClientOptions, type McpClient } from '../../lib/index.ts';
import { expectNoLeaks, outcome, recordWire, replay, ReplayError, type Recording } from '../../lib/testing.ts';

/** What the application does: one call after the other, and whatever they end with. */
export const session: readonly ((client: McpClient) => Observable<unknown>)[] = [
  (client) => client.listTools(),
  (client) => client.callTool('echo', { message: 'é漢🦀' }),
  (client) => client.callTool('get-sum', { a: 2, b: 0.5 }),
  (client) => client.callTool('get-sum', { a: 'two' }),
  (client) => client.callTool('trigger-long-running-operation', { duration: 0.1, steps: 2 }, { observe: 'events' }),
  (client) => client.callTool('trigger-sampling-request', { prompt: 'A haiku', maxTokens: 10 }),
  (client) => client.getPrompt('simple-prompt'),
  (client) => client.readResource('demo://resource/static/document/features.md'),
  (client) => client.ping().pipe(ignoreElements()),
];

/** The client of the application. */
export const clientOptions = (): ClientOptions => ({
  features: [withSampling(() => [{ role: 'assistant', content: { type: 'text', text: 'Old pond' }, model: 'spec', stopReason: 'endTurn' }])],
});

/** Runs the application once, and gives what became of each call. */
export async function run(client: McpClient, calls = session): Promise<unknown[]> {
  expect((await outcome(client.connect())).error).to.equal(undefined);
  const results = [];
  for (const call of calls) results.push(await outcome(call(client)));
  await outcome(client.close());
  return results;
}

/** What the client sent, as text. */
export const sentIn = ({ events }: Recording): string[] => events.flatMap(({ direction, message }) => (direction === 'out' ? [JSON.stringify(message)] : []));

/** Declares the suite; call it inside a `describe`. */
export function recordsAndReplays(open: (options: ClientOptions) => Promise<McpClient>): void {
  let recording: Recording;
  let results: unknown[];

  before('record', async () => {
    const client = await open(clientOptions());
    const recorder = recordWire(client);
    results = await run(client);
    recording = recorder.toRecording();
    expect(recording.events.length).to.be.above(2 * session.length);
  });

  it('gives the same results, and the client sends the same, byte for byte', () =>
    expectNoLeaks(async (watch) => {
      const server = replay(recording);
      const client = watch(createClient(server.open, clientOptions()));
      const again = recordWire(client);
      expect(await run(client)).to.deep.equal(results);
      expect(sentIn(again.toRecording())).to.deep.equal(sentIn(recording));
      server.verify();
    }));

  it('tells of another argument', async () => {
    const server = replay(recording);
    const changed = session.with(2, (client) => client.callTool('get-sum', { a: 2, b: 0.25 }));
    const again: any[] = await run(createClient(server.open, clientOptions()), changed);
    expect(again[2].error.message).to.match(/differs from the recording at params\.arguments\.b: recorded 0\.5, sent 0\.25/);
    expect(() => {
      server.verify();
    }).to.throw(ReplayError, /at params\.arguments\.b: recorded 0\.5, sent 0\.25[^]*Recorded and never sent:[^]*"b":0\.5/);
  });

  it('tells of a call that is missing', async () => {
    const server = replay(recording);
    await run(createClient(server.open, clientOptions()), session.toSpliced(1, 1));
    expect(() => {
      server.verify();
    }).to.throw(ReplayError, /^The replay differs from the recording\.\nRecorded and never sent:\n {2}connection 1: [^\n]*"name":"echo"[^\n]*$/);
  });
}
