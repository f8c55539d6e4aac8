import { expect } from 'chai';
import { Subject } from 'rxjs';
import { EmitQueue } from '../../lib/transport/emit-queue.ts';

describe('EmitQueue [B95]', () => {
  it('shows every subscriber the same order, also when one of them emits inside next', () => {
    const queue = new EmitQueue();
    const numbers = new Subject<number>();
    const seen: number[][] = [[], [], []];
    numbers.subscribe((n) => {
      seen[0]!.push(n);
      if (n < 3) queue.next(numbers, n + 1);
    });
    numbers.subscribe((n) => seen[1]!.push(n));
    numbers.subscribe((n) => seen[2]!.push(n));
    queue.next(numbers, 1);
    expect(seen).to.deep.equal([[1, 2, 3], [1, 2, 3], [1, 2, 3]]);
  });

  it('keeps the order over several subjects', () => {
    const queue = new EmitQueue();
    const letters = new Subject<string>();
    const numbers = new Subject<number>();
    const seen: (string | number)[] = [];
    letters.subscribe((letter) => {
      if (letter === 'a') {
        queue.next(numbers, 1);
        queue.next(letters, 'b');
        queue.run(() => seen.push('task'));
        queue.next(numbers, 2);
      }
    });
    letters.subscribe((letter) => seen.push(letter));
    numbers.subscribe((n) => seen.push(n));
    queue.next(letters, 'a');
    expect(seen).to.deep.equal(['a', 1, 'b', 'task', 2]);
  });

  it('emits and runs at once when nothing is being emitted', () => {
    const queue = new EmitQueue();
    const subject = new Subject<number>();
    const seen: number[] = [];
    subject.subscribe((n) => seen.push(n));
    queue.next(subject, 1);
    expect(seen).to.deep.equal([1]);
    queue.run(() => seen.push(2));
    expect(seen).to.deep.equal([1, 2]);
    queue.run(() => {
      queue.run(() => seen.push(4));
      seen.push(3);
    });
    queue.next(subject, 5);
    expect(seen).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('completes a subject after what was emitted before, when asked to from inside next', () => {
    const queue = new EmitQueue();
    const subject = new Subject<number>();
    const seen: (number | string)[] = [];
    subject.subscribe((n) => {
      if (n !== 1) return;
      queue.next(subject, 2);
      queue.run(() => {
        subject.complete();
      });
    });
    subject.subscribe({ next: (n) => seen.push(n), complete: () => seen.push('complete') });
    queue.next(subject, 1);
    expect(seen).to.deep.equal([1, 2, 'complete']);
  });

  it('does not grow the stack with the number of emissions', () => {
    const queue = new EmitQueue();
    const subject = new Subject<number>();
    let last = 0;
    subject.subscribe((n) => {
      last = n;
      if (n < 100_000) queue.next(subject, n + 1);
    });
    queue.next(subject, 1);
    expect(last).to.equal(100_000);
  });
});
