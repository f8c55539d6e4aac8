// What must work with a real server of 2026-07-28 that asks back and says how long its lists hold, over every transport.
import { expect } from 'chai';
import { firstValueFrom, NEVER, timer, map } from 'rxjs';
import { InputRoundsError, withCache, withElicitation, withRoots, withSampling, type ClientFeature, type ElicitationStreamApi, type McpClient, type WireRecord } from '../../lib/index.ts';
import { outcome, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';

export function answersWhatIsAsked(open: (features: readonly ClientFeature[]) => McpClient | Promise<McpClient>): void {
  const clients: McpClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => outcome(client.close())));
  });

  async function ready(...features: ClientFeature[]) {
    const client = await open(features);
    clients.push(client);
    const wire: WireRecord[] = [];
    client.wire$.subscribe((passed) => wire.push(passed));
    expect((await outcome(client.connect())).error).to.equal(undefined);
    expect(client.protocolVersion).to.equal('2026-07-28');
    const sent = (method: string): any[] => wire.flatMap(({ direction, message }) => (direction === 'out' && 'method' in message && message.method === method ? [message] : []));
    return { client, sent };
  }

  const roots = withRoots([{ uri: 'file:///home', name: 'home' }]);
  const model = withSampling(() => timer(1).pipe(map(() => ({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'Ciao!' } }))));

  it('a call gets what it asks for in two rounds: a form with its defaults, the roots, a model’s sentence [B26]', async () => {
    const { client, sent } = await ready(withElicitation(() => [{ action: 'accept', content: { name: 'Bo' } }]), roots, model);
    const { values, error } = await outcome(client.callTool('order'));
    expect(error).to.equal(undefined);
    expect(values[0]?.content).to.deep.equal([{ type: 'text', text: 'Ciao! 2 for Bo in file:///home' }]);
    expect(sent('tools/call')).to.have.length(3);
    expect(new Set(sent('tools/call').map(({ id }) => id)).size).to.equal(3);
  });

  it('two at once do not mix their states', async () => {
    const names = ['Bo', 'Cy'];
    const { client } = await ready(withElicitation(() => [{ action: 'accept', content: { name: names.shift() ?? '' } }]), roots, model);
    const results = await Promise.all([firstValueFrom(client.callTool('order')), firstValueFrom(client.callTool('order'))]);
    const texts = results.map(({ content: [block] }) => (block as { text: string }).text);
    expect(texts).to.have.members(['Ciao! 2 for Bo in file:///home', 'Ciao! 2 for Cy in file:///home']);
  });

  it('a person who says no is an answer too', async () => {
    const { client } = await ready(withElicitation(() => [{ action: 'decline' }]), roots, model);
    expect((await firstValueFrom(client.callTool('order'))).content).to.deep.equal([{ type: 'text', text: 'no order' }]);
  });

  it('a prompt may ask as well, through a stream of questions', async () => {
    const { client } = await ready(withElicitation('stream'));
    (client as McpClient & ElicitationStreamApi).elicitations$.subscribe((question) => {
      question.accept({ name: 'Di' });
    });
    const { messages } = await firstValueFrom(client.getPrompt('greeting'));
    expect(messages[0]?.content).to.deep.equal({ type: 'text', text: 'Hello Di (accept)' });
  });

  it('without anybody to ask, the call fails and says so', async () => {
    const { client } = await ready();
    const { error } = await outcome(client.callTool('order'));
    expect(error).to.be.instanceOf(Error); // the server need not even ask: no capability was declared
    expect((await outcome(client.callTool('counts'))).error).to.equal(undefined);
  });

  it('a server that asks for ever is stopped [B26]', async () => {
    const { client, sent } = await ready(withElicitation(() => NEVER, { maxRounds: 3 }));
    const { error } = await outcome(client.callTool('endless'));
    expect(error).to.be.instanceOf(InputRoundsError);
    expect(sent('tools/call')).to.have.length(4);
  });

  it('giving up between two rounds asks nobody any more', async () => {
    let asked = 0;
    const { client, sent } = await ready(withElicitation(() => (asked++, NEVER)), roots, model);
    const call = record(client.callTool('order'));
    await until(() => asked === 1);
    call.unsubscribe();
    expect((await outcome(client.callTool('counts'))).values).to.have.length(1);
    expect(sent('tools/call')).to.have.length(2);
  });

  it('lists and resources are kept as long as the server says, and no longer', async () => {
    const { client, sent } = await ready(withCache());
    for (let n = 0; n < 3; n++) {
      await firstValueFrom(client.listTools());
      await firstValueFrom(client.listPrompts());
      await firstValueFrom(client.readResource('note://1'));
    }
    expect([sent('tools/list').length, sent('prompts/list').length, sent('resources/read').length]).to.deep.equal([1, 3, 1]);
    await firstValueFrom(client.listTools({ cache: 'bypass' }));
    await firstValueFrom(client.readResource('note://2'));
    expect([sent('tools/list').length, sent('resources/read').length]).to.deep.equal([2, 2]);
  });
}
