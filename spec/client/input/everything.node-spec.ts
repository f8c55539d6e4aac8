import { expect } from 'chai';
import { BehaviorSubject, firstValueFrom, take } from 'rxjs';
import { createClient, withElicitation, withRoots, withSampling, type CallToolResult, type ElicitDecision, type Root } from '../../../lib/node.ts';
import { stdioServer } from '../../support/node-fixtures.ts';
import { outcome, until } from '../../support/outcome.ts';

const textOf = ({ content }: CallToolResult): string => content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

describe('input for the everything server, over stdio', function () {
  this.timeout(20_000);

  const roots$ = new BehaviorSubject<Root[]>([{ uri: 'file:///first', name: 'First' }]);
  let decide: (mode: string | undefined) => ElicitDecision;
  const client = createClient(stdioServer('everything'), {
    features: [
      withElicitation(({ mode }) => [decide(mode)]),
      withSampling(({ messages, maxTokens }) => [{ role: 'assistant', content: { type: 'text', text: `${messages.length} in ${maxTokens}` }, model: 'spec' }]),
      withRoots(roots$),
    ],
  });
  const call = (name: string, args?: Record<string, unknown>) => firstValueFrom(client.callTool(name, args));

  before(async () => {
    expect((await outcome(client.connect())).error).to.equal(undefined);
  });
  after(() => outcome(client.close()));

  it('a form, answered with its defaults', async () => {
    decide = () => ({ action: 'accept', content: { name: 'Ada', check: true } });
    const text = textOf(await call('trigger-elicitation-request'));
    expect(text).to.include('- Name: Ada').and.include('- Favorite Integer: 42').and.include('- Favorite Number: 3.14');
    expect(text).to.include('"untitledMultipleSelectEnum": [\n      "Guitar"\n    ]').and.include('"titledSingleSelectEnum": "hero-1"');
  });

  it('a form, declined', async () => {
    decide = () => ({ action: 'decline' });
    expect(textOf(await call('trigger-elicitation-request'))).to.include('declined');
  });

  it('a URL to visit', async () => {
    decide = (mode) => ({ action: mode === 'url' ? 'accept' : 'cancel' });
    expect(textOf(await call('trigger-url-elicitation', { url: 'https://example.com/', message: 'Please' }))).to.include('accept');
  });

  it('a message of a model', async () => {
    expect(textOf(await call('trigger-sampling-request', { prompt: 'hi', maxTokens: 7 }))).to.include('1 in 7').and.include('"model": "spec"');
  });

  it('roots, and their change', async () => {
    expect(textOf(await call('get-roots-list'))).to.include('file:///first');
    const updated = firstValueFrom(client.logs$.pipe(take(1)));
    roots$.next([{ uri: 'file:///first' }, { uri: 'file:///second' }]);
    await updated;
    await until(async () => textOf(await call('get-roots-list')).includes('file:///second'));
  });
});
