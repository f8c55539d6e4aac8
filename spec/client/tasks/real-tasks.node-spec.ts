import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { filter, firstValueFrom, lastValueFrom, map, take, tap, toArray } from 'rxjs';
import { createClient, TaskNotFoundError, withElicitation, withTasks, type ClientFeature, type TasksApi } from '../../../lib/node.ts';
import { StdioTransport } from '../../../lib/transport/stdio.ts';
import { stdioServer } from '../../support/node-fixtures.ts';
import { outcome, until } from '../../support/outcome.ts';
import type { modernTasks } from '../../support/servers/tasks-modern.mjs';
import { tasksHttp } from '../../support/servers/tasks-program.mjs';
import { watchChildren } from '../../support/stdio.ts';
import { runsTasks } from './everything-tasks.ts';
import { brief } from './task-server.ts';

const PROGRAM = { command: process.execPath, args: [fileURLToPath(new URL('../../support/servers/tasks-program.mjs', import.meta.url))] };
const answer = (): ClientFeature => withElicitation(({ message }) => [{ action: 'accept', content: { name: message } }]);
const ALL_STATES = ['working step 0', 'working step 1', 'completed step 1', 'result worked'];

describe('the everything server over stdio runs tasks', function () {
  this.timeout(20_000);

  runsTasks(() => new StdioTransport(stdioServer('everything')));
});

describe('tasks of 2026-07-28 over stdio', function () {
  this.timeout(20_000);

  const children = watchChildren();

  for (const listen of [false, true]) {
    it(`end, ask, fail and are cancelled, ${listen ? 'announced' : 'polled'}`, async () => {
      const client = createClient(PROGRAM, { features: [withTasks({ listen }), answer()] });
      await lastValueFrom(client.connect());
      const counts = async (): Promise<ReturnType<typeof modernTasks>['counts']> => {
        const { content } = await firstValueFrom(client.callTool('counts'));
        return JSON.parse((content[0] as { text: string }).text);
      };
      const events = await lastValueFrom(client.callToolAsTask('work').pipe(toArray()));
      expect(events.map(brief)).to.include.members(['working step 0', 'completed step 1', 'result worked']);
      const [asked, failed] = await Promise.all([outcome(client.callTool('ask', { two: true })), outcome(client.callTool('fail'))]);
      expect((asked.values[0]?.content[0] as { text: string }).text).to.include('Your name?').and.include('Another?');
      expect(failed.error).to.include({ name: 'TaskError', status: 'failed' });
      await lastValueFrom(client.callToolAsTask('forever').pipe(take(2)));
      await until(async () => (await counts()).cancelled.length === 1);
      expect(await counts()).to.deep.include({ started: 4, cancelled: ['task-4'], declined: 0 });
      await outcome(client.close());
      await until(() => children().every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
    });
  }

  it('are gone with the process: after a restart the new one does not know them', async () => {
    const client = createClient(PROGRAM, { features: [withTasks()] });
    await lastValueFrom(client.connect());
    const call = outcome(client.callToolAsTask('forever').pipe(tap((event) => event.type === 'task' && event.task.statusMessage === 'step 1' && children()[0]?.kill('SIGKILL'))));
    await firstValueFrom(client.state$.pipe(filter(({ status }) => status === 'disconnected')));
    await lastValueFrom(client.connect());
    expect((await call).error).to.be.instanceOf(TaskNotFoundError);
    await outcome(client.close());
    await until(() => children().every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
  });
});

describe('tasks of 2026-07-28 over HTTP', function () {
  this.timeout(20_000);

  /** Serves what `wrap` makes of the server with tasks. */
  async function serving(wrap: (handle: RequestListener, n: () => number) => RequestListener = (handle) => handle) {
    const { handle, server } = tasksHttp();
    const http = createServer(wrap(handle, () => server.counts.polls));
    http.keepAliveTimeout = 1;
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return {
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
      server,
      close: async () => {
        http.close();
        http.closeAllConnections();
        await once(http, 'close');
      },
    };
  }
  const clientOf = async (url: string, feature: ClientFeature<TasksApi> = withTasks()) => {
    const client = createClient({ type: 'http', url }, { features: [feature, answer()] });
    await lastValueFrom(client.connect());
    return client;
  };

  it('end, ask and are cancelled; each request names its task in the header', async () => {
    const { url, server, close } = await serving();
    const client = await clientOf(url);
    expect((await lastValueFrom(client.callToolAsTask('work').pipe(toArray()))).map(brief)).to.deep.equal(ALL_STATES);
    const { content } = await firstValueFrom(client.callTool('ask'));
    expect((content[0] as { text: string }).text).to.include('Your name?');
    await lastValueFrom(client.callToolAsTask('forever').pipe(take(2)));
    await until(() => server.counts.cancelled.length === 1);
    expect([server.isIdle(), server.counts.declined]).to.deep.equal([true, 0]);
    await outcome(client.close());
    await close();
  });

  it('are announced on one stream, and hardly polled', async () => {
    const { url, server, close } = await serving();
    const client = await clientOf(url, withTasks({ listen: true }));
    const both = await Promise.all([20, 25].map((steps) => outcome(client.callTool('work', { steps }))));
    expect(both.map(({ values }) => values[0]?.structuredContent)).to.deep.equal([{ steps: 20 }, { steps: 25 }]);
    expect(server.counts.polls).to.be.below(10); // 45 without
    await outcome(client.close());
    await close();
  });

  it('survive a restart of the program: another client takes them up', async () => {
    const { url, server, close } = await serving();
    const before = await clientOf(url);
    const events$ = before.callToolAsTask('work', { steps: 10 }).pipe(map((event) => (event.type === 'task' ? event.task.taskId : '')));
    const ended = outcome(events$);
    await until(() => server.counts.polls === 3);
    await outcome(before.close()); // cancels nothing
    const { values: [taskId = ''], error } = await ended;
    expect([error?.name, server.counts.cancelled]).to.deep.equal(['ConnectionClosedError', []]);
    const after = await clientOf(url);
    const { values } = await outcome(after.task(taskId));
    expect(brief(values.at(-1))).to.equal('result worked');
    expect(server.counts.started).to.equal(1);
    await outcome(after.close());
    await close();
  });

  it('are not lost when polls are refused with 503 or cut off', async () => {
    let faults = 0;
    const { url, server, close } = await serving((handle, polls) => (request, response) => {
      const isPoll = request.headers['mcp-method'] === 'tasks/get';
      if (isPoll && polls() === 1 && faults === 0) {
        faults++;
        response.writeHead(503).end('busy');
      } else if (isPoll && polls() === 2 && faults === 1) {
        faults++;
        request.socket.destroy();
      } else handle(request, response);
    });
    const client = await clientOf(url);
    const { values, error } = await outcome(client.callTool('work', { steps: 4 }));
    expect([error, values[0]?.structuredContent, faults, server.counts.started]).to.deep.equal([undefined, { steps: 4 }, 2, 1]);
    await outcome(client.close());
    await close();
  });
});
