import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { concat, from, NEVER, Observable, of, Subject, take, throwError } from 'rxjs';
import { MessageTooLargeError } from '../../lib/errors.ts';
import { jsonLines, type JsonLine, type JsonLinesOptions } from '../../lib/framing/json-lines.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const value = (json: unknown): JsonLine => ({ type: 'value', value: json });
const cat = (...parts: (string | readonly number[] | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? utf8(part) : Uint8Array.from(part))));
const BOM = [0xef, 0xbb, 0xbf];
const MiB = 1_048_576;

/** What `jsonLines` makes of these chunks, once the source has completed. */
async function read(chunks: readonly Uint8Array[], options: JsonLinesOptions = { maxLineBytes: MiB }): Promise<{ lines: JsonLine[]; error: any; completed: boolean }> {
  const lines: JsonLine[] = [];
  return new Promise((resolve) => {
    from(chunks).pipe(jsonLines(options)).subscribe({
      next: (line) => lines.push(line),
      error: (error: unknown) => {
        resolve({ lines, error, completed: false });
      },
      complete: () => {
        resolve({ lines, error: undefined, completed: true });
      },
    });
  });
}

const bytewise = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte));

describe('jsonLines', () => {
  it('emits each line of a chunk, synchronously and in order [R11 R24]', () => {
    const bytes$ = new Subject<Uint8Array>();
    const seen = record(bytes$.pipe(jsonLines({ maxLineBytes: 100 })));
    bytes$.next(utf8('1\n{"a":[2]}\n"three"\n4'));
    expect(seen.values).to.deep.equal([value(1), value({ a: [2] }), value('three')]);
    bytes$.next(utf8('\n'));
    expect(seen.values).to.have.length(4);
    seen.unsubscribe();
  });

  it('emits synchronously inside subscribe, too', () => {
    const seen = record(concat(of(utf8('1\n2\n'), utf8('3\n')), NEVER).pipe(jsonLines({ maxLineBytes: 100 })));
    expect(seen.values).to.deep.equal([value(1), value(2), value(3)]);
    seen.unsubscribe();
  });

  it('subscribes once, and unsubscribes early', () => {
    testScheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const bytes$ = hot('  --a--b--c--', { a: utf8('1\n'), b: utf8('2\n'), c: utf8('3\n') });
      const subs = '        ^-----!';
      const unsub = '       ------!';
      const expected = '    --a--b-';
      expectObservable(bytes$.pipe(jsonLines({ maxLineBytes: 100 })), unsub).toBe(expected, { a: value(1), b: value(2) });
      expectSubscriptions(bytes$.subscriptions).toBe(subs);
    });
  });

  it('passes an error on, after the lines before it, and lets the unfinished line go', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const bytes$ = cold(' --a--#', { a: utf8('1\n2') });
      const subs = '        ^----!';
      const expected = '    --a--#';
      expectObservable(bytes$.pipe(jsonLines({ maxLineBytes: 100 }))).toBe(expected, { a: value(1) });
      expectSubscriptions(bytes$.subscriptions).toBe(subs);
    });
  });

  it('stays silent while the source does', () => {
    testScheduler().run(({ cold, expectObservable }) => {
      const bytes$ = cold<Uint8Array>('-');
      expectObservable(bytes$.pipe(jsonLines({ maxLineBytes: 100 }))).toBe('-');
    });
  });

  it('completes with the source, after an unterminated last line [R22]', async () => {
    expect(await read([utf8('1\n{"last":'), utf8('true}')])).to.deep.equal({ lines: [value(1), value({ last: true })], error: undefined, completed: true });
    expect(await read([])).to.deep.equal({ lines: [], error: undefined, completed: true });
    expect((await read([utf8('1\n')])).lines).to.deep.equal([value(1)]);
  });

  it('reports an unterminated last line that is cut off', async () => {
    const { lines } = await read([utf8('{"jsonrpc":"2.0","id":1,"res')]);
    expect(lines.map(({ type }) => type)).to.deep.equal(['malformed']);
  });

  it('goes on when a subscriber unsubscribes inside next', () => {
    const bytes$ = new Subject<Uint8Array>();
    const seen: JsonLine[] = [];
    const subscription = bytes$.pipe(jsonLines({ maxLineBytes: 100 })).subscribe((line) => {
      seen.push(line);
      subscription.unsubscribe();
    });
    bytes$.next(utf8('1\n2\n3\n'));
    expect(seen).to.deep.equal([value(1)]);
    expect(bytes$.observed).to.equal(false);
  });

  it('keeps the order when the source emits inside next [B95]', () => {
    const bytes$ = new Subject<Uint8Array>();
    const seen: unknown[] = [];
    const subscription = bytes$.pipe(jsonLines({ maxLineBytes: 100 })).subscribe((line) => {
      seen.push(line.type === 'value' && line.value);
      if (seen.length === 1) bytes$.next(utf8('4\n5\n'));
    });
    bytes$.next(utf8('1\n2\n3\n'));
    expect(seen).to.deep.equal([1, 2, 3, 4, 5]);
    subscription.unsubscribe();
  });

  describe('what is no JSON [R23 B01]', () => {
    it('is reported, and the lines around it are read', async () => {
      const { lines } = await read([utf8('Server v1.0 starting\n{"id":1}\n[MCP] list requested\n{\n{"id":2}\n')]);
      expect(lines.map((line) => (line.type === 'value' ? line.value : line.text))).to.deep.equal([
        'Server v1.0 starting',
        { id: 1 },
        '[MCP] list requested',
        '{',
        { id: 2 },
      ]);
      expect(lines.flatMap((line) => (line.type === 'malformed' ? [line.error instanceof SyntaxError] : []))).to.deep.equal([true, true, true]);
    });

    it('may be bytes that are no UTF-8', async () => {
      const { lines } = await read([cat([0xff, 0xfe, 0xc3], '\n1\n')]);
      expect(lines.map(({ type }) => type)).to.deep.equal(['malformed', 'value']);
    });

    it('spoils no string beside it: a broken character becomes U+FFFD there', async () => {
      expect((await read([cat('"a', [0xff], 'b"\n"漢"\n')])).lines).to.deep.equal([value('a\ufffdb'), value('漢')]);
    });

    it('blank lines are nothing', async () => {
      expect((await read([utf8('\n\r\n  \t \n1\n\n\n2\n \n')])).lines).to.deep.equal([value(1), value(2)]);
    });
  });

  describe('byte order marks and line ends [B02]', () => {
    const line = '{"id":1,"result":{}}';
    const expected = [value({ id: 1, result: {} })];

    it('drops a mark before a line, at any line', async () => {
      expect((await read([cat(BOM, `${line}\r\n`)])).lines).to.deep.equal(expected);
      expect((await read([cat('1\n', BOM, '2\n', BOM, '3\n')])).lines).to.deep.equal([value(1), value(2), value(3)]);
    });

    for (const at of [1, 2, 3]) {
      it(`drops a mark that is cut after ${at} bytes`, async () => {
        const bytes = cat(BOM, `${line}\n`);
        expect((await read([bytes.subarray(0, at), bytes.subarray(at)])).lines).to.deep.equal(expected);
      });
    }

    it('drops one before an unterminated last line, and one alone', async () => {
      expect((await read([cat(BOM, line)])).lines).to.deep.equal(expected);
      expect((await read([cat(BOM, '\n'), cat(BOM)])).lines).to.deep.equal([]);
    });

    it('leaves U+FEFF inside a string alone', async () => {
      expect((await read([utf8('"\ufeffa\ufeff"\n{"\ufeff":"\ufeff"}\n')])).lines).to.deep.equal([value('\ufeffa\ufeff'), value({ '\ufeff': '\ufeff' })]);
    });

    it('drops only one', async () => {
      expect((await read([cat(BOM, BOM, '1\n')])).lines.map(({ type }) => type)).to.deep.equal(['malformed']);
    });

    it('takes CRLF, also cut between CR and LF', async () => {
      expect((await read([utf8('1\r\n2\r'), utf8('\n3\r\n')])).lines).to.deep.equal([value(1), value(2), value(3)]);
    });

    it('takes no line end but LF: U+2028, U+2029 and U+0085 belong to strings', async () => {
      expect((await read([utf8('"a\u2028b\u2029c\u0085d"\n')])).lines).to.deep.equal([value('a\u2028b\u2029c\u0085d')]);
    });
  });

  describe('characters of several bytes [B03]', () => {
    const text = '{"漢":"é漢🦀","e":"👩‍👩‍👧"}\n["次"]\n';
    const expected = [value({ 漢: 'é漢🦀', e: '👩‍👩‍👧' }), value(['次'])];

    it('arrive whole one byte at a time', async () => {
      expect((await read(bytewise(utf8(text)))).lines).to.deep.equal(expected);
    });

    it('arrive whole wherever a chunk ends, with or without BOM, CRLF and a last line end', async () => {
      const crlf = cat(BOM, text.replaceAll('\n', '\r\n'));
      for (const bytes of [utf8(text), crlf, utf8(text.trimEnd())]) {
        for (let cut = 0; cut <= bytes.length; cut++) {
          const { lines, completed } = await read([bytes.subarray(0, cut), bytes.subarray(cut)]);
          expect(lines, `cut at ${cut} of ${bytes.length}`).to.deep.equal(expected);
          expect(completed).to.equal(true);
        }
      }
    });

    it('arrive whole wherever two chunks end', async () => {
      const bytes = utf8('"漢"\n"🦀"\n');
      for (let a = 0; a <= bytes.length; a++) {
        for (let b = a; b <= bytes.length; b++) {
          const { lines } = await read([bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)]);
          expect(lines, `cut at ${a} and ${b}`).to.deep.equal([value('漢'), value('🦀')]);
        }
      }
    });
  });

  describe('a line that is too long [B06]', () => {
    const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    const max = 20;

    it('may have exactly the limit', async () => {
      for (const chunks of [[`${text(max)}\n`], [text(max), '\n'], [text(max).slice(0, 7), `${text(max).slice(7)}\n`], [text(max)]]) {
        expect((await read(chunks.map(utf8), { maxLineBytes: max })).lines, JSON.stringify(chunks)).to.deep.equal([value('x'.repeat(max - 2))]);
      }
    });

    it('may have the limit in bytes, not in characters', async () => {
      const line = '"漢漢漢漢漢漢"'; // 20 bytes
      expect((await read([utf8(`${line}\n`)], { maxLineBytes: 20 })).lines).to.deep.equal([value('漢漢漢漢漢漢')]);
      expect((await read([utf8(`${line}\n`)], { maxLineBytes: 19 })).error).to.be.instanceOf(MessageTooLargeError);
    });

    it('fails with one more, whatever the chunks', async () => {
      const long = text(max + 1);
      for (const chunks of [[`${long}\n`], [long], [long, '\n'], [long.slice(0, max), long.slice(max)], [`1\n${long}\n2\n`], ['1\n', `${long}\n2\n`], [`1\n${long}`]]) {
        const { lines, error, completed } = await read(chunks.map(utf8), { maxLineBytes: max });
        expect(error, JSON.stringify(chunks)).to.be.instanceOf(MessageTooLargeError);
        expect(error.limitBytes).to.equal(max);
        expect(error.message).to.equal(`Incoming line exceeds the limit of ${max} bytes (maxMessageBytes)`);
        expect(lines, JSON.stringify(chunks)).to.deep.equal(chunks.join('').startsWith('1') ? [value(1)] : []);
        expect(completed).to.equal(false);
      }
    });

    it('lets the complete lines before a long tail through, then fails once', () => {
      const bytes$ = new Subject<Uint8Array>();
      const seen = record(bytes$.pipe(jsonLines({ maxLineBytes: 1_000 })));
      bytes$.next(cat('1\n2\n', Buffer.alloc(20 * MiB, 'A')));
      bytes$.next(utf8('\n3\n'));
      expect(seen.values).to.deep.equal([value(1), value(2)]);
      expect(seen.errors).to.have.length(1);
      expect(bytes$.observed).to.equal(false);
    });

    it('is measured by line: many lines in a chunk longer than the limit are fine', async () => {
      const { lines, error } = await read([utf8('1234567\n'.repeat(100))], { maxLineBytes: max });
      expect(error).to.equal(undefined);
      expect(lines).to.have.length(100);
    });

    it('is found between others in one chunk', async () => {
      const { lines, error } = await read([utf8(`1\n2\n${text(21)}\n3\n`)], { maxLineBytes: max });
      expect(lines).to.deep.equal([value(1), value(2)]);
      expect(error).to.be.instanceOf(MessageTooLargeError);
    });

    describe("with oversized: 'skip'", () => {
      const skipping = () => {
        const errors: MessageTooLargeError[] = [];
        const options: JsonLinesOptions = { maxLineBytes: max, oversized: 'skip', onOversized: (error) => errors.push(error) };
        return { errors, options };
      };

      it('is skipped up to its line end, whatever the chunks, and reported once', async () => {
        const long = text(90);
        const all = `1\n${long}\n2\n`;
        for (let cut = 0; cut <= all.length; cut++) {
          const { errors, options } = skipping();
          const { lines, error } = await read([utf8(all.slice(0, cut)), utf8(all.slice(cut))], options);
          expect(error, `cut at ${cut}`).to.equal(undefined);
          expect(lines, `cut at ${cut}`).to.deep.equal([value(1), value(2)]);
          expect(errors, `cut at ${cut}`).to.have.length(1);
        }
      });

      it('is skipped in single bytes, with others that are too long right after', async () => {
        const { errors, options } = skipping();
        const { lines } = await read(bytewise(utf8(`1\n${text(21)}\n${text(40)}\n2\n${text(20)}\n${text(22)}`)), options);
        expect(lines).to.deep.equal([value(1), value(2), value('x'.repeat(18))]);
        expect(errors).to.have.length(3);
      });

      it('may be the last one, without an end', async () => {
        const { errors, options } = skipping();
        expect(await read([utf8('1\n'), utf8('x'.repeat(50)), utf8('x')], options)).to.deep.equal({ lines: [value(1)], error: undefined, completed: true });
        expect(errors).to.have.length(1);
      });
    });

    it('is held without joining it again with every chunk: the cost is linear', () => {
      const { concat: original } = Buffer;
      let copied = 0;
      Buffer.concat = (list: readonly Uint8Array[], total?: number) => {
        for (const part of list) copied += part.byteLength;
        return original(list, total);
      };
      try {
        const bytes$ = new Subject<Uint8Array>();
        const seen = record(bytes$.pipe(jsonLines({ maxLineBytes: 64 * MiB })));
        const chunk = Buffer.alloc(65_536, 'x');
        const chunks = (32 * MiB) / chunk.length;
        bytes$.next(utf8('"'));
        for (let i = 0; i < chunks; i++) bytes$.next(chunk);
        expect(copied, 'copied before the line is complete').to.equal(0);
        bytes$.next(utf8('"\n'));
        expect(seen.values).to.have.length(1);
        expect((seen.values[0] as any).value).to.have.length(chunks * chunk.length);
        expect(copied).to.be.at.most(chunks * chunk.length + 3);
        seen.unsubscribe();
      } finally {
        Buffer.concat = original;
      }
    });

    it('takes about four times as long for four times the size', function () {
      this.timeout(60_000);
      const time = (megabytes: number): number => {
        const bytes$ = new Subject<Uint8Array>();
        const seen = record(bytes$.pipe(jsonLines({ maxLineBytes: 64 * MiB })));
        const chunk = Buffer.alloc(65_536, 'x');
        const start = performance.now();
        bytes$.next(utf8('"'));
        for (let i = 0; i < megabytes * 16; i++) bytes$.next(chunk);
        bytes$.next(utf8('"\n'));
        const took = performance.now() - start;
        expect(seen.values).to.have.length(1);
        seen.unsubscribe();
        return took;
      };
      const median = (megabytes: number): number => [0, 1, 2, 3, 4].map(() => time(megabytes)).sort((a, b) => a - b)[2]!;
      median(1);
      expect(median(32) / median(8)).to.be.below(10); // a quadratic join gives 16
    });
  });

  it('stops reading a synchronous source when nobody listens any more', () => {
    let chunks = 0;
    const endless$ = new Observable<Uint8Array>((subscriber) => {
      while (!subscriber.closed && chunks < 1_000) {
        chunks++;
        subscriber.next(utf8('1\n'));
      }
    });
    expect(record(endless$.pipe(jsonLines({ maxLineBytes: 100 }), take(1))).values).to.deep.equal([value(1)]);
    expect(chunks, 'chunks read after unsubscribing').to.equal(1);
    chunks = 0;
    expect(record(endless$.pipe(jsonLines({ maxLineBytes: 0.5 }))).errors).to.have.length(1);
    expect(chunks, 'chunks read after the error').to.equal(1);
  });

  it('passes on an error of a synchronous source', () => {
    const seen = record(concat(of(utf8('1\n')), throwError(() => new Error('pipe broke'))).pipe(jsonLines({ maxLineBytes: 100 })));
    expect(seen.values).to.deep.equal([value(1)]);
    expect(seen.errors.map(String)).to.deep.equal(['Error: pipe broke']);
  });
});
