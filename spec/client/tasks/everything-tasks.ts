// What the official everything server does with tasks of 2025-11-25, however it is reached. Its research takes four seconds.
import { expect } from 'chai';
import { lastValueFrom, Subject, take, tap, toArray } from 'rxjs';
import { createClient, TaskError, withElicitation, withTasks, type CallEvent, type CallToolResult } from '../../../lib/index.ts';
import type { Transport } from '../../../lib/transport/transport.ts';
import { outcome, until } from '../../support/outcome.ts';

const RESEARCH = 'simulate-research-query';

const statesOf = (events: readonly CallEvent<CallToolResult>[]): string[] => events.flatMap((event) => (event.type === 'task' ? event.task.status : []));
const textOf = (event: CallEvent<CallToolResult> | undefined): string => {
  const [block] = event?.type === 'result' ? event.result.content : [];
  return block?.type === 'text' ? block.text : '';
};

export function runsTasks(open: () => Transport): void {
  const asked: string[] = [];
  const client = createClient(open, {
    features: [
      withTasks(),
      withElicitation(({ message }) => {
        asked.push(message);
        return [{ action: 'accept', content: { interpretation: 'historical' } }];
      }),
    ],
  });

  before(async () => {
    expect((await outcome(client.connect())).error).to.equal(undefined);
    expect(client.protocolVersion).to.equal('2025-11-25');
  });
  after(() => outcome(client.close()));

  it('to their end, input included, several at once', async () => {
    const [plain, ambiguous, result] = await Promise.all([
      lastValueFrom(client.callToolAsTask(RESEARCH, { topic: 'plain' }, { ttlMs: 60_000 }).pipe(toArray())),
      lastValueFrom(client.callToolAsTask(RESEARCH, { topic: 'bees', ambiguous: true }).pipe(toArray())),
      lastValueFrom(client.callTool(RESEARCH, { topic: 'result' })),
    ]);
    expect(new Set(statesOf(plain))).to.deep.equal(new Set(['working', 'completed']));
    expect(textOf(plain.at(-1))).to.include('Research Report: plain');
    expect(statesOf(ambiguous)).to.include('input_required');
    expect(textOf(ambiguous.at(-1))).to.include('Research Report: bees (historical)');
    expect(asked).to.have.length(1);
    expect(textOf({ type: 'result', result })).to.include('Research Report: result');
  });

  it('until nobody wants them: they are cancelled there', async () => {
    const first = new Subject<string>();
    const call = client
      .callToolAsTask(RESEARCH, { topic: 'cancelled' })
      .pipe(tap((event) => event.type === 'task' && first.next(event.task.taskId)))
      .subscribe();
    const taskId = await lastValueFrom(first.pipe(take(1)));
    call.unsubscribe();
    const tasks = await until(async () => {
      const listed = await lastValueFrom(client.listTasks());
      return listed.some((task) => task.taskId === taskId && task.status === 'cancelled') && listed;
    });
    expect(tasks.filter(({ status }) => status === 'cancelled')).to.have.length(1);
    expect((await outcome(client.task(taskId))).error).to.be.instanceOf(TaskError).and.include({ status: 'cancelled' });
  });

  it('without us, and taken up again', async () => {
    const [created] = await lastValueFrom(client.callToolAsTask(RESEARCH, { topic: 'later' }, { cancel: 'local' }).pipe(take(1), toArray()));
    const { taskId } = created?.type === 'task' ? created.task : { taskId: '' };
    const events = await lastValueFrom(client.task(taskId).pipe(toArray()));
    expect(statesOf(events).at(-1)).to.equal('completed');
    expect(textOf(events.at(-1))).to.include('Research Report: later');
  });

  it('that it does not know, which is an error', async () => {
    expect((await outcome(client.task('none'))).error).to.include({ name: 'TaskNotFoundError', taskId: 'none' });
  });
}
