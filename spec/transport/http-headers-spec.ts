import { expect } from 'chai';
import { defer, EMPTY, NEVER, of, throwError, type Observable } from 'rxjs';
import { ConfigError } from '../../lib/errors.ts';
import { checkHeaders, encodeMirrored, withHeaders, type HeaderFields, type HeadersSource } from '../../lib/transport/http-headers.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

/** The headers that a request is sent with. */
const sentWith = (source: HeadersSource | undefined): Observable<HeaderFields> => defer(() => withHeaders(source, (fields) => of(fields)));

describe('withHeaders', () => {
  const fields = { Authorization: 'Bearer x' };
  const expected = { authorization: 'Bearer x' };

  const sources: [title: string, source: HeadersSource | undefined, expected: object][] = [
    ['fields', fields, expected],
    ['nothing', undefined, {}],
    ['a function', () => fields, expected],
    ['an Observable', of(fields), expected],
    ['the first value of an Observable', of(fields, { Authorization: 'late' }), expected],
    ['a function that gives an Observable', () => of(fields), expected],
    ['an array of one', [fields], expected],
  ];
  for (const [title, source, result] of sources) {
    it(`takes ${title}, synchronously`, () => {
      expect(record(sentWith(source))).to.deep.include({ values: [result], completed: 1, errors: [] });
    });
  }

  it('takes a Promise, and a function that gives one', async () => {
    for (const source of [Promise.resolve(fields), async () => fields] as HeadersSource[]) {
      const seen = record(sentWith(source));
      await new Promise((resolve) => setTimeout(resolve));
      expect(seen).to.deep.include({ values: [expected], completed: 1 });
    }
  });

  it('sends once, and with what the source gives first', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('  --a--b--|', { a: { x: '1' }, b: { x: '2' } });
      const answer$ = cold('    --y--z|');
      const subs = '          --^-----!';
      const expectedMarbles = '----y--z|';
      expectObservable(withHeaders(source$, () => answer$)).toBe(expectedMarbles);
      expectSubscriptions(answer$.subscriptions).toBe(subs);
    });
  });

  it('asks again for each request', () => {
    let n = 0;
    const headers$ = sentWith(() => ({ n: String(++n) }));
    expect(n).to.equal(0);
    expect([record(headers$), record(headers$)].map(({ values }) => values)).to.deep.equal([[{ n: '1' }], [{ n: '2' }]]);
  });

  it('waits, and lets go when unsubscribed', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('--a--b', { a: { x: '1' }, b: { x: '2' } });
      const subs = '        ^-!';
      const expectedMarbles = '--(a|)';
      expectObservable(sentWith(source$)).toBe(expectedMarbles, { a: { x: '1' } });
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });

    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold<Record<string, string>>('----');
      const subs = '                               ^-!';
      expectObservable(sentWith(source$), '  --!').toBe('---');
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  it('fails with what the source fails with', () => {
    const error = new Error('no token');
    expect(record(sentWith(throwError(() => error))).errors).to.deep.equal([error]);
    expect(
      record(
        sentWith(() => {
          throw error;
        }),
      ).errors,
    ).to.deep.equal([error]);
  });

  it('fails when the source completes without a value, or gives no valid headers', () => {
    expect(record(sentWith(EMPTY)).errors[0]).to.be.instanceOf(ConfigError);
    expect(record(sentWith(of({ x: 'a\r\nb: c' }))).errors[0]).to.be.instanceOf(ConfigError);
    expect(record(sentWith(NEVER))).to.deep.include({ values: [], errors: [] });
  });
});

describe('checkHeaders', () => {
  it('writes names in lower case and leaves values alone', () => {
    expect(checkHeaders({ 'X-Api-Key': ' a\tb ', Accept: '', 'x-latin': 'é' })).to.deep.equal({ 'x-api-key': ' a\tb ', accept: '', 'x-latin': 'é' });
  });

  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'é', 'a\0', '(x)', 'x,y']) {
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      expect(() => checkHeaders({ [name]: 'x' })).to.throw(ConfigError);
    });
  }

  for (const value of ['a\r\nx: y', 'a\nb', 'a\rb', 'a\0b', '漢', '🦀', '\x7f', '\u0100', 7, undefined, null, ['a']]) {
    it(`refuses the value ${JSON.stringify(value)}, without showing it [B55]`, () => {
      expect(() => checkHeaders({ 'x-secret': value as never }))
        .to.throw(ConfigError)
        .with.property('message')
        .that.includes('x-secret')
        .and.does.not.include(typeof value === 'string' ? value : '"a"');
    });
  }
});

describe('encodeMirrored [B55]', () => {
  const decode = (text: string): string => {
    const base64 = /^=\?base64\?(.*)\?=$/.exec(text)?.[1];
    if (base64 === undefined) return text;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  };

  for (const value of ['add', 'with space', 'a\u007eb', '', '!', 'file:///x?y=%20', '=?other?x?=', '=?base64?', 'base64']) {
    it(`leaves ${JSON.stringify(value)} as it is`, () => {
      expect(encodeMirrored(value)).to.equal(value);
    });
  }

  for (const value of ['é', '漢字', '🦀', ' lead', 'trail ', ' ', 'a\r\nb: c', 'tab\t', 'in\tside', '\x7f', '\ufeffx', '=?base64?YQ==?=', '=?base64??=', '\ud800']) {
    it(`encodes ${JSON.stringify(value)} so that it comes back`, () => {
      const encoded = encodeMirrored(value);
      expect(encoded).to.match(/^=\?base64\?[A-Za-z0-9+/]*=*\?=$/);
      expect(decode(encoded)).to.equal(value === '\ud800' ? '\ufffd' : value);
      expect(() => checkHeaders({ 'mcp-name': encoded })).not.to.throw();
    });
  }

  it('encodes long values, too', () => {
    const value = '漢'.repeat(200_000);
    expect(decode(encodeMirrored(value))).to.equal(value);
  });
});
