import { expect } from 'chai';
import { concat, ignoreElements, NEVER, of, throwError, timer, type Observable } from 'rxjs';
import { ParseError } from '../../lib/errors.ts';
import type { Diagnostic } from '../../lib/transport/diagnostic.ts';
import type { HttpResponse } from '../../lib/transport/http-handler.ts';
import { sseListener } from '../../lib/transport/sse-listener.ts';
import { answer, events, utf8 } from '../support/observable-http.ts';
import { inVirtualTime, record, testScheduler, type VirtualTime } from '../support/test-scheduler.ts';

const open$ = (text: string): Observable<Uint8Array> => concat(of(utf8(text)), NEVER);
const message = (n: number) => `data: {"jsonrpc":"2.0","method":"n","params":{"n":${n}}}\n\n`;

/** A listener whose nth connection gets the nth answer; the last one for all later ones. */
function listen(time: VirtualTime, ...answers: (HttpResponse | Observable<HttpResponse> | (() => HttpResponse))[]) {
  const opened: { at: number; after: string | undefined }[] = [];
  const messages: any[] = [];
  const diagnostics: Diagnostic[] = [];
  const start = time.now();
  const seen = record(
    sseListener({
      open: (after) => {
        opened.push({ at: time.now() - start, after });
        const next = answers[Math.min(opened.length, answers.length) - 1]!;
        const response = typeof next === 'function' ? next() : next;
        return 'status' in response ? concat(of(response), NEVER) : response;
      },
      maxEventBytes: 1_000,
      onMessage: (value) => messages.push(value),
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    }),
  );
  return { seen, opened, messages, diagnostics, kinds: () => diagnostics.map(({ kind }) => kind) };
}

const times = (opened: { at: number }[]) => opened.map(({ at }) => at);

describe('sseListener [R32]', () => {
  it('hands each message on, and stays open', () => {
    inVirtualTime((time) => {
      const { seen, messages, opened, diagnostics } = listen(time, events(open$(message(1) + message(2))));
      time.flush();
      expect(messages.map(({ params }) => params.n)).to.deep.equal([1, 2]);
      expect(seen).to.deep.include({ values: [], completed: 0, errors: [] });
      expect(opened).to.deep.equal([{ at: 0, after: undefined }]);
      expect(diagnostics).to.deep.equal([]);
      seen.unsubscribe();
    });
  });

  it('is cold, and ends its exchange when unsubscribed', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const body$ = cold('     ---a--', { a: utf8(message(1)) });
      const response$ = cold(' -r----', { r: events(body$) });
      const responseSubs = '   ^----!';
      const bodySubs = '       -^---!';
      const unsub = '          -----!';
      const listener$ = sseListener({ open: () => response$, maxEventBytes: 1_000, onMessage: () => {}, onDiagnostic: () => {} });
      expectObservable(listener$, unsub).toBe('------');
      expectSubscriptions(response$.subscriptions).toBe(responseSubs);
      expectSubscriptions(body$.subscriptions).toBe(bodySubs);
    });
  });

  for (const status of [400, 401, 403, 404, 405, 406, 410, 501]) {
    it(`is not offered where GET is refused with ${status}: it completes silently [B47]`, () => {
      inVirtualTime((time) => {
        const { seen, opened, diagnostics } = listen(time, answer(status, {}, 'Method Not Allowed'));
        time.flush();
        expect(seen).to.deep.include({ completed: 1, errors: [], endedAt: 0 });
        expect(opened).to.have.length(1);
        expect(diagnostics.map(({ kind, error }) => [kind, error])).to.deep.equal([['listener', undefined]]);
      });
    });
  }

  for (const [title, response] of [
    ['204', answer(204)],
    ['200 with JSON', answer(200, { 'content-type': 'application/json' }, '{}')],
    ['200 with a page', answer(200, { 'content-type': 'text/html' }, '<html>')],
    ['200 without a type', answer(200)],
  ] as const) {
    it(`is not offered where GET is answered with ${title} [B47]`, () => {
      inVirtualTime((time) => {
        const { seen, opened, kinds, messages } = listen(time, response);
        time.flush();
        expect(seen.completed).to.equal(1);
        expect(opened).to.have.length(1);
        expect(kinds()).to.deep.equal(['listener']);
        expect(messages).to.deep.equal([]);
      });
    });
  }

  for (const status of [409, 429, 500, 502, 503]) {
    it(`tries again after ${status}`, () => {
      inVirtualTime((time) => {
        const { seen, opened } = listen(time, answer(status), events(open$(message(1))));
        time.flush();
        expect(times(opened)).to.deep.equal([0, 1_000]);
        seen.unsubscribe();
      });
    });
  }

  it('takes a content type with parameters, in any case', () => {
    inVirtualTime((time) => {
      const { seen, messages } = listen(time, answer(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' }, open$(message(1))));
      time.flush();
      expect(messages).to.have.length(1);
      seen.unsubscribe();
    });
  });

  describe('when the stream is lost', () => {
    it('reconnects after the last event seen [B63]', () => {
      inVirtualTime((time) => {
        const { seen, opened, messages } = listen(time, events(of(utf8(`id: 1\n${message(1)}id: 2\n${message(2)}`))), events(of(utf8(message(3)))), events(open$(message(4))));
        time.flush();
        expect(opened.map(({ after }) => after)).to.deep.equal([undefined, '2', '2']);
        expect(messages.map(({ params }) => params.n)).to.deep.equal([1, 2, 3, 4]);
        seen.unsubscribe();
      });
    });

    it('takes the id of an event without data, and of one that is not JSON [B56]', () => {
      inVirtualTime((time) => {
        const { seen, opened } = listen(time, events(of(utf8('id: prime\ndata:\n\n'))), events(of(utf8('id: odd\ndata: no json\n\n'))), events(NEVER));
        time.flush();
        expect(opened.map(({ after }) => after)).to.deep.equal([undefined, 'prime', 'odd']);
        seen.unsubscribe();
      });
    });

    it('does not resume after an id that was taken back', () => {
      inVirtualTime((time) => {
        const { seen, opened } = listen(time, events(of(utf8(`id: 1\n${message(1)}id:\n${message(2)}`))), events(NEVER));
        time.flush();
        expect(opened.map(({ after }) => after ?? '')).to.deep.equal(['', '']);
        seen.unsubscribe();
      });
    });

    it('waits twice as long each time, up to 30 seconds, then gives up [B62]', () => {
      inVirtualTime((time) => {
        const { seen, opened, diagnostics } = listen(time, throwError(() => new Error('refused')));
        time.flush();
        const waits = times(opened).map((at, i, all) => at - (all[i - 1] ?? 0));
        expect(waits).to.deep.equal([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        expect(seen).to.deep.include({ completed: 1, errors: [] });
        expect(diagnostics.at(-1)!.message).to.include('given up: no message in 8');
        expect(diagnostics.every(({ kind, error }) => kind === 'listener' && error === undefined)).to.equal(true);
      });
    });

    it('an open alone does not reset the budget; neither do comments and empty events [B62]', () => {
      inVirtualTime((time) => {
        const { seen, opened } = listen(time, () => events(of(utf8(': hi\n\nid: 1\ndata:\n\nevent: ping\ndata: {}\n\n'))));
        time.flush();
        expect(opened).to.have.length(9);
        expect(seen.completed).to.equal(1);
      });
    });

    it('a message resets it', () => {
      inVirtualTime((time) => {
        const fail = throwError(() => new Error('x'));
        const { seen, opened } = listen(time, fail, fail, fail, events(of(utf8(message(1)))), fail, events(NEVER));
        time.flush();
        expect(times(opened)).to.deep.equal([0, 1_000, 3_000, 7_000, 8_000, 10_000]);
        seen.unsubscribe();
      });
    });

    it('waits as long as the server says, the first time', () => {
      inVirtualTime((time) => {
        const { seen, opened } = listen(time, events(of(utf8(`retry: 250\n\n${message(1)}`))), throwError(() => new Error('x')), events(NEVER));
        time.flush();
        expect(times(opened)).to.deep.equal([0, 250, 2_250]);
        seen.unsubscribe();
      });
    });

    it('quietly opens an idle stream again that the platform cuts every five minutes, for hours [B65]', () => {
      inVirtualTime((time) => {
        const idle$ = concat(timer(301_000).pipe(ignoreElements()), throwError(() => new TypeError('terminated')));
        const { seen, opened, kinds } = listen(time, events(idle$));
        time.at(12 * 3_600_000, () => seen.unsubscribe());
        time.flush();
        expect(opened.length).to.equal(Math.ceil((12 * 3_600_000) / 302_000)); // each a second after the cut
        expect(new Set(kinds())).to.deep.equal(new Set(['listener']));
        expect(seen).to.deep.include({ completed: 0, errors: [] });
      });
    });

    it('waits while the old stream is still registered: 409 is not fatal [B65]', () => {
      inVirtualTime((time) => {
        const { seen, opened, messages } = listen(time, events(throwError(() => new TypeError('terminated'))), answer(409), answer(409), events(open$(message(1))));
        time.flush();
        expect(times(opened)).to.deep.equal([0, 1_000, 3_000, 7_000]);
        expect(messages).to.have.length(1);
        seen.unsubscribe();
      });
    });

    it('survives a broken body and an event that is too long', () => {
      inVirtualTime((time) => {
        const broken$ = concat(of(utf8(message(1))), throwError(() => new Error('socket hang up')));
        const { seen, opened, messages, diagnostics } = listen(time, events(broken$), events(open$(`data: ${'x'.repeat(2_000)}`)), events(open$(message(2))));
        time.flush();
        expect(messages.map(({ params }) => params.n)).to.deep.equal([1, 2]);
        expect(opened).to.have.length(3);
        expect(diagnostics.map(({ message: text }) => text).join('\n')).to.include('socket hang up').and.include('exceeds the limit');
        seen.unsubscribe();
      });
    });

    it('is stopped by unsubscribing while it waits', () => {
      inVirtualTime((time) => {
        const { seen, opened } = listen(time, throwError(() => new Error('x')));
        time.at(500, () => seen.unsubscribe());
        time.flush();
        expect(opened).to.have.length(1);
      });
    });
  });

  it('a retry longer than any timer does not reconnect at once', async () => {
    let opened = 0;
    const seen = record(
      sseListener({
        open: () => {
          opened++;
          return of(events(of(utf8(`retry: 3000000000\n\n${message(1)}`))));
        },
        maxEventBytes: 1_000,
        onMessage: () => {},
        onDiagnostic: () => {},
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(opened).to.equal(1);
    seen.unsubscribe();
  });

  it('reports an event that is not JSON as a failure, and goes on with the next', () => {
    inVirtualTime((time) => {
      const { seen, messages, diagnostics, opened } = listen(time, events(open$(`data: {"x\n\n${message(1)}`)));
      time.flush();
      expect(messages).to.have.length(1);
      expect(diagnostics.map(({ kind }) => kind)).to.deep.equal(['failure']);
      expect(diagnostics[0]!.error).to.be.instanceOf(ParseError);
      expect(opened).to.have.length(1);
      seen.unsubscribe();
    });
  });
});
