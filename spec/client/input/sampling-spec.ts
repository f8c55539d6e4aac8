import { expect } from 'chai';
import { of, throwError } from 'rxjs';
import { RpcError, withSampling, type CreateMessageResult } from '../../../lib/index.ts';
import { legacyScript, modernScript } from '../../support/peer.ts';
import { inVirtualTime, record } from '../../support/test-scheduler.ts';
import { answersOf, readyClient } from './ready-client.ts';

const text = (value: string) => ({ type: 'text', text: value }) as const;
const result: CreateMessageResult = { role: 'assistant', content: text('Paris'), model: 'm', stopReason: 'endTurn' };
const params = { messages: [{ role: 'user', content: text('Capital of France?') }], maxTokens: 10 };
const ask = (more: object = {}, id: unknown = 's') => ({ id, method: 'sampling/createMessage', params: { ...params, ...more } });

describe('withSampling', () => {
  for (const [options, sampling] of [
    [undefined, {}],
    [{ tools: true }, { tools: {} }],
    [{ tools: true, context: true }, { tools: {}, context: {} }],
  ] as const) {
    it(`declares ${JSON.stringify(sampling)}`, () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript(), [withSampling(() => of(result), options)]);
        expect(server.peer.of('initialize')[0].params.capabilities).to.deep.equal({ sampling });
        void client.close();
      });
    });
  }

  it('answers a server that asks, and a call that does', () => {
    inVirtualTime((time) => {
      const asked: unknown[] = [];
      const feature = () => withSampling((question, origin) => (asked.push([question, origin?.method]), of(result)));
      const legacy = readyClient(time, legacyScript(), [feature()]);
      legacy.server.peer.send(ask());
      const asks = { resultType: 'input_required', inputRequests: { a: ask() } };
      const modern = readyClient(time, modernScript({ 'tools/call': ({ params: given }) => (given.inputResponses ? { content: [] } : asks) }), [feature()]);
      record(modern.client.callTool('x'));
      time.flush();
      expect(answersOf(legacy.server)).to.deep.equal([{ id: 's', result }]);
      expect(modern.server.peer.of('tools/call')[1].params.inputResponses).to.deep.equal({ a: result });
      expect(asked).to.have.deep.members([[params, undefined], [params, 'tools/call']]);
      void legacy.client.close();
      void modern.client.close();
    });
  });

  it('passes the refusal of the user on', () => {
    inVirtualTime((time) => {
      const refusing = withSampling(() => throwError(() => new RpcError(-1, 'User rejected sampling request')));
      const { client, server, errors } = readyClient(time, legacyScript(), [refusing]);
      server.peer.send(ask());
      time.flush();
      expect(answersOf(server)).to.deep.equal([{ id: 's', error: { code: -1, message: 'User rejected sampling request' } }]);
      expect(errors.values).to.deep.equal([]);
      void client.close();
    });
  });

  const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} });
  const used = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] });
  const said = (...contents: unknown[]) => ({ messages: contents.map((content, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content })) });
  const cases: [title: string, more: object, tools: boolean, refusal: string | undefined][] = [
    ['tools that were not declared', { tools: [] }, false, 'tools'],
    ['a choice of tools that were not declared', { toolChoice: { mode: 'auto' } }, false, 'tools'],
    ['tools that were declared', { tools: [] }, true, undefined],
    ['each use of a tool with its result', said(text('?'), [use('a'), use('b')], [used('b'), used('a')]), true, undefined],
    ['a single use with its result', said(text('?'), use('a'), used('a')), true, undefined],
    ['a use without its result', said(text('?'), [use('a'), use('b')], [used('a')]), true, 'Tool result missing'],
    ['a use at the end', said(text('?'), use('a')), true, 'Tool result missing'],
    ['results among other content', said(text('?'), use('a'), [used('a'), text('so')]), true, 'mixed'],
    ['messages that are none', { messages: [null, 'x', { content: 3 }] }, true, undefined],
    ['no messages', { messages: 'x' }, true, undefined],
  ];
  for (const [title, more, tools, refusal] of cases) {
    it(`${refusal === undefined ? 'takes' : 'refuses with -32602'} ${title}`, () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript(), [withSampling(() => of(result), { tools })]);
        server.peer.send(ask(more));
        time.flush();
        const [answer] = answersOf(server);
        if (refusal === undefined) expect(answer.result).to.deep.equal(result);
        else expect(answer.error).to.have.property('code', -32602);
        if (refusal !== undefined) expect(answer.error.message).to.include(refusal);
        void client.close();
      });
    });
  }
});
