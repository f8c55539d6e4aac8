import { expect } from 'chai';
import { QueueFullError } from '../../lib/errors.ts';
import { SendQueue, type Queued } from '../../lib/transport/send-queue.ts';

const queued = (id: number, bytes = 10): Queued => ({ message: { jsonrpc: '2.0', id, method: 'x' }, text: String(id), bytes });
const texts = (some: readonly Queued[]): string[] => some.map(({ text }) => text);

describe('SendQueue', () => {
  it('keeps the order, and knows how much waits', () => {
    const queue = new SendQueue();
    for (const id of [1, 2, 3]) expect(queue.add(queued(id, id))).to.equal(undefined);
    expect(queue.bytes).to.equal(6);
    expect(texts(queue.take(2))).to.deep.equal(['1', '2']);
    expect(texts(queue.waiting)).to.deep.equal(['3']);
    expect(queue.bytes).to.equal(3);
    expect(texts(queue.take(5))).to.deep.equal(['3']);
    expect(queue.bytes).to.equal(0);
  });

  it('has room for exactly so much; what is refused is not kept', () => {
    const queue = new SendQueue(20);
    queue.add(queued(1));
    expect(queue.add(queued(2))).to.equal(undefined);
    const refusal = queue.add(queued(3, 1));
    expect(refusal).to.be.instanceOf(QueueFullError);
    expect(refusal).to.deep.include({ limit: 20 });
    expect(texts(queue.waiting)).to.deep.equal(['1', '2']);
    queue.take(1);
    expect(queue.add(queued(4))).to.equal(undefined);
  });

  it('gives up by id or by the message itself what waits, and says of the rest that it has left', () => {
    const queue = new SendQueue();
    const note: Queued = { message: { jsonrpc: '2.0', method: 'note' }, text: 'note', bytes: 5 };
    queue.add(queued(1));
    queue.add(note);
    queue.add(queued(2));
    expect(queue.release(1)).to.equal(false);
    expect(queue.release(note.message)).to.equal(false);
    expect(queue.release(1)).to.equal(true);
    expect(queue.release(7)).to.equal(true);
    expect(texts(queue.waiting)).to.deep.equal(['2']);
    expect(queue.bytes).to.equal(10);
  });

  it('can be emptied', () => {
    const queue = new SendQueue(10);
    queue.add(queued(1));
    queue.clear();
    expect(queue.waiting).to.deep.equal([]);
    expect(queue.bytes).to.equal(0);
    expect(queue.add(queued(2))).to.equal(undefined);
  });
});
