import { expect } from 'chai';
import { map, NEVER, throwError } from 'rxjs';
import { RedirectError } from '../../lib/errors.ts';
import type { HttpRequest } from '../../lib/transport/http-handler.ts';
import { followRedirects } from '../../lib/transport/redirects.ts';
import { answer, fakeHandler, json, type FakeHandler } from '../support/observable-http.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

const post: HttpRequest = { method: 'POST', url: 'https://a.example/mcp?key=secret', headers: { authorization: 'Bearer x' }, body: '{"id":1}' };
const redirect = (status: number, location?: string) => answer(status, location === undefined ? {} : { location });
const follow = ({ handler }: FakeHandler, request = post, limit?: number) => record(followRedirects(limit)(request, handler));

describe('followRedirects [B50]', () => {
  for (const status of [200, 202, 204, 300, 304, 400, 404, 500]) {
    it(`passes ${status} through`, () => {
      const response = answer(status, { location: 'https://b.example/' });
      const fake = fakeHandler(() => response);
      const seen = follow(fake);
      expect(seen.values).to.deep.equal([response]);
      expect(fake.requests).to.have.length(1);
      seen.unsubscribe();
      expect(fake.live).to.equal(0);
    });
  }

  for (const status of [307, 308]) {
    for (const location of ['/other/', 'https://a.example/other/', '//a.example/other/', 'https://A.example:443/other/']) {
      it(`follows ${status} to ${location} with method, headers and body`, () => {
        const fake = fakeHandler((_, n) => (n === 0 ? redirect(status, location) : json({ ok: 1 })));
        const seen = follow(fake);
        expect(seen.values.map((response) => response.status)).to.deep.equal([200]);
        expect(fake.requests[1]).to.deep.equal({ ...post, url: 'https://a.example/other/' });
        seen.unsubscribe();
        expect(fake.live).to.equal(0);
      });
    }
  }

  it('resolves a location against the URL it came from', () => {
    const fake = fakeHandler((_, n) => [redirect(307, 'sub/one'), redirect(308, 'two?x=1'), json({})][n]!);
    follow(fake, { ...post, url: 'https://a.example/mcp/' }).unsubscribe();
    expect(fake.requests.map(({ url }) => url)).to.deep.equal(['https://a.example/mcp/', 'https://a.example/mcp/sub/one', 'https://a.example/mcp/sub/two?x=1']);
  });

  const refused: [title: string, status: number, location: string | undefined][] = [
    ['another origin', 307, 'https://b.example/mcp'],
    ['another scheme', 308, 'http://a.example/mcp'],
    ['another port', 307, 'https://a.example:8443/mcp'],
    ['a subdomain', 307, 'https://x.a.example/mcp'],
    ['another origin behind user info', 307, 'https://a.example@b.example/'],
    ['301, which may turn a POST into a GET', 301, '/other'],
    ['302', 302, '/other'],
    ['303', 303, '/other'],
    ['305', 305, '/other'],
    ['306', 306, '/other'],
    ['no location', 307, undefined],
    ['an empty status of a browser that hides it', 0, undefined],
    ['no URL', 307, 'https://'],
    ['a script', 307, 'javascript:alert(1)'],
  ];
  for (const [title, status, location] of refused) {
    it(`refuses ${title}: one request, a typed error, no secrets in its text`, () => {
      const fake = fakeHandler(() => redirect(status, location));
      const seen = follow(fake);
      expect(seen.values).to.deep.equal([]);
      expect(seen.errors).to.have.length(1);
      expect(seen.errors[0]).to.be.instanceOf(RedirectError);
      expect(seen.errors[0].url).to.equal('https://a.example/mcp');
      expect(seen.errors[0].message).to.match(/^Redirect from https:\/\/a\.example\/mcp /);
      expect(seen.errors[0].message).not.to.match(/secret|undefined|Bearer/);
      expect(fake.requests).to.have.length(1);
      expect(fake.live).to.equal(0);
    });
  }

  it('shows no secrets of the location either', () => {
    const fake = fakeHandler(() => redirect(307, 'https://user:pass@b.example/x?token=abc#frag'));
    const [error] = follow(fake).errors;
    expect(error.location).to.equal('https://b.example/x');
    expect(error.message).not.to.match(/pass|abc|frag/);
  });

  it('ends a loop after five in a row', () => {
    const fake = fakeHandler(() => redirect(307, '/mcp'));
    const seen = follow(fake);
    expect(seen.errors[0]).to.be.instanceOf(RedirectError);
    expect(fake.requests).to.have.length(6);
    expect(fake.live).to.equal(0);
  });

  it('takes a limit', () => {
    const fake = fakeHandler((_, n) => redirect(307, `/${n}`));
    expect(follow(fake, post, 1).errors).to.have.length(1);
    expect(fake.requests).to.have.length(2);
    const none = fakeHandler(() => redirect(307, '/x'));
    expect(follow(none, post, 0).errors).to.have.length(1);
    expect(none.requests).to.have.length(1);
  });

  it('passes an error of the handler on', () => {
    const error = new Error('reset');
    expect(follow(fakeHandler(() => throwError(() => error))).errors).to.deep.equal([error]);
    expect(follow(fakeHandler((_, n) => (n === 0 ? redirect(307, '/x') : throwError(() => error)))).errors).to.deep.equal([error]);
  });

  it('stays subscribed while the answer is read, and ends every exchange when unsubscribed', () => {
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const first$ = cold('  --a------', { a: redirect(307, '/x') });
      const second$ = cold(' --b---b  ', { b: json({}) });
      const firstSubs = '    ^-----!  ';
      const secondSubs = '   --^---!  ';
      const unsub = '        ------!  ';
      const expected = '     ----2--  ';
      const status$ = followRedirects()(post, (request) => (request === post ? first$ : second$)).pipe(map(({ status }) => String(status)));
      expectObservable(status$, unsub).toBe(expected, { 2: '200' });
      expectSubscriptions(first$.subscriptions).toBe(firstSubs);
      expectSubscriptions(second$.subscriptions).toBe(secondSubs);
    });
  });

  it('leaves the body of what it follows unread', () => {
    let read = 0;
    const body$ = NEVER;
    const fake = fakeHandler((_, n) => {
      if (n > 0) return json({});
      const response = answer(307, { location: '/x' }, body$);
      return { ...response, get body$() { read++; return response.body$; } };
    });
    follow(fake).unsubscribe();
    expect(read).to.equal(0);
  });
});
