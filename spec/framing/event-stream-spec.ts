import { expect } from 'chai';
import { concat, from, Observable, of, Subject, take, throwError } from 'rxjs';
import { MessageTooLargeError } from '../../lib/errors.ts';
import { eventStream, type StreamItem } from '../../lib/framing/event-stream.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytewise = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte));

/** An item, short: data alone for a plain event. */
function short(item: StreamItem): unknown {
  if (item.type === 'retry') return { retry: item.delayMs };
  const { data, id, event } = item.event;
  if (id === undefined && event === undefined) return data;
  return { ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }), data };
}

/** What comes out for these chunks. */
function read(chunks: readonly (Uint8Array | string)[], maxEventBytes = 10_000): unknown[] {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? utf8(chunk) : chunk));
  const { values, errors, completed } = record(from(bytes).pipe(eventStream(maxEventBytes)));
  expect(errors).to.deep.equal([]);
  expect(completed).to.equal(1);
  return values.map(short);
}

describe('eventStream', () => {
  it('emits each event when its blank line has come, synchronously [R13]', () => {
    const bytes$ = new Subject<Uint8Array>();
    const seen = record(bytes$.pipe(eventStream(100)));
    bytes$.next(utf8('data: 1\n'));
    expect(seen.values).to.deep.equal([]);
    bytes$.next(utf8('\ndata: 2\n\ndata: 3\n'));
    expect(seen.values.map(short)).to.deep.equal(['1', '2']);
    bytes$.next(utf8('\n'));
    expect(seen.values.map(short)).to.deep.equal(['1', '2', '3']);
    seen.unsubscribe();
  });

  it('subscribes once, and unsubscribes early', () => {
    testScheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const bytes$ = hot('  --a--b--c--', { a: utf8('data: 1\n\n'), b: utf8('data: 2\n\n'), c: utf8('data: 3\n\n') });
      const subs = '        ^-----!     ';
      const unsub = '       ------!     ';
      const expected = '    --a--b-     ';
      const data = (text: string): StreamItem => ({ type: 'event', event: { id: undefined, event: undefined, data: text } });
      expectObservable(bytes$.pipe(eventStream(100)), unsub).toBe(expected, { a: data('1'), b: data('2') });
      expectSubscriptions(bytes$.subscriptions).toBe(subs);
    });
  });

  it('passes an error on and drops the unfinished event', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const bytes$ = cold(' -a--#', { a: utf8('data: 1\n') });
      const subs = '        ^---!';
      const expected = '    ----#';
      expectObservable(bytes$.pipe(eventStream(100))).toBe(expected);
      expectSubscriptions(bytes$.subscriptions).toBe(subs);
    });
  });

  it('is silent on a silent source', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const bytes$ = cold<Uint8Array>('-');
      expectObservable(bytes$.pipe(eventStream(100))).toBe('-');
    });
  });

  it('joins the data lines of one event', () => {
    expect(read(['data: A\ndata:\ndata:  B\ndata\n\n'])).to.deep.equal(['A\n\n B\n']);
  });

  it('takes one space after the colon, or none', () => {
    expect(read(['data:1\n\ndata: 2\n\ndata:  3\n\n'])).to.deep.equal(['1', '2', ' 3']);
  });

  it('gives type and id of an event, and each to its own event only', () => {
    expect(read(['event: endpoint\ndata: /x\n\nid: 7\ndata: 1\n\nid\ndata: 2\n\ndata: 3\n\n'])).to.deep.equal([
      { event: 'endpoint', data: '/x' },
      { id: '7', data: '1' },
      { id: '', data: '2' },
      '3',
    ]);
  });

  it('ignores an id that holds NUL', () => {
    expect(read(['id: a\0b\ndata: 1\n\n'])).to.deep.equal(['1']);
  });

  it('emits a priming event: an id and empty data [B56]', () => {
    expect(read(['id: evt-1\nretry: 500\ndata:\n\ndata: 1\n\n'])).to.deep.equal([{ retry: 500 }, { id: 'evt-1', data: '' }, '1']);
  });

  it('emits a valid retry and ignores any other', () => {
    expect(read(['retry: 1500\n\nretry: soon\nretry: -5\nretry: 1.5\nretry\ndata: 1\n\n'])).to.deep.equal([{ retry: 1500 }, '1']);
  });

  it('ignores comments, unknown fields and blank lines', () => {
    expect(read([': keep-alive\n\n\n\n:\nfoo: bar\nDATA: no\n data: no\ndata : no\ndata: 1\n\n: bye\n\n'])).to.deep.equal(['1']);
  });

  it('emits nothing for an event without data', () => {
    expect(read(['event: ping\n\nid: 3\n\ndata: 1\n\n'])).to.deep.equal(['1']);
  });

  it('drops an event that the end of the stream cuts off', () => {
    expect(read(['data: 1\n\ndata: 2\n'])).to.deep.equal(['1']);
    expect(read(['data: 1\n\ndata: 2'])).to.deep.equal(['1']);
    expect(read(['data: 1\r\n\r\ndata: 2\r\n'])).to.deep.equal(['1']);
    expect(read(['data: 1\r\rdata: 2\r'])).to.deep.equal(['1']);
    expect(read([])).to.deep.equal([]);
  });

  it('drops a byte order mark at the start, also a cut one, and no other', () => {
    const bytes = utf8('\ufeffdata: \ufeff1\n\n');
    for (let cut = 0; cut <= 4; cut++) expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).to.deep.equal(['\ufeff1']);
    // Later it is part of a field's name, wherever chunks end; there is no such field.
    const late = utf8('data: é\n\n\ufeffdata: no\n\ndata: yes\n\n');
    for (let cut = 0; cut <= late.length; cut++) expect(read([late.subarray(0, cut), late.subarray(cut)]), `cut at ${cut}`).to.deep.equal(['é', 'yes']);
  });

  describe('line ends [B59]', () => {
    it('CR and LF in different chunks are one', () => {
      expect(read(['data: A\r\n', 'data: B\r', '\n', 'data: C\r\n', '\r', '\n'])).to.deep.equal(['A\nB\nC']);
    });

    it('may be CR alone', () => {
      expect(read(['data: A\rdata: B\r\rdata: C\r\r'])).to.deep.equal(['A\nB', 'C']);
      expect(read(['data: A\r', '\r', 'data: C\r', '\r'])).to.deep.equal(['A', 'C']);
    });

    it('CR as the last byte ends the last event', () => {
      expect(read(['data: 1\r\n\r'])).to.deep.equal(['1']);
      expect(read(['data: 1\n', '\r'])).to.deep.equal(['1']);
      expect(read(bytewise(utf8('data: 1\r\r')))).to.deep.equal(['1']);
    });

    it('CR as the last byte of a chunk ends an event at once', () => {
      const bytes$ = new Subject<Uint8Array>();
      const seen = record(bytes$.pipe(eventStream(100)));
      bytes$.next(utf8('data: 1\r\r'));
      expect(seen.values.map(short)).to.deep.equal(['1']);
      bytes$.next(utf8('data: 2'));
      bytes$.next(utf8('\r\n\r'));
      expect(seen.values.map(short)).to.deep.equal(['1', '2']);
      bytes$.next(utf8('\ndata: 3\n\n'));
      expect(seen.values.map(short)).to.deep.equal(['1', '2', '3']);
      seen.unsubscribe();
    });

    it('may be mixed', () => {
      expect(read(['data: 1\n\rdata: 2\r\n\ndata: 3\r\r\ndata: 4\n\r\n'])).to.deep.equal(['1', '2', '3', '4']);
    });

    it('are not U+2028, U+0085 or other separators', () => {
      expect(read(['data: a\u2028b\u0085c\vd\n\n'])).to.deep.equal(['a\u2028b\u0085c\vd']);
    });
  });

  describe('chunks [B03 B58]', () => {
    const text = ': hi\nid: é\nevent: message\ndata: {"漢":"🦀"}\ndata: é\n\nretry: 10\ndata: 2\n\ndata: cut off';
    const expected = [{ id: 'é', event: 'message', data: '{"漢":"🦀"}\né' }, { retry: 10 }, '2'];

    for (const [name, end] of Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' })) {
      const bytes = utf8(text.replaceAll('\n', end));

      it(`may be cut at any byte, with ${name}`, () => {
        for (let cut = 0; cut <= bytes.length; cut++) {
          expect(read([bytes.subarray(0, cut), bytes.subarray(cut)]), `cut at ${cut}`).to.deep.equal(expected);
        }
      });

      it(`may be single bytes, with ${name}`, () => {
        expect(read(bytewise(bytes))).to.deep.equal(expected);
      });

      it(`may be empty, with ${name}`, () => {
        expect(read(bytewise(bytes).flatMap((byte) => [new Uint8Array(), byte]))).to.deep.equal(expected);
      });
    }

    it('may hold many events', () => {
      const many = Array.from({ length: 500 }, (_, i) => `data: ${i}\n\n`);
      expect(read([many.join('')])).to.deep.equal(many.map((_, i) => String(i)));
    });
  });

  describe('an event that is too long', () => {
    const fails = (chunks: readonly string[], limit: number): unknown[] => {
      const { values, errors, completed } = record(from(chunks.map(utf8)).pipe(eventStream(limit)));
      expect(errors, JSON.stringify(chunks).slice(0, 60)).to.have.length(1);
      expect(errors[0]).to.be.instanceOf(MessageTooLargeError);
      expect(errors[0].limitBytes).to.equal(limit);
      expect(errors[0].message).to.equal(`Incoming event exceeds the limit of ${limit} bytes (maxMessageBytes)`);
      expect(completed).to.equal(0);
      return values.map(short);
    };

    it('fails with the limit, after the events before it', () => {
      expect(fails(['data: 1\n\n', `data: ${'x'.repeat(40)}`, 'x'.repeat(100)], 50)).to.deep.equal(['1']);
    });

    it('fails when it has no line end', () => {
      expect(fails(['x'.repeat(60)], 50)).to.deep.equal([]);
    });

    it('fails when it is made of many short lines', () => {
      expect(fails(Array.from({ length: 20 }, () => 'data: 12345\n'), 50)).to.deep.equal([]);
    });

    it('fails when it comes whole in one chunk', () => {
      expect(fails([`data: 1\n\ndata: ${'x'.repeat(100)}\n\ndata: 2\n\n`], 50)).to.deep.equal(['1']);
    });

    it('is measured by event: a chunk may hold many', () => {
      expect(read(['data: 1234567\n\n'.repeat(100)], 50)).to.have.length(100);
    });

    it('leaves room for what is just as long as allowed', () => {
      const data = 'x'.repeat(50);
      expect(read([`data: ${data}\n\n`], 60)).to.deep.equal([data]);
      expect(read(bytewise(utf8(`data: ${data}\n\n`)), 60)).to.deep.equal([data]);
    });

    it('ends the subscription, and nothing comes after', () => {
      const bytes$ = new Subject<Uint8Array>();
      const seen = record(bytes$.pipe(eventStream(20)));
      bytes$.next(utf8('x'.repeat(30)));
      expect(bytes$.observed).to.equal(false);
      bytes$.next(utf8('\n\ndata: 1\n\n'));
      expect(seen).to.deep.include({ values: [], completed: 0 });
    });
  });

  it('stops in the middle of a chunk when a subscriber has enough', () => {
    const bytes$ = new Subject<Uint8Array>();
    const seen = record(bytes$.pipe(eventStream(100), take(1)));
    bytes$.next(utf8('data: 1\n\ndata: 2\n\n'));
    expect(seen.values.map(short)).to.deep.equal(['1']);
    expect(bytes$.observed).to.equal(false);
  });

  it('stops reading a synchronous source when nobody listens any more', () => {
    let chunks = 0;
    const endless$ = new Observable<Uint8Array>((subscriber) => {
      while (!subscriber.closed && chunks < 1_000) {
        chunks++;
        subscriber.next(utf8('data: 1\n\n'));
      }
    });
    expect(record(endless$.pipe(eventStream(100), take(1))).values).to.have.length(1);
    expect(chunks).to.equal(1);
  });

  it('starts afresh with each subscription', () => {
    const items$ = concat(of(utf8('data: 1\n\ndata: half')), throwError(() => new Error('lost'))).pipe(eventStream(100));
    for (const seen of [record(items$), record(items$)]) {
      expect(seen.values.map(short)).to.deep.equal(['1']);
      expect(seen.errors.map(String)).to.deep.equal(['Error: lost']);
    }
  });
});
