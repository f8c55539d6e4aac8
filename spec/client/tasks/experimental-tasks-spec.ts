import { expect } from 'chai';
import { map, of, take, timer } from 'rxjs';
import type { ClientFeature } from '../../../lib/client/feature.ts';
import { RpcError } from '../../../lib/errors.ts';
import { TaskError, TaskLostError, TaskNotFoundError, withElicitation, withTasks } from '../../../lib/index.ts';
import { legacyScript, Refusal, type Reaction, type Script } from '../../support/peer.ts';
import { inVirtualTime, record, type VirtualTime } from '../../support/test-scheduler.ts';
import { answersOf, form, readyClient } from '../input/ready-client.ts';
import { brief } from './task-server.ts';

const POLL_MS = 1_000;
const RELATED = { 'io.modelcontextprotocol/related-task': { taskId: 't' } };
const RESULT = { content: [{ type: 'text', text: 'done' }], _meta: RELATED };
const CAPABILITIES = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

const tool = (name: string, taskSupport?: string) => ({ name, inputSchema: { type: 'object' }, ...(taskSupport !== undefined && { execution: { taskSupport } }) });
const TOOLS = [tool('must', 'required'), tool('may', 'optional'), tool('not', 'forbidden'), tool('plain')];
const state = (status: string, statusMessage?: string) => ({ taskId: 't', status, createdAt: 'c', lastUpdatedAt: 'u', ttl: 5_000, pollInterval: POLL_MS, ...(statusMessage !== undefined && { statusMessage }) });

const greet =
  (capabilities: object, protocolVersion = '2025-11-25'): Reaction =>
  () => ({ protocolVersion, capabilities, serverInfo: { name: 'legacy', version: '1' } });

interface Options {
  readonly more?: Script;
  readonly features?: readonly ClientFeature[];
  readonly capabilities?: object;
  readonly revision?: string;
}

/** A client of a server whose task goes through these states, one with each poll, and stays in the last. */
function clientOf(time: VirtualTime, states: readonly object[], { more = {}, features = [], capabilities = CAPABILITIES, revision }: Options = {}) {
  let at = 0;
  const script = legacyScript({
    initialize: greet(capabilities, revision),
    'tools/list': () => ({ tools: TOOLS }),
    'tools/call': ({ params }) => (params.task === undefined ? { content: [{ type: 'text', text: 'plain' }] } : { task: state('working') }),
    'tasks/get': () => states[Math.min(at++, states.length - 1)],
    'tasks/result': () => RESULT,
    'tasks/cancel': () => state('cancelled'),
    ...more,
  });
  return readyClient(time, script, [withTasks(), ...features] as const);
}

const DONE = [state('working', 'half'), state('completed')];
const OPENING = ['server/discover', 'initialize', 'notifications/initialized'];

describe('tasks of 2025-11-25', () => {
  it('are asked for where the tool insists on one, and their result is fetched', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, DONE);
      const seen = record(client.callTool('must', { a: 1 }));
      time.flush();
      expect(seen).to.deep.include({ values: [RESULT], completed: 1, errors: [] });
      expect(server.methods).to.deep.equal([...OPENING, 'tools/list', 'tools/call', 'tasks/get', 'tasks/get', 'tasks/result']);
      expect(server.peer.of('tools/call')[0].params).to.deep.equal({ name: 'must', arguments: { a: 1 }, task: {} });
      for (const method of ['tasks/get', 'tasks/result']) expect(server.peer.of(method)[0].params).to.deep.equal({ taskId: 't' });
      void client.close();
    });
  });

  it('tell their states in one form with those of the extension', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, DONE);
      const seen = record(client.callToolAsTask('may', {}, { ttlMs: 9_000 }));
      time.flush();
      expect(seen.values.map(brief)).to.deep.equal(['working', 'working half', 'completed', 'result done']);
      expect(seen.values[1]).to.deep.equal({ type: 'task', task: { taskId: 't', status: 'working', statusMessage: 'half', createdAt: 'c', lastUpdatedAt: 'u', ttlMs: 5_000, pollIntervalMs: POLL_MS } });
      expect(server.peer.of('tools/call')[0].params.task).to.deep.equal({ ttl: 9_000 });
      void client.close();
    });
  });

  for (const [name, how, expected] of [
    ['must', 'callTool', 'done'],
    ['may', 'callTool', 'plain'],
    ['not', 'callTool', 'plain'],
    ['plain', 'callTool', 'plain'],
    ['unlisted', 'callTool', 'plain'],
    ['must', 'callToolAsTask', 'done'],
    ['may', 'callToolAsTask', 'done'],
    ['not', 'callToolAsTask', 'plain'],
    ['plain', 'callToolAsTask', 'plain'],
    ['unlisted', 'callToolAsTask', 'plain'],
  ] as const) {
    it(`${how}() of the tool "${name}" gives what is ${expected}`, () => {
      inVirtualTime((time) => {
        const { client } = clientOf(time, DONE);
        const seen = record<any>(client[how](name));
        time.flush();
        const last = seen.values.at(-1);
        expect((last.result ?? last).content[0].text).to.equal(expected);
        void client.close();
      });
    });
  }

  for (const [what, options] of [
    ['does not declare tasks', { capabilities: { tools: {} } }],
    ['does not declare them for tools', { capabilities: { tools: {}, tasks: { list: {} } } }],
    ['speaks an older revision', { revision: '2025-06-18' }],
  ] as const) {
    it(`are not asked for where the server ${what}, and no list is fetched`, () => {
      inVirtualTime((time) => {
        const { client, server } = clientOf(time, DONE, options);
        const seen = record(client.callToolAsTask('must'));
        time.flush();
        expect(seen.values.map(brief)).to.deep.equal(['result plain']);
        expect(server.methods).to.deep.equal([...OPENING, 'tools/call']);
        void client.close();
      });
    });
  }

  it('need one list for many calls, none after one that was asked for, and a new one after a change', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, DONE);
      const lists = () => server.methods.filter((method) => method === 'tools/list').length;
      for (const name of ['plain', 'must', 'unlisted']) record(client.callTool(name));
      time.flush();
      for (const name of ['plain', 'unlisted']) record(client.callTool(name));
      time.flush();
      expect(lists()).to.equal(1);
      server.peer.notify('notifications/tools/list_changed');
      time.flush();
      record(client.listTools());
      time.flush();
      expect(lists()).to.equal(2);
      record(client.callTool('must'));
      time.flush();
      expect(lists()).to.equal(2);
      server.peer.notify('notifications/tools/list_changed');
      time.flush();
      record(client.callTool('must'));
      time.flush();
      expect(lists()).to.equal(3);
      void client.close();
    });
  });

  it('are known from a list that another feature answers', () => {
    inVirtualTime((time) => {
      const remembering: ClientFeature = {
        name: 'remembering',
        intercept: (call, next) => (call.method === 'tools/list' ? of({ type: 'result', result: { tools: TOOLS } }) : next(call)),
      };
      const script = legacyScript({
        initialize: greet(CAPABILITIES),
        'tools/call': ({ params }) => (params.task === undefined ? {} : { task: state('completed') }),
        'tasks/get': () => state('completed'),
        'tasks/result': () => RESULT,
      });
      const { client } = readyClient(time, script, [remembering, withTasks()] as const);
      const seen = record(client.callTool('must'));
      time.flush();
      expect(seen.values).to.deep.equal([RESULT]);
      void client.close();
    });
  });

  it('are not asked for when the list fails: the call shows what is wrong', () => {
    inVirtualTime((time) => {
      const refuse = () => {
        throw new Refusal(-32603, 'no list');
      };
      const { client } = clientOf(time, DONE, { more: { 'tools/list': refuse } });
      const seen = record(client.callTool('must'));
      time.flush();
      expect(seen.values).to.deep.equal([{ content: [{ type: 'text', text: 'plain' }] }]);
      void client.close();
    });
  });

  it('of a server that answers without one are results', () => {
    inVirtualTime((time) => {
      const { client } = clientOf(time, DONE, { more: { 'tools/call': () => RESULT } });
      const seen = record(client.callTool('must'));
      time.flush();
      expect(seen.values).to.deep.equal([RESULT]);
      void client.close();
    });
  });

  it('that the caller asks for in the params are left to the caller; so is a result with a field task', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, DONE, { more: { 'tools/call': ({ params }) => ({ task: state('working'), given: params.task ?? null }) } });
      const byHand = record(client.request('tools/call', { name: 'must', task: { ttl: 1 } }));
      const plain = record(client.callTool('plain'));
      time.flush();
      expect(byHand.values).to.deep.equal([{ task: state('working'), given: { ttl: 1 } }]);
      expect(plain.values).to.deep.equal([{ task: state('working'), given: null }]);
      expect(server.methods).to.not.include('tasks/get');
      void client.close();
    });
  });

  describe('that end otherwise', () => {
    it('failed, with a result that says isError, give it', () => {
      inVirtualTime((time) => {
        const { client } = clientOf(time, [state('failed')], { more: { 'tasks/result': () => ({ ...RESULT, isError: true }) } });
        const seen = record(client.callTool('must'));
        time.flush();
        expect(seen.values).to.deep.equal([{ ...RESULT, isError: true }]);
        void client.close();
      });
    });

    it('failed, with an error, are that error', () => {
      inVirtualTime((time) => {
        const refuse = () => {
          throw new Refusal(-32099, 'Broken');
        };
        const { client, server } = clientOf(time, [state('failed', 'It broke')], { more: { 'tasks/result': refuse } });
        const seen = record(client.callTool('must'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskError).and.include({ taskId: 't', status: 'failed', statusMessage: 'It broke' });
        expect(seen.errors[0].cause).to.be.instanceOf(RpcError).and.include({ code: -32099 });
        expect(server.methods).to.not.include('tasks/cancel');
        void client.close();
      });
    });

    it('cancelled, are an error, and no result is asked for', () => {
      inVirtualTime((time) => {
        const { client, server } = clientOf(time, [state('cancelled', 'Enough')]);
        const seen = record(client.callTool('must'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskError).and.include({ status: 'cancelled', statusMessage: 'Enough' });
        expect(server.methods).to.not.include('tasks/result').and.not.include('tasks/cancel');
        void client.close();
      });
    });

    it('completed, while the result has expired, are not found', () => {
      inVirtualTime((time) => {
        const refuse = () => {
          throw new Refusal(-32602, 'Task has expired');
        };
        const { client } = clientOf(time, DONE, { more: { 'tasks/result': refuse } });
        const seen = record(client.callTool('must'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskNotFoundError);
        void client.close();
      });
    });
  });

  it('whose result gets lost on its way have it asked for again', () => {
    inVirtualTime((time) => {
      let n = 0;
      const { client } = clientOf(time, DONE, { more: { 'tasks/result': () => (n++ === 0 ? undefined : RESULT) } });
      const seen = record(client.callTool('must', {}, { timeoutMs: 500 }));
      time.flush();
      expect([seen.completed, n]).to.deep.equal([1, 2]);
      void client.close();
    });
  });

  describe('that need input', () => {
    /** Asks while `tasks/result` is waited for, as the revision has it, and goes on when it has its answer. */
    function asking(time: VirtualTime, features: readonly ClientFeature[], endsWith: 'working' | 'completed') {
      let current = state('input_required');
      let waits: unknown;
      const more: Script = {
        'tasks/get': () => current,
        'tasks/result': ({ id }, peer) => {
          if (current.status === 'completed') return RESULT;
          waits = id;
          peer.send({ id: 'q', method: 'elicitation/create', params: { ...form(), _meta: RELATED } });
          return undefined;
        },
      };
      const ready = clientOf(time, [], { more, features });
      const answered = () => {
        current = state(endsWith);
        if (endsWith === 'completed') ready.server.peer.result(waits, RESULT);
      };
      return { ...ready, answered, complete: () => (current = state('completed')) };
    }

    it('are asked for their result, and the answer names the task', () => {
      inVirtualTime((time) => {
        const { client, server, answered } = asking(time, [withElicitation(() => timer(10_000).pipe(map(() => ({ action: 'accept', content: { name: 'Ada' } }))))], 'completed');
        const seen = record(client.callToolAsTask('must'));
        time.at(92_500, answered);
        time.flush();
        expect(seen.values.map(brief)).to.deep.equal(['working', 'input_required', 'result done']);
        expect(answersOf(server)).to.deep.equal([{ id: 'q', result: { action: 'accept', content: { name: 'Ada' }, _meta: RELATED } }]);
        expect(server.methods.filter((method) => method === 'tasks/result')).to.have.length(1); // however long it took
        expect(server.methods).to.not.include('tasks/cancel');
        void client.close();
      });
    });

    it('and go back to work are polled again, the request for the result ended', () => {
      inVirtualTime((time) => {
        const { client, server, answered, complete } = asking(time, [withElicitation(() => [{ action: 'decline' }])], 'working');
        const seen = record(client.callToolAsTask('must'));
        time.at(2_500, answered);
        time.at(5_500, complete);
        time.flush();
        expect(seen.values.map(brief)).to.deep.equal(['working', 'input_required', 'working', 'completed', 'result done']);
        const [first, second, more] = server.peer.of('tasks/result');
        expect([server.peer.of('notifications/cancelled').map(({ params }) => params.requestId), more]).to.deep.equal([[first.id], undefined]);
        expect(second.id).not.to.equal(first.id);
        void client.close();
      });
    });

    it('are polled on where the server refuses to wait', () => {
      inVirtualTime((time) => {
        let n = 0;
        const refuse = () => {
          if (n++ > 0) return RESULT;
          throw new Refusal(-32602, 'Not completed yet');
        };
        const { client } = clientOf(time, [state('input_required'), state('input_required'), state('completed')], { more: { 'tasks/result': refuse } });
        const seen = record(client.callTool('must'));
        time.flush();
        expect([seen.completed, n]).to.deep.equal([1, 2]);
        void client.close();
      });
    });
  });

  it('progress comes on the way for as long as the task lasts', () => {
    inVirtualTime((time) => {
      const told: number[] = [];
      const { client, server, errors } = clientOf(time, [state('working'), ...DONE]);
      const onProgress = ({ progress }: { progress: number }) => {
        told.push(progress);
        if (progress === 2) throw new Error('of the caller');
      };
      const seen = record(client.callToolAsTask('must', {}, { onProgress }));
      const tell = (progress: number, more: object = {}) => {
        const [{ params }] = server.peer.of('tools/call');
        server.peer.notify('notifications/progress', { progressToken: params._meta.progressToken, progress, ...more });
      };
      time.at(500, () => {
        tell(1);
      });
      time.at(1_500, () => {
        tell(2);
      });
      time.at(1_600, () => {
        tell(3, { progressToken: 'of another' });
      });
      time.at(9_000, () => {
        tell(4);
      });
      time.flush();
      expect(seen.values.map((event) => (event.type === 'progress' ? event.progress.progress : event.type))).to.deep.equal(['task', 1, 2, 'task', 'task', 'result']);
      expect([told, errors.values.map(String)]).to.deep.equal([[1, 2], ['Error: of the caller']]);
      void client.close();
    });
  });

  it('notifications count as polls', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, [state('working')]);
      const seen = record(client.callToolAsTask('must'));
      time.at(700, () => server.peer.notify('notifications/tasks/status', state('working', 'half')));
      time.at(1_400, () => server.peer.notify('notifications/tasks/status', state('completed')));
      time.flush();
      expect(seen.values.map(brief)).to.deep.equal(['working', 'working half', 'completed', 'result done']);
      expect(server.methods).to.not.include('tasks/get');
      void client.close();
    });
  });

  it('are cancelled on unsubscribe, and left alone with cancel: local', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, [state('working')]);
      const seen = [record(client.callTool('must')), record(client.callTool('must', {}, { cancel: 'local' }))];
      time.at(2_500, () => {
        for (const one of seen) one.unsubscribe();
      });
      time.flush();
      expect(server.peer.of('tasks/cancel').map(({ params }) => params)).to.deep.equal([{ taskId: 't' }]);
      expect(server.methods.at(-1)).to.equal('tasks/cancel');
      void client.close();
    });
  });

  for (const [cancel, expected] of [
    ['server', ['tasks/cancel']],
    ['local', []],
  ] as const) {
    it(`that are given up before they have an id are ${cancel === 'server' ? 'cancelled when they have one' : 'left alone'}, by no other message`, () => {
      inVirtualTime((time) => {
        const { client, server } = clientOf(time, [state('working')], { more: { 'tools/call': () => undefined } });
        const seen = record(client.callTool('must', {}, { cancel }));
        time.at(100, () => {
          seen.unsubscribe();
        });
        time.at(200, () => server.peer.result(server.peer.of('tools/call')[0].id, { task: state('working') }));
        time.flush();
        expect(server.methods.slice(OPENING.length)).to.deep.equal(['tools/list', 'tools/call', ...expected]);
        expect(seen.values).to.deep.equal([]);
        void client.close();
      });
    });
  }

  it('that are aborted before they have an id are cancelled when they have one', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, [], { more: { 'tools/call': () => undefined } });
      const seen = record(client.callTool('must', {}, { abort$: timer(100) }));
      time.at(200, () => server.peer.result(server.peer.of('tools/call')[0].id, { task: state('working') }));
      time.flush();
      expect(seen.errors[0]).to.include({ name: 'AbortError' });
      expect(server.methods.slice(OPENING.length)).to.deep.equal(['tools/list', 'tools/call', 'tasks/cancel']);
      void client.close();
    });
  });

  it('are looked up afresh on a new connection', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, DONE);
      record(client.callTool('must'));
      time.flush();
      record(client.reconnect());
      time.flush();
      record(client.callTool('must'));
      time.flush();
      expect(server.methods.filter((method) => method === 'tools/list')).to.have.length(2);
      void client.close();
    });
  });

  for (const [what, answer] of [
    ['refused', { error: { code: -32603, message: 'no' } }],
    ['answered without a task', { result: { content: [] } }],
    ['answered with none that can be told', { result: { task: {} } }],
    ['never answered', undefined],
  ] as const) {
    it(`that are given up and then ${what} leave nothing behind`, () => {
      inVirtualTime((time) => {
        const { client, server, errors } = clientOf(time, [], { more: { 'tools/call': () => undefined } });
        const seen = record(client.callTool('must'));
        time.at(100, () => {
          seen.unsubscribe();
        });
        if (answer !== undefined) time.at(200, () => server.peer.send({ id: server.peer.of('tools/call')[0].id, ...answer }));
        time.flush();
        expect(server.methods.slice(OPENING.length)).to.deep.equal(['tools/list', 'tools/call']);
        expect([seen.errors, errors.values]).to.deep.equal([[], []]);
        void client.close();
      });
    });
  }

  it('are taken up by id', () => {
    inVirtualTime((time) => {
      const { client, server } = clientOf(time, DONE);
      const seen = record(client.task('t'));
      time.flush();
      expect(seen.values.map(brief)).to.deep.equal(['working half', 'completed', 'result done']);
      expect(server.methods).to.not.include('tools/call');
      void client.close();
    });
  });

  it('cannot be taken up where there are none: the error says which and why', () => {
    inVirtualTime((time) => {
      const refuse = () => {
        throw new Refusal(-32601, 'Method not found');
      };
      const { client } = clientOf(time, [], { more: { 'tasks/get': refuse }, revision: '2025-03-26' });
      const seen = record(client.task('t'));
      time.flush();
      expect(seen.errors[0]).to.be.instanceOf(TaskLostError).and.include({ taskId: 't' }).with.property('cause').that.includes({ code: -32601 });
      void client.close();
    });
  });

  it('are listed, page by page, each once', () => {
    inVirtualTime((time) => {
      const pages: Record<string, object> = {
        first: { tasks: [state('working'), { ...state('completed'), taskId: 'u' }], nextCursor: 'second' },
        second: { tasks: [state('working'), { ...state('failed'), taskId: 'v', ttl: null }, null] },
      };
      const { client } = clientOf(time, [], { more: { 'tasks/list': ({ params }) => pages[params?.cursor ?? 'first'] } });
      const all = record(client.listTasks());
      const first = record(client.listTasks({ observe: 'items' }).pipe(take(1)));
      time.flush();
      expect(all.values.map((tasks) => tasks.map(({ taskId, status, ttlMs }) => [taskId, status, ttlMs]))).to.deep.equal([
        [
          ['t', 'working', 5_000],
          ['u', 'completed', 5_000],
          ['v', 'failed', null],
        ],
      ]);
      expect(first.values.map(({ taskId }) => taskId)).to.deep.equal(['t']);
      void client.close();
    });
  });

  it('are cancelled by id; a refusal is the error', () => {
    inVirtualTime((time) => {
      let n = 0;
      const cancel = () => {
        if (n++ === 0) return state('cancelled');
        throw new Refusal(-32602, 'Already cancelled');
      };
      const { client } = clientOf(time, [], { more: { 'tasks/cancel': cancel } });
      const both = [record(client.cancelTask('t')), record(client.cancelTask('t'))];
      time.flush();
      expect(both[0]).to.deep.include({ values: [], completed: 1, errors: [] });
      expect(both[1]!.errors[0]).to.be.instanceOf(RpcError).and.include({ code: -32602 });
      void client.close();
    });
  });
});
