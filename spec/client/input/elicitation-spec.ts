import { expect } from 'chai';
import { concat, filter, forkJoin, map, mergeMap, retry, take, tap, throwError, timer } from 'rxjs';
import { RpcError } from '../../../lib/errors.ts';
import { createClient, requiredElicitations, withElicitation, type ElicitDecision, type ElicitUrlParams, type FormContent, type PendingElicitation } from '../../../lib/index.ts';
import { legacyScript, modernScript, Refusal, ScriptedServer } from '../../support/peer.ts';
import { inVirtualTime, record } from '../../support/test-scheduler.ts';
import { answersOf, form, readyClient } from './ready-client.ts';

const ask = (params: object = form(), id: number | string = 's') => ({ id, method: 'elicitation/create', params });
const visit = { mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e1' };

/** One field of each kind, each with a default. */
const everyKind = {
  text: { type: 'string', default: 'x' },
  empty: { type: 'string', default: '' },
  number: { type: 'number', default: 1.5 },
  integer: { type: 'integer', default: 0 },
  boolean: { type: 'boolean', default: false },
  single: { type: 'string', enum: ['a', 'b'], default: 'b' },
  titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'a' },
  named: { type: 'string', enum: ['a'], enumNames: ['A'], default: 'a' },
  multi: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a', 'b'] },
  titledMulti: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: [] },
};
const allDefaults = { text: 'x', empty: '', number: 1.5, integer: 0, boolean: false, single: 'b', titled: 'a', named: 'a', multi: ['a', 'b'], titledMulti: [] };

describe('withElicitation', () => {
  describe('declares', () => {
    for (const [title, modes, elicitation] of [
      ['forms and URLs', undefined, { form: {}, url: {} }],
      ['forms alone', ['form'], { form: {} }],
      ['URLs alone', ['url'], { url: {} }],
    ] as const) {
      it(`${title}, in both eras`, () => {
        inVirtualTime((time) => {
          const feature = withElicitation('stream', { modes });
          const legacy = readyClient(time, legacyScript(), [feature]);
          expect(legacy.server.peer.of('initialize')[0].params.capabilities).to.deep.equal({ elicitation });
          const modern = readyClient(time, modernScript(), [withElicitation('stream', { modes })]);
          expect(modern.server.peer.of('server/discover')[0].params._meta['io.modelcontextprotocol/clientCapabilities']).to.deep.equal({ elicitation });
          void legacy.client.close();
          void modern.client.close();
        });
      });
    }

    it('nothing at all: refused', () => {
      expect(() => withElicitation('stream', { modes: [] })).to.throw('at least one');
    });
  });

  describe('with a handler', () => {
    function answerOf(decision: ElicitDecision, params?: object) {
      let answer: any;
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript(), [withElicitation(() => timer(5).pipe(map(() => decision)))]);
        server.peer.send(ask(params));
        time.flush();
        [answer] = answersOf(server);
        expect(answersOf(server)).to.have.length(1);
        void client.close();
      });
      return answer.result;
    }

    it('answers the server, every field that was left out with its default', () => {
      const properties = { ...everyKind, none: { type: 'string' }, odd: 'no schema' };
      for (const content of [undefined, {}] as const) expect(answerOf({ action: 'accept', content }, form(properties))).to.deep.equal({ action: 'accept', content: allDefaults });
    });

    it('keeps what was given, also what looks empty', () => {
      const content = { text: '', number: 0, boolean: true, multi: [], more: 'y' };
      expect(answerOf({ action: 'accept', content }, form(everyKind)).content).to.deep.equal({ ...allDefaults, ...content });
    });

    it('leaves a field empty that is undefined', () => {
      const { content } = answerOf({ action: 'accept', content: { text: undefined } }, form({ text: everyKind.text, number: everyKind.number }));
      expect(content).to.deep.equal({ number: 1.5 });
      expect(content).not.to.have.property('text');
    });

    it('takes names as data', () => {
      const properties = JSON.parse('{"__proto__":{"type":"string","default":"x"},"toString":{"type":"string","default":"y"}}') as object;
      const { content } = answerOf({ action: 'accept' }, form(properties));
      expect(Object.entries(content as object)).to.deep.equal([['__proto__', 'x'], ['toString', 'y']]);
    });

    for (const [title, requestedSchema] of [['no schema', undefined], ['a schema without fields', { type: 'object' }], ['fields that are none', { properties: [] }]] as const) {
      it(`survives ${title}`, () => {
        expect(answerOf({ action: 'accept', content: { a: 1 } }, { message: '', requestedSchema })).to.deep.equal({ action: 'accept', content: { a: 1 } });
      });
    }

    for (const action of ['decline', 'cancel'] as const) {
      it(`sends no content with ${action}`, () => {
        expect(answerOf({ action, content: { name: 'x' } })).to.deep.equal({ action });
      });
    }

    it('sends no content for a URL', () => {
      expect(answerOf({ action: 'accept', content: { name: 'x' }, _meta: { a: 1 } }, visit)).to.deep.equal({ action: 'accept', _meta: { a: 1 } });
    });

    it('is not asked in a mode that was not declared: -32602', () => {
      inVirtualTime((time) => {
        let asked = 0;
        const { client, server, errors } = readyClient(time, legacyScript(), [withElicitation(() => [{ action: asked++ === 0 ? 'accept' : 'cancel' }], { modes: ['form'] })]);
        server.peer.send(ask(visit, 1), ask({ ...form(), mode: 'telepathy' }, 2), ask({ ...form(), mode: 'form' }, 3));
        time.flush();
        expect(answersOf(server).map(({ id, error }) => [id, error?.code])).to.have.deep.members([[1, -32602], [2, -32602], [3, undefined]]);
        expect(asked).to.equal(1);
        expect(errors.values).to.deep.equal([]);
        void client.close();
      });
    });

    it('that fails answers -32603; the error reaches errors$', () => {
      inVirtualTime((time) => {
        const { client, server, errors } = readyClient(time, legacyScript(), [withElicitation(() => { throw new Error('secret'); })]);
        server.peer.send(ask());
        time.flush();
        expect(answersOf(server)).to.deep.equal([{ id: 's', error: { code: -32603, message: 'Internal error' } }]);
        expect(errors.values.map(String)).to.deep.equal(['Error: secret']);
        void client.close();
      });
    });
  });

  describe('as a stream', () => {
    /** A client with a user in front of it, who has seen these questions. */
    function user(time: Parameters<Parameters<typeof inVirtualTime>[0]>[0], script = legacyScript()) {
      const { client, server } = readyClient(time, script, [withElicitation('stream')]);
      const questions: PendingElicitation[] = [];
      const ends: string[] = [];
      const ends$ = client.elicitations$.pipe(
        tap((question) => questions.push(question)),
        mergeMap((question) => concat(question.ended$, ['|'])),
      );
      const listening = ends$.subscribe((how) => ends.push(how));
      return { client, server, questions, ends, listening };
    }

    const ways: [title: string, act: (question: PendingElicitation, content?: FormContent) => void, result: object][] = [
      ['accept() takes the defaults', (question) => { question.accept(); }, { action: 'accept', content: { name: 'Ada' } }],
      ['accept(content) takes what was given', (question) => { question.accept({ name: 'Bob' }); }, { action: 'accept', content: { name: 'Bob' } }],
      ['decline() says no', (question) => { question.decline(); }, { action: 'decline' }],
      ['cancel() walks away', (question) => { question.cancel(); }, { action: 'cancel' }],
    ];
    for (const [title, act, result] of ways) {
      it(`${title}, at any time; what comes later changes nothing`, () => {
        inVirtualTime((time) => {
          const { client, server, questions, ends } = user(time);
          server.peer.send(ask());
          time.at(3_600_000, () => {
            expect(questions.map(({ params }) => params)).to.deep.equal([form()]);
            expect(ends).to.deep.equal([]);
            act(questions[0]!);
            expect(ends).to.deep.equal(['answered', '|']);
            questions[0]!.accept({ name: 'late' });
            questions[0]!.decline();
            questions[0]!.cancel();
          });
          time.flush();
          expect(answersOf(server)).to.deep.equal([{ id: 's', result }]);
          expect(ends).to.deep.equal(['answered', '|']);
          expect(record(questions[0]!.ended$)).to.deep.include({ values: ['answered'], completed: 1 });
          void client.close();
        });
      });
    }

    it('a question that nobody listens to is cancelled', () => {
      inVirtualTime((time) => {
        const { client, server, questions, listening } = user(time);
        listening.unsubscribe();
        server.peer.send(ask());
        time.flush();
        expect(answersOf(server)).to.deep.equal([{ id: 's', result: { action: 'cancel' } }]);
        expect(questions).to.deep.equal([]);
        void client.close();
      });
    });

    it('whoever took a question may answer it after leaving', () => {
      inVirtualTime((time) => {
        const { client, server, questions, listening } = user(time);
        server.peer.send(ask());
        time.at(10, () => {
          listening.unsubscribe();
          questions[0]!.decline();
        });
        time.flush();
        expect(answersOf(server)).to.deep.equal([{ id: 's', result: { action: 'decline' } }]);
        void client.close();
      });
    });

    it('may be answered as it comes; of two listeners the first one counts', () => {
      inVirtualTime((time) => {
        const { client, server } = readyClient(time, legacyScript(), [withElicitation('stream')]);
        client.elicitations$.subscribe((question) => { question.decline(); });
        client.elicitations$.subscribe((question) => { question.accept(); });
        server.peer.send(ask(form(), 1), ask(form(), 2));
        time.flush();
        expect(answersOf(server)).to.deep.equal([1, 2].map((id) => ({ id, result: { action: 'decline' } })));
        void client.close();
      });
    });

    it('the server may withdraw one of its questions: it ends, and answers nothing', () => {
      inVirtualTime((time) => {
        const { client, server, questions, ends } = user(time);
        server.peer.send(ask(form(), 1), ask(form(), 2));
        time.at(10, () => server.peer.notify('notifications/cancelled', { requestId: 1 }));
        time.at(20, () => {
          expect(ends).to.deep.equal(['withdrawn', '|']);
          for (const question of questions) question.accept();
        });
        time.flush();
        expect(answersOf(server).map(({ id }) => id)).to.deep.equal([2]);
        expect(ends).to.deep.equal(['withdrawn', '|', 'answered', '|']);
        void client.close();
      });
    });

    it('ends with the client, and so do its questions, in both eras', () => {
      inVirtualTime((time) => {
        const asks = { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: form() } } };
        const legacy = user(time);
        const modern = user(time, modernScript({ 'tools/call': () => asks }));
        const streams = [legacy, modern].map(({ client }) => record(client.elicitations$));
        legacy.server.peer.send(ask());
        const call = record(modern.client.callTool('x'));
        time.at(10, () => {
          for (const { client, ends } of [legacy, modern]) {
            expect(ends).to.deep.equal([]);
            void client.close();
          }
        });
        time.flush();
        expect(legacy.ends).to.deep.equal(['withdrawn', '|']);
        expect(modern.ends).to.deep.equal(['withdrawn', '|']);
        expect(call.errors).to.have.length(1);
        for (const stream of streams) expect(stream.completed).to.equal(1);
      });
    });

    it('answers calls that ask for input, and tells which one', () => {
      inVirtualTime((time) => {
        const asks = { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: form() } } };
        const { client, server, questions } = user(time, modernScript({ 'tools/call': ({ params }) => (params.inputResponses === undefined ? asks : { content: [] }) }));
        const call = record(client.callTool('x', { a: 1 }));
        time.at(10, () => {
          expect(questions[0]?.origin).to.deep.include({ method: 'tools/call', params: { name: 'x', arguments: { a: 1 } } });
          questions[0]!.accept();
        });
        time.flush();
        expect(call.completed).to.equal(1);
        expect(server.peer.of('tools/call')[1].params.inputResponses).to.deep.equal({ a: { action: 'accept', content: { name: 'Ada' } } });
        void client.close();
      });
    });

    it('goes on over reconnects', () => {
      inVirtualTime((time) => {
        const { client, server, questions } = user(time);
        record(client.reconnect());
        time.flush();
        server.peer.send(ask());
        time.at(5, () => { questions[0]!.decline(); });
        time.flush();
        expect(server.peers).to.have.length(2);
        expect(answersOf(server)).to.deep.equal([{ id: 's', result: { action: 'decline' } }]);
        void client.close();
      });
    });
  });

  it('tells which visits to a URL are over', () => {
    inVirtualTime((time) => {
      const { client, server } = readyClient(time, legacyScript(), [withElicitation(() => [{ action: 'accept' }])]);
      const seen = record(client.elicitationsCompleted$);
      server.peer.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
      server.peer.notify('notifications/elicitation/complete', { elicitationId: 7 });
      server.peer.notify('notifications/elicitation/complete');
      server.peer.notify('notifications/x', { elicitationId: 'e2' });
      time.flush();
      expect(seen.values).to.deep.equal(['e1']);
      void client.close();
      time.flush();
      expect(seen.completed).to.equal(1);
    });
  });

  it('types what it adds', () => {
    const server = new ScriptedServer(legacyScript());
    const client = createClient(server.open, { features: [withElicitation(() => [])] });
    // @ts-expect-error the handler takes the questions
    expect(client.elicitations$).to.equal(undefined);
    client.close().subscribe();
  });
});

describe('requiredElicitations', () => {
  const required = (elicitations: unknown) => new RpcError(-32042, 'needed', { elicitations });

  it('gives what is to be visited first, and nothing for other errors', () => {
    expect(requiredElicitations(required([visit]))).to.deep.equal([visit]);
    expect(requiredElicitations(required([null, { mode: 'form' }, { mode: 'url' }, visit, 'x']))).to.deep.equal([visit]);
    for (const other of [required({}), new RpcError(-32042, 'no data'), new RpcError(-32603, 'x', { elicitations: [visit] }), new Error('x'), undefined]) {
      expect(requiredElicitations(other)).to.deep.equal([]);
    }
  });

  it('lets a call be made again once the visits are over', () => {
    inVirtualTime((time) => {
      let visited = false;
      const script = legacyScript({
        'tools/call': () => {
          if (!visited) throw new Refusal(-32042, 'needed', { elicitations: [visit] });
          return { content: [] };
        },
      });
      const { client, server } = readyClient(time, script, [withElicitation('stream')]);
      const visits: string[] = [];
      const over$ = ({ url, elicitationId }: ElicitUrlParams) => {
        visits.push(url); // here the user is asked, and the URL opened
        return client.elicitationsCompleted$.pipe(filter((id) => id === elicitationId), take(1));
      };
      const delay = (error: unknown) => {
        const needed = requiredElicitations(error);
        return needed.length > 0 ? forkJoin(needed.map(over$)) : throwError(() => error);
      };
      const seen = record(client.callTool('report').pipe(retry({ delay })));
      time.at(60_000, () => {
        visited = true;
        server.peer.notify('notifications/elicitation/complete', { elicitationId: 'another' });
        expect(server.peer.of('tools/call')).to.have.length(1);
        server.peer.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
      });
      time.flush();
      expect(visits).to.deep.equal(['https://example.com/in']);
      expect(seen).to.deep.include({ values: [{ content: [] }], errors: [] });
      void client.close();
    });
  });
});
