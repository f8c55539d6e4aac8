import { expect } from 'chai';
import { map, mergeMap, NEVER, Subject, take, tap, timer } from 'rxjs';
import { ConfigError, ConnectionClosedError, NotConnectedError, ProtocolError, RequestTimeoutError, RpcError } from '../../../lib/errors.ts';
import { InputNotSupportedError, TaskError, TaskLostError, TaskNotFoundError, withElicitation, withOutputValidation, withTasks, type OutputValidation, type PendingElicitation } from '../../../lib/index.ts';
import { provideLazyModules } from '../../../lib/testing/lazy-modules.ts';
import type { Reaction } from '../../support/peer.ts';
import { Refusal } from '../../support/peer.ts';
import { inVirtualTime, record } from '../../support/test-scheduler.ts';
import { readyClient } from '../input/ready-client.ts';
import { brief, POLL_MS, taskClient, taskScript } from './task-server.ts';

const EVENTS = { observe: 'events' } as const;
const working = (more: object = {}) => ({ taskId: 'task-1', status: 'working', createdAt: 'c', lastUpdatedAt: 'u', ttlMs: null, pollIntervalMs: POLL_MS, ...more });
const created = (more: object = {}): Reaction => () => ({ resultType: 'task', ...working(more) });
const silence: Reaction = () => undefined;

describe('tasks of the extension', () => {
  it('are polled at the interval of the server, until the result is there', () => {
    inVirtualTime((time) => {
      const { client, server, tasks } = taskClient(time);
      const start = time.now();
      const seen = record(client.callTool('work', { steps: 3 }));
      time.flush();
      expect(seen.values).to.deep.equal([{ content: [{ type: 'text', text: 'worked' }], structuredContent: { steps: 3 } }]);
      expect(seen).to.deep.include({ completed: 1, errors: [] });
      expect(seen.endedAt! - start - 3 * POLL_MS).to.be.within(-POLL_MS, 5); // `record` counts from its own start
      expect(server.methods).to.deep.equal(['server/discover', 'tools/call', 'tasks/get', 'tasks/get', 'tasks/get']);
      expect(tasks.counts).to.deep.include({ started: 1, polls: 3, cancelled: [], declined: 0 });
      void client.close();
    });
  });

  it('tell each of their states once, the first with the id', () => {
    inVirtualTime((time) => {
      const { client } = taskClient(time);
      const seen = record(client.callToolAsTask('work', { steps: 3 }));
      time.flush();
      expect(seen.values.map(brief)).to.deep.equal(['working step 0', 'working step 1', 'working step 2', 'completed step 2', 'result worked']);
      expect(seen.values[0]).to.deep.equal({
        type: 'task',
        task: { taskId: 'task-1', status: 'working', statusMessage: 'step 0', createdAt: '1970-01-01T00:00:00.000Z', lastUpdatedAt: '1970-01-01T00:00:00.000Z', ttlMs: 60_000, pollIntervalMs: POLL_MS },
      });
      expect(seen.times.map((ms) => Math.round(ms / POLL_MS))).to.deep.equal([0, 1, 2, 3, 3]);
      void client.close();
    });
  });

  it('are none where the server answers at once', () => {
    inVirtualTime((time) => {
      const { client, server } = taskClient(time);
      const seen = record(client.callToolAsTask('plain'));
      time.flush();
      expect(seen.values.map(brief)).to.deep.equal(['result plain']);
      expect(server.methods).to.not.include('tasks/get');
      void client.close();
    });
  });

  it('begin anew with each subscription', () => {
    inVirtualTime((time) => {
      const { client, tasks } = taskClient(time);
      const call$ = client.callTool('work');
      const both = [record(call$), record(call$)];
      time.flush();
      for (const { completed } of both) expect(completed).to.equal(1);
      expect(tasks.counts.started).to.equal(2);
      void client.close();
    });
  });

  for (const [pollIntervalMs, option, expected] of [
    [undefined, undefined, 1_000],
    [undefined, 300, 300],
    [0, undefined, 100],
    [-5, undefined, 100],
    ['soon', 300, 300],
    [2 ** 40, undefined, 2 ** 31 - 1],
  ] as const) {
    it(`poll every ${expected} ms when the interval is ${pollIntervalMs} and the option ${option}`, () => {
      inVirtualTime((time) => {
        const times: number[] = [];
        const { client } = taskClient(time, {
          tasks: { pollIntervalMs: option },
          more: {
            'tools/call': created({ pollIntervalMs }),
            'tasks/get': () => {
              times.push(time.now());
              return working({ pollIntervalMs, ...(times.length === 2 && { status: 'completed', result: { content: [] } }) });
            },
          },
        });
        const seen = record(client.callTool('x'));
        time.flush();
        expect(seen.completed).to.equal(1);
        expect(times[1]! - times[0]!).to.be.within(expected, expected + 5);
        void client.close();
      });
    });
  }

  it('follow an interval that changes', () => {
    inVirtualTime((time) => {
      const times: number[] = [];
      const states = [working({ pollIntervalMs: 5_000 }), working({ pollIntervalMs: 200 }), working({ status: 'completed', result: { content: [] } })];
      const { client } = taskClient(time, { more: { 'tools/call': created(), 'tasks/get': () => (times.push(time.now()), states[times.length - 1]) } });
      record(client.callTool('x'));
      time.flush();
      expect(times.slice(1).map((ms, n) => Math.round((ms - times[n]!) / 100))).to.deep.equal([50, 2]);
      void client.close();
    });
  });

  it('whose result says isError are results', () => {
    inVirtualTime((time) => {
      const { client } = taskClient(time);
      const seen = record(client.callTool('tool-error'));
      time.flush();
      expect(seen.values).to.deep.equal([{ content: [{ type: 'text', text: 'no luck' }], isError: true }]);
      void client.close();
    });
  });

  it('that fail are an error with their state and that of the server', () => {
    inVirtualTime((time) => {
      const { client, tasks } = taskClient(time);
      const { errors } = record(client.callTool('fail'));
      time.flush();
      expect(errors[0]).to.be.instanceOf(TaskError).and.include({ taskId: 'task-1', status: 'failed', statusMessage: 'It broke', message: 'Task task-1 failed: It broke' });
      expect(errors[0].cause).to.be.instanceOf(RpcError).and.include({ code: -32603, detail: 'API rate limit exceeded' });
      expect(tasks.counts.cancelled).to.deep.equal([]);
      void client.close();
    });
  });

  it('that somebody cancels are an error', () => {
    inVirtualTime((time) => {
      const { client, tasks } = taskClient(time);
      const seen = record(client.callTool('forever'));
      time.at(2_500, () => record(client.cancelTask('task-1')));
      time.flush();
      expect(seen.errors[0]).to.be.instanceOf(TaskError).and.include({ status: 'cancelled', message: 'Task task-1 was cancelled: As the client wished' });
      expect(tasks.counts.cancelled).to.deep.equal(['task-1']);
      void client.close();
    });
  });

  for (const [what, state] of [
    ['without a result', { status: 'completed' }],
    ['with a result that is none', { status: 'completed', result: 'text' }],
  ] as const) {
    it(`that are completed ${what} are an error`, () => {
      inVirtualTime((time) => {
        const { client, server } = taskClient(time, { more: { 'tools/call': created(), 'tasks/get': () => working(state) } });
        const seen = record(client.callTool('x'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(ProtocolError);
        expect(server.methods).to.not.include('tasks/cancel');
        void client.close();
      });
    });
  }

  it('without an id are an error', () => {
    inVirtualTime((time) => {
      const { client } = taskClient(time, { more: { 'tools/call': created({ taskId: undefined }) } });
      const seen = record(client.callTool('x'));
      time.flush();
      expect(seen.errors[0]).to.be.instanceOf(ProtocolError);
      void client.close();
    });
  });

  it('are refused as the answer to anything but a tool', () => {
    inVirtualTime((time) => {
      const { client } = taskClient(time, { more: { 'prompts/get': created() } });
      const seen = record(client.getPrompt('x'));
      time.flush();
      expect(seen.errors[0]).to.be.instanceOf(ProtocolError);
      void client.close();
    });
  });

  it('of a server that calls the answer to tasks/get a task too, as the text of the extension does once', () => {
    inVirtualTime((time) => {
      const { client } = taskClient(time, { more: { 'tools/call': created(), 'tasks/get': () => ({ ...working(), resultType: 'task', status: 'completed', result: { content: [] } }) } });
      const seen = record(client.callTool('x'));
      time.flush();
      expect(seen.values).to.deep.equal([{ content: [] }]);
      void client.close();
    });
  });

  before(provideLazyModules);

  for (const [where, expected] of [
    ['before', 1],
    ['behind', 0],
  ] as const) {
    it(`leave ${expected} problem to output validation that stands ${where} them`, () => {
      inVirtualTime((time) => {
        const tools = [{ name: 'work', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['missing'] } }];
        const { script } = taskScript({ 'tools/list': () => ({ tools }) });
        const validation = withOutputValidation();
        const { client } = readyClient(time, script, where === 'before' ? ([validation, withTasks()] as const) : ([withTasks(), validation] as const));
        const problems = record((client as unknown as OutputValidation).outputProblems$);
        record(client.listTools());
        time.flush();
        const seen = record(client.callTool('work'));
        time.flush();
        expect(seen.completed).to.equal(1);
        expect(problems.values.map(({ message }) => message)).to.have.length(expected); // of the result, never of the handle
        void client.close();
      });
    });
  }

  describe('unsubscribing', () => {
    it('cancels the task once, and nothing is asked any more', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time);
        const seen = record(client.callTool('forever'));
        time.at(2_500, () => {
          seen.unsubscribe();
        });
        time.flush();
        expect(tasks.counts).to.deep.include({ polls: 2, cancelled: ['task-1'] });
        expect(server.methods.at(-1)).to.equal('tasks/cancel');
        expect(tasks.isIdle()).to.equal(true);
        expect(seen).to.deep.include({ completed: 0, errors: [] });
        void client.close();
      });
    });

    it("only detaches with cancel: 'local'", () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        const seen = record(client.callToolAsTask('forever', {}, { cancel: 'local' }));
        time.at(2_500, () => {
          seen.unsubscribe();
        });
        time.flush();
        expect(tasks.counts).to.deep.include({ polls: 2, cancelled: [] });
        void client.close();
      });
    });

    it('after the result cancels nothing', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        const seen = record(client.callTool('work').pipe(take(1)));
        time.flush();
        expect([seen.completed, tasks.counts.cancelled]).to.deep.equal([1, []]);
        void client.close();
      });
    });

    it('inside the very first state cancels too, and asks for nothing', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        record(client.callToolAsTask('forever').pipe(take(1)));
        time.flush();
        expect(tasks.counts).to.deep.include({ polls: 0, cancelled: ['task-1'] });
        void client.close();
      });
    });

    it('before there is a task cancels the call', () => {
      inVirtualTime((time) => {
        const { client, server } = taskClient(time, { more: { 'tools/call': silence } });
        const seen = record(client.callTool('forever'));
        time.at(10, () => {
          seen.unsubscribe();
        });
        time.flush();
        expect(server.methods.slice(1)).to.deep.equal(['tools/call', 'notifications/cancelled']);
        void client.close();
      });
    });

    it('is not spoilt by a server that refuses to cancel', () => {
      inVirtualTime((time) => {
        const refuse = () => {
          throw new Refusal(-32602, 'It is over');
        };
        const { client, errors } = taskClient(time, { more: { 'tasks/cancel': refuse } });
        const seen = record(client.callTool('forever'));
        time.at(10, () => {
          seen.unsubscribe();
        });
        time.flush();
        expect(errors.values).to.deep.equal([]);
        void client.close();
      });
    });
  });

  describe('giving up', () => {
    for (const when of [500, 1_001]) {
      it(`with a reason of the caller's, after ${when} ms, cancels with it`, () => {
        inVirtualTime((time) => {
          const reason = new Error('enough');
          const { client, tasks } = taskClient(time, { more: (real) => ({ 'tasks/get': (message) => (when > 1_000 ? undefined : real.answer(message)) }) });
          const abort = new AbortController();
          const seen = record(client.callTool('forever', {}, { signal: abort.signal }));
          time.at(when, () => {
            abort.abort(reason);
          });
          time.flush();
          expect(seen.errors).to.deep.equal([reason]);
          expect(seen.endedAt).to.be.within(when, when + 2);
          expect(tasks.counts.cancelled).to.deep.equal(['task-1']);
          void client.close();
        });
      });
    }

    it('of a task that was taken up', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        record(client.callToolAsTask('forever', {}, { cancel: 'local' }).pipe(take(1)));
        time.flush();
        const seen = record(client.task('task-1', { abort$: timer(1_500) }));
        time.flush();
        expect(seen.errors[0]).to.include({ name: 'AbortError' });
        expect(tasks.counts.cancelled).to.deep.equal(['task-1']);
        void client.close();
      });
    });

    it('for lack of time: no deadline of one request ends a task, maxTotalTimeoutMs does', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        const patient = record(client.callTool('work', { steps: 400 }, { timeoutMs: 50 }));
        const bounded = record(client.callTool('forever', {}, { timeoutMs: 50, maxTotalTimeoutMs: 90_500 }));
        time.flush();
        expect(patient.completed).to.equal(1);
        expect(bounded.errors[0]).to.be.instanceOf(RequestTimeoutError).and.include({ method: 'tools/call', timeoutMs: 90_500 });
        expect(bounded.endedAt).to.be.within(90_499, 90_501);
        expect(tasks.counts.cancelled).to.deep.equal(['task-2']);
        void client.close();
      });
    });

    it('counting from the call, not from the task', () => {
      inVirtualTime((time) => {
        const { client, server } = taskClient(time, { more: { 'tools/call': silence, 'tasks/get': () => working() } });
        const seen = record(client.callTool('forever', {}, { maxTotalTimeoutMs: 4_500 }));
        time.at(3_000, () => server.peer.result(server.peer.of('tools/call')[0].id, { resultType: 'task', ...working() }));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(RequestTimeoutError).and.include({ timeoutMs: 4_500 });
        expect(seen.endedAt).to.be.within(4_499, 4_501);
        void client.close();
      });
    });

    it('because the client is closed: at once, between two polls, and the task goes on', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        const seen = record(client.callTool('forever'));
        time.at(1_500, () => client.close());
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(ConnectionClosedError);
        expect(seen.endedAt).to.be.within(1_499, 1_501);
        expect(tasks.counts.cancelled).to.deep.equal([]);
      });
    });
  });

  describe('polls that fail', () => {
    /** Answers as it should, but for some of the polls. */
    const failing = (fail: (n: number) => boolean, how: Reaction) => (real: { answer(message: object): object }) => {
      let n = 0;
      const react: Reaction = (message, peer) => (fail(n++) ? how(message, peer) : real.answer(message));
      return { 'tasks/get': react };
    };

    it('for lack of an answer are tried again', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time, { more: failing((n) => n === 1 || n === 2, silence) });
        const seen = record(client.callTool('work', { steps: 3 }, { timeoutMs: 500 }));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        // poll, wait, time-out, 1 s, time-out, 2 s, poll, wait, poll
        expect(seen.endedAt).to.be.within(1_000 + 1_000 + 500 + 1_000 + 500 + 2_000 + 1_000 - 5, 7_010);
        expect(tasks.counts).to.deep.include({ polls: 3, cancelled: [] });
        void client.close();
      });
    });

    it('again and again lose the task, which is not cancelled', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time, { more: failing(() => true, silence) });
        const seen = record(client.callTool('forever', {}, { timeoutMs: 500 }));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskLostError).and.include({ taskId: 'task-1' });
        expect(seen.errors[0].cause).to.be.instanceOf(RequestTimeoutError);
        expect(server.methods.filter((method) => method === 'tasks/get')).to.have.length(9);
        expect(seen.endedAt).to.be.within(121_000, 127_000); // 1 + 2 + 4 + 8 + 16 + 30 + 30 + 30 s, and nine deadlines
        expect(tasks.counts.cancelled).to.deep.equal([]);
        void client.close();
      });
    });

    it('have a budget of their own each time', () => {
      inVirtualTime((time) => {
        const { client } = taskClient(time, { more: failing((n) => n % 6 !== 0, silence) });
        const seen = record(client.callTool('work', { steps: 5 }, { timeoutMs: 500 }));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        void client.close();
      });
    });

    it('for good lose the task at once', () => {
      inVirtualTime((time) => {
        const refuse = () => {
          throw new Refusal(-32603, 'Out of order');
        };
        const { client, tasks } = taskClient(time, { more: failing(() => true, refuse) });
        const seen = record(client.callTool('forever'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskLostError).with.property('cause').that.includes({ code: -32603 });
        expect(seen.endedAt).to.be.within(999, 1_005);
        expect(tasks.counts.cancelled).to.deep.equal([]);
        void client.close();
      });
    });

    it('because the task is gone say so', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        const seen = record(client.callTool('forever'));
        time.at(1_500, () => tasks.forget('task-1'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskNotFoundError).and.include({ taskId: 'task-1' });
        expect(seen.errors[0].cause).to.include({ code: -32602 });
        expect(tasks.counts.cancelled).to.deep.equal([]);
        void client.close();
      });
    });

    it('because the connection ended go on over the next one, at once', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time);
        const seen = record(client.callTool('work', { steps: 4 }));
        time.at(1_500, () => server.peer.close());
        time.at(8_000, () => record(client.connect()));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect(tasks.counts).to.deep.include({ started: 1, polls: 4, cancelled: [] });
        expect(server.peers).to.have.length(2);
        // one poll before; after it one each second, the first as soon as there is a connection, not when the backoff is over, at 9 s
        expect(seen.endedAt).to.be.within(9_999, 10_010);
        void client.close();
      });
    });
  });

  describe('input', () => {
    it('is asked for once, however often it is told of, and given', () => {
      inVirtualTime((time) => {
        let asked = 0;
        const ask = withElicitation((params, origin) => {
          asked++;
          return timer(3_500).pipe(map(() => ({ action: 'accept', content: { name: `${params.message} ${origin?.method}` } })));
        });
        const { client, tasks } = taskClient(time, { features: [ask] });
        const seen = record(client.callTool('ask', { steps: 1 }, EVENTS));
        time.flush();
        const answer = { action: 'accept', content: { name: 'Your name? tools/call' } };
        expect(seen.values.map(brief)).to.deep.equal(['working step 0', 'input_required step 0', 'completed step 0', `result ${JSON.stringify({ name: answer })}`]);
        expect([asked, tasks.counts.updates, tasks.counts.polls]).to.deep.equal([1, [{ name: answer }], 5]);
        void client.close();
      });
    });

    it('of two kinds at once is given as it comes', () => {
      inVirtualTime((time) => {
        const ask = withElicitation(({ message }) => timer(message === 'Another?' ? 10 : 2_000).pipe(map(() => ({ action: 'accept', content: { name: message } }))));
        const { client, tasks } = taskClient(time, { features: [ask] });
        const seen = record(client.callTool('ask', { steps: 1, two: true }));
        time.flush();
        expect(seen.completed).to.equal(1);
        expect(tasks.counts.updates.map((update) => Object.keys(update))).to.deep.equal([['other'], ['name']]);
        void client.close();
      });
    });

    it('works wherever the features stand, and between rounds of the call and its task', () => {
      inVirtualTime((time) => {
        let rounds = 0;
        const askName = { method: 'elicitation/create', params: { message: 'First?', requestedSchema: { type: 'object', properties: {} } } };
        const { client, tasks } = taskClient(time, {
          features: [withElicitation(({ message }) => [{ action: 'accept', content: { name: message } }])],
          more: (real) => ({ 'tools/call': (message) => (rounds++ === 0 ? { resultType: 'input_required', inputRequests: { name: askName } } : real.answer(message)) }),
        });
        const seen = record(client.callTool('ask'));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect([rounds, tasks.counts.updates]).to.deep.equal([2, [{ name: { action: 'accept', content: { name: 'Your name?' } } }]]);
        void client.close();
      });
    });

    it('that is no longer needed is withdrawn, and asked for again if it is after all', () => {
      inVirtualTime((time) => {
        const need = { status: 'input_required', inputRequests: { name: { method: 'elicitation/create', params: { message: 'q', requestedSchema: {} } } } };
        const states = [need, {}, need, { status: 'completed', result: { content: [] } }];
        let n = 0;
        const { client, server } = taskClient(time, { features: [withElicitation('stream')], more: { 'tools/call': created(), 'tasks/get': () => working(states[n++]) } });
        const ends: unknown[] = [];
        (client as unknown as { elicitations$: Subject<PendingElicitation> }).elicitations$.pipe(mergeMap(({ ended$ }) => ended$)).subscribe((end) => ends.push([end, n]));
        const seen = record(client.callTool('x'));
        time.flush();
        expect(seen.completed).to.equal(1);
        expect(ends).to.deep.equal([
          ['withdrawn', 2],
          ['withdrawn', 4],
        ]);
        expect(server.methods).to.not.include('tasks/update');
        void client.close();
      });
    });

    it('that is waited for is withdrawn on unsubscribe, and the task cancelled', () => {
      inVirtualTime((time) => {
        let isOpen = false;
        const ask = withElicitation(() => NEVER.pipe(tap({ subscribe: () => (isOpen = true), unsubscribe: () => (isOpen = false) })));
        const { client, tasks } = taskClient(time, { features: [ask] });
        const seen = record(client.callTool('ask', { steps: 1 }));
        time.at(2_500, () => {
          expect(isOpen).to.equal(true);
          seen.unsubscribe();
          expect(isOpen).to.equal(false);
        });
        time.flush();
        expect(tasks.counts).to.deep.include({ updates: [], cancelled: ['task-1'] });
        void client.close();
      });
    });

    it('that cannot be given is an error, and the task is cancelled: it would wait for ever', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        const seen = record(client.callTool('ask', { steps: 1 }));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(InputNotSupportedError);
        expect(tasks.counts).to.deep.include({ updates: [], cancelled: ['task-1'] });
        void client.close();
      });
    });

    it('whose handler fails is that error, and the task is cancelled', () => {
      inVirtualTime((time) => {
        const broken = new Error('no dialog');
        const ask = withElicitation(() => {
          throw broken;
        });
        const { client, tasks } = taskClient(time, { features: [ask] });
        const seen = record(client.callTool('ask', { steps: 1 }));
        time.flush();
        expect(seen.errors).to.deep.equal([broken]);
        expect(tasks.counts.cancelled).to.deep.equal(['task-1']);
        void client.close();
      });
    });

    for (const [what, endsMeanwhile] of [
      ['an error', false],
      ['no harm when the task is over by then', true],
    ] as const) {
      it(`that the server refuses is ${what}`, () => {
        inVirtualTime((time) => {
          const refuse = () => {
            isRefused = true;
            throw new Refusal(-32602, 'Not wanted');
          };
          let isRefused = false;
          const { client } = taskClient(time, {
            features: [withElicitation(() => [{ action: 'decline' }])],
            more: (real) => ({
              'tasks/update': refuse,
              'tasks/get': (message) => (isRefused && endsMeanwhile ? working({ status: 'completed', result: { content: [] } }) : real.answer(message)),
            }),
          });
          const seen = record(client.callTool('ask', { steps: 1 }));
          time.flush();
          if (endsMeanwhile) expect(seen).to.deep.include({ values: [{ content: [] }], errors: [] });
          else expect(seen.errors[0]).to.be.instanceOf(RpcError).and.include({ code: -32602 });
          void client.close();
        });
      });
    }

    it('that gets no answer is given again', () => {
      inVirtualTime((time) => {
        let n = 0;
        const { client, tasks } = taskClient(time, {
          features: [withElicitation(() => [{ action: 'decline' }])],
          more: (real) => ({ 'tasks/update': (message) => (n++ === 0 ? undefined : real.answer(message)) }),
        });
        const seen = record(client.callTool('ask', { steps: 1 }, { timeoutMs: 500 }));
        time.flush();
        expect([seen.completed, n, tasks.counts.updates]).to.deep.equal([1, 2, [{ name: { action: 'decline' } }]]);
        void client.close();
      });
    });
  });

  describe('notifications', () => {
    it('count as polls, and put the next one off', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time);
        const seen = record(client.callToolAsTask('work', { steps: 100 }));
        for (const ms of [600, 1_200, 1_800]) time.at(ms, () => server.peer.notify('notifications/tasks', tasks.next('task-1')));
        time.at(2_400, () => server.peer.notify('notifications/tasks', { ...tasks.next('task-1'), status: 'completed', result: { content: [{ type: 'text', text: 'told' }] } }));
        time.flush();
        expect(seen.values.map(brief)).to.deep.equal(['working step 0', 'working step 1', 'working step 2', 'working step 3', 'completed step 4', 'result told']);
        expect(tasks.counts.polls).to.equal(0);
        expect(seen.endedAt).to.be.within(2_399, 2_402);
        void client.close();
      });
    });

    it('that do not tell all are asked after at once', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time);
        const seen = record(client.callTool('work', { steps: 1 }));
        time.at(300, () => server.peer.notify('notifications/tasks', working({ status: 'completed' })));
        time.flush();
        expect([seen.completed, tasks.counts.polls]).to.deep.equal([1, 1]);
        expect(seen.endedAt).to.be.within(299, 305);
        void client.close();
      });
    });

    it('of other tasks, or of none, change nothing', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time);
        const seen = record(client.callTool('work', { steps: 1 }));
        time.at(300, () => {
          server.peer.notify('notifications/tasks', working({ taskId: 'task-2', status: 'cancelled' }));
          server.peer.notify('notifications/tasks');
          server.peer.notify('notifications/tasks', { taskId: 'task-1' });
        });
        time.flush();
        expect([seen.completed, tasks.counts.polls]).to.deep.equal([1, 1]);
        void client.close();
      });
    });

    const acknowledge = (n: number): Reaction => ({ id, params: { notifications } }, peer) => {
      const honoured = { taskIds: (notifications.taskIds as string[]).slice(0, n) };
      peer.notify('notifications/subscriptions/acknowledged', { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: honoured });
      return undefined;
    };

    it('are asked for with listen, in one request for all tasks; then a poll a minute is enough', () => {
      inVirtualTime((time) => {
        const { client, server, tasks } = taskClient(time, { tasks: { listen: true }, more: { 'subscriptions/listen': acknowledge(9) } });
        const both = [record(client.callTool('forever')), record(client.callTool('forever'))];
        time.at(150_000, () => {
          both[0]!.unsubscribe();
        });
        time.at(150_010, () => {
          both[1]!.unsubscribe();
        });
        time.flush();
        const filters = server.peer.of('subscriptions/listen').map(({ params }) => params.notifications);
        expect(filters).to.deep.equal([{ taskIds: ['task-1', 'task-2'] }, { taskIds: ['task-2'] }]);
        expect(tasks.counts.polls).to.equal(2 * 3 + 1); // when it is open, after one minute, after two; and when the filter changed
        expect(server.methods.filter((method) => method === 'notifications/cancelled')).to.have.length(2);
        void client.close();
      });
    });

    it('that the server does not agree to are not relied on', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time, { tasks: { listen: true }, more: { 'subscriptions/listen': acknowledge(0) } });
        const seen = record(client.callTool('work', { steps: 5 }));
        time.flush();
        expect(seen.completed).to.equal(1);
        expect(seen.endedAt).to.be.within(4_000, 4_010); // the first poll was at once
        expect(tasks.counts.polls).to.equal(5);
        void client.close();
      });
    });

    it('that the server refuses are not relied on', () => {
      inVirtualTime((time) => {
        const refuse = () => {
          throw new Refusal(-32601, 'no');
        };
        const { client } = taskClient(time, { tasks: { listen: true }, more: { 'subscriptions/listen': refuse } });
        const seen = record(client.callTool('work', { steps: 5 }));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect(seen.endedAt).to.be.below(6_000);
        void client.close();
      });
    });
  });

  describe('taken up by id', () => {
    it('go on where they are, their state first', () => {
      inVirtualTime((time) => {
        const { client, tasks } = taskClient(time);
        record(client.callToolAsTask('work', { steps: 4 }, { cancel: 'local' }).pipe(take(2)));
        time.flush();
        const seen = record(client.task('task-1'));
        time.flush();
        expect(seen.values.map(brief)).to.deep.equal(['working step 2', 'working step 3', 'completed step 3', 'result worked']);
        expect(seen.times.map((ms) => Math.round(ms / POLL_MS))).to.deep.equal([0, 1, 2, 2]);
        expect(tasks.counts).to.deep.include({ started: 1, cancelled: [] });
        void client.close();
      });
    });

    it('are an error when the server does not know them', () => {
      inVirtualTime((time) => {
        const { client, server } = taskClient(time);
        const seen = record(client.task('task-9'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(TaskNotFoundError).and.include({ taskId: 'task-9' });
        expect(server.methods).to.not.include('tasks/cancel');
        void client.close();
      });
    });

    it('are an error at once while there is no connection', () => {
      inVirtualTime((time) => {
        const { client, server } = taskClient(time);
        server.peer.close();
        time.flush();
        const start = time.now();
        const seen = record(client.task('task-1'));
        time.flush();
        expect(seen.errors[0]).to.be.instanceOf(NotConnectedError);
        expect(time.now() - start).to.be.below(5);
        void client.close();
      });
    });

    for (const id of ['', undefined, 7]) {
      it(`are an error for the id ${JSON.stringify(id)}`, () => {
        inVirtualTime((time) => {
          const { client } = taskClient(time);
          const seen = record(client.task(id as never));
          time.flush();
          expect(seen.errors[0]).to.be.instanceOf(ConfigError);
          void client.close();
        });
      });
    }

    it('tell who is asked something what it is for', () => {
      inVirtualTime((time) => {
        const origins: unknown[] = [];
        const ask = withElicitation((_, origin) => {
          origins.push([origin?.method, origin?.params]);
          return [{ action: 'decline' }];
        });
        const { client } = taskClient(time, { features: [ask] });
        record(client.callToolAsTask('ask', { steps: 5 }, { cancel: 'local' }).pipe(take(1)));
        time.flush();
        const seen = record(client.task('task-1'));
        time.flush();
        expect([seen.completed, origins]).to.deep.equal([1, [['tasks/get', { taskId: 'task-1' }]]]);
        void client.close();
      });
    });
  });

  it('have no other interval than a time', () => {
    for (const pollIntervalMs of [0, -1, NaN]) expect(() => withTasks({ pollIntervalMs })).to.throw(ConfigError);
  });
});
