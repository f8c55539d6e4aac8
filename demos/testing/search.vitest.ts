// The same specs as for Jasmine, as a user of Vitest writes them.
import { firstValueFrom, lastValueFrom, NEVER, of, skip } from 'rxjs';
import { createClient } from 'rxjs-mcp';
import { answerTo, expectNoLeaks, runMcpMarbles, scriptedServer } from 'rxjs-mcp/testing';
import { describe, expect, it } from 'vitest';
import { search } from './search.ts';

const assertDeepEqual = (actual: unknown, expected: unknown): void => {
  expect(actual).toEqual(expected);
};

describe('search()', () => {
  const states = {
    i: { status: 'idle' },
    s: { status: 'searching' },
    f: { status: 'found', text: 'two lines' },
    t: { status: 'failed', reason: 'Request timeout after 5000ms' },
  };
  const found = { content: [{ type: 'text', text: 'two lines' }] };

  it('searches once the typing rests, and shows what is found', () => {
    runMcpMarbles({ assertDeepEqual }, ({ client, hot, inbound, expectOutbound, expectObservable }) => {
      const typed$ = hot('  --a-b                 ');
      const sent = '        ---- 200ms c          ';
      inbound('             ---- 200ms ---r       ', { r: answerTo('tools/call', found) });
      const expected = '    i--- 200ms s--f       ';
      expectOutbound(sent, { c: { method: 'tools/call', params: { name: 'search', arguments: { text: 'b' } } } });
      expectObservable(search(client, typed$, hot('-'))).toBe(expected, states);
    });
  });

  it('cancels at the server what nobody wants any more', () => {
    runMcpMarbles({ assertDeepEqual }, ({ client, hot, expectOutbound, expectObservable }) => {
      const typed$ = hot('  a                     ');
      const closed$ = hot(' 200ms --x             ');
      const expected = '    i 199ms s-|           ';
      expectOutbound('      200ms c-x             ', { c: 'tools/call', x: 'notifications/cancelled' });
      expectObservable(search(client, typed$, closed$)).toBe(expected, states);
    });
  });

  it('says so when the server does not answer, and searches again', () => {
    runMcpMarbles({ assertDeepEqual }, ({ client, server, hot, expectObservable }) => {
      server.when('tools/call', { arguments: { text: 'slow' } }).silent();
      server.when('tools/call', { arguments: { text: 'fast' } }).after(10).answer(found);
      const typed$ = hot('  a 5999ms b            ', { a: 'slow', b: 'fast' });
      const expected = '    i 199ms s 4999ms t 999ms s 9ms f';
      expectObservable(search(client, typed$, hot('-'))).toBe(expected, states);
    });
  });

  it('leaves nothing behind', () =>
    expectNoLeaks(async (watch) => {
      const server = scriptedServer({ era: 'legacy' });
      server.when('tools/call').answer(found);
      const client = watch(createClient(server.open));
      await lastValueFrom(client.connect());
      const seen = await firstValueFrom(search(client, of('a'), NEVER).pipe(skip(2)));
      assertDeepEqual(seen, states.f);
      await lastValueFrom(client.close(), { defaultValue: undefined });
    }));
});
