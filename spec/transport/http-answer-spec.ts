import { expect } from 'chai';
import { EMPTY } from 'rxjs';
import { ParseError } from '../../lib/errors.ts';
import type { Diagnostic } from '../../lib/transport/diagnostic.ts';
import { isEventStream, messageOf } from '../../lib/transport/http-answer.ts';

describe('isEventStream', () => {
  const types: [contentType: string | null, expected: boolean][] = [
    ['text/event-stream', true],
    ['Text/Event-Stream; charset=UTF-8', true],
    [' text/event-stream ;charset=utf-8', true],
    ['text/event-stream;', true],
    ['text/event-stream-plus', false],
    ['application/json', false],
    ['application/json; was=text/event-stream', false],
    ['', false],
    [';', false],
    [null, false],
  ];
  for (const [contentType, expected] of types) {
    it(`is ${expected} of ${JSON.stringify(contentType)}`, () => {
      const headers = { get: (name: string) => (name === 'content-type' ? contentType : null) };
      expect(isEventStream({ status: 200, statusText: '', headers, body$: EMPTY })).to.equal(expected);
    });
  }
});

describe('messageOf [R36 B58]', () => {
  const of1 = (data: string, event?: string) => {
    const diagnostics: Diagnostic[] = [];
    const value = messageOf({ type: 'event', event: { id: undefined, event, data } }, (diagnostic) => diagnostics.push(diagnostic));
    return { value, kinds: diagnostics.map(({ kind }) => kind), diagnostics };
  };

  it('reads the data of an event without a type, or of type message', () => {
    expect(of1('{"a":1}').value).to.deep.equal({ a: 1 });
    expect(of1('{"a":1}', 'message')).to.deep.include({ value: { a: 1 }, kinds: [] });
  });

  it('skips other types with a diagnostic of capped text', () => {
    const { value, kinds, diagnostics } = of1('x'.repeat(1_000), 'y'.repeat(1_000));
    expect(value).to.equal(undefined);
    expect(kinds).to.deep.equal(['skipped-event']);
    expect(diagnostics[0]!.excerpt!.length).to.be.below(310);
    expect(diagnostics[0]!.message.length).to.be.below(400);
  });

  for (const data of ['', ' ', '\n\n']) {
    it(`skips empty data silently: ${JSON.stringify(data)}`, () => {
      expect(of1(data)).to.deep.include({ value: undefined, kinds: [] });
    });
  }

  it('reads the delay before a reconnect as no message', () => {
    expect(messageOf({ type: 'retry', delayMs: 1 }, () => expect.fail())).to.equal(undefined);
  });

  it('throws on what is not JSON, with an excerpt', () => {
    expect(() => of1('{"a":'))
      .to.throw(ParseError)
      .with.property('excerpt', '{"a":');
  });
});
