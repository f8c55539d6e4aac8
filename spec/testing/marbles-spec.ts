// Marble tests of an application over MCP: what the server sends, what the client is to send, and what users do, as diagrams.
import { expect } from 'chai';
import { asapScheduler, catchError, debounceTime, interval, map, merge, of, switchMap, take, takeUntil, type Observable } from 'rxjs';
import { ConnectionClosedError, ProtocolError, RequestTimeoutError, RpcError, withLiveViews, withOutputValidation, type McpClient } from '../../lib/index.ts';
import { answerTo, failureOf, MarbleMismatchError, MarbleSetupError, progressOf, runMcpMarbles, type McpMarbles } from '../../lib/testing.ts';

/** The code under test: looks for what is typed, once the typing rests. */
const search = (client: McpClient, typed$: Observable<string>) =>
  typed$.pipe(
    debounceTime(20),
    switchMap((text) => client.callTool('search', { text })),
    map(({ content }) => content.length),
  );

const found = { content: [{ type: 'text', text: 'found' }] };
const searching = (text: string) => ({ method: 'tools/call', params: { name: 'search', arguments: { text } } });

/** What a run throws. */
function thrownBy(run: () => void): any {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

describe('runMcpMarbles()', () => {
  it('has at once what features import on demand elsewhere', () => {
    const tool = { name: 'weather', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['sky'] } };
    runMcpMarbles({ client: { features: [withOutputValidation('strict')] } }, ({ client, inbound, expectObservable }) => {
      const answers = ' 1ms l 9ms r';
      const expected = '1ms - 9ms (e|)';
      inbound(answers, { l: answerTo('tools/list', { tools: [tool] }), r: answerTo('tools/call', { content: [], structuredContent: {} }) });
      const checked$ = client.listTools().pipe(
        switchMap(() => client.callTool('weather')),
        catchError((error: unknown) => of((error as Error).name)),
      );
      expectObservable(checked$).toBe(expected, { e: 'OutputValidationError' });
    });
  });

  for (const era of ['legacy', 'modern'] as const) {
    describe(`with a ${era} server`, () => {
      it('plays the server, and looks at what the client sends and the application shows', () => {
        runMcpMarbles({ era }, ({ client, hot, inbound, expectOutbound, expectObservable }) => {
          const typed$ = hot('  a-b       37ms     c               ');
          const sent = '        22ms b    37ms     c               ';
          const answers = '     30ms r    39ms     s               ';
          const expected = answers;
          inbound(answers, { r: answerTo('tools/call', found), s: answerTo('tools/call', { content: [] }) });
          expectOutbound(sent, { b: searching('b'), c: searching('c') });
          expectObservable(search(client, typed$)).toBe(expected, { r: 1, s: 0 });
        });
      });

      it('tells the server when an answer is no longer wanted', () => {
        runMcpMarbles({ era }, ({ client, hot, expectOutbound, expectObservable }) => {
          const typed$ = hot('a 29ms b------');
          const sent = '      20ms a 29ms (xb) 7ms x';
          expectOutbound(sent, { a: searching('a'), b: searching('b'), x: 'notifications/cancelled' });
          const unsub = '     ^ 60ms !';
          expectObservable(search(client, typed$), unsub).toBe('');
        });
      });

      it('has requests numbered from 1 after the handshake, for those who look at ids', () => {
        runMcpMarbles({ era }, ({ client, when, inbound, expectOutbound, expectObservable }) => {
          const call$ = client.callTool('search');
          when('          a', { a: () => call$.pipe(takeUntil(client.notifications$)).subscribe() });
          inbound('       --n', { n: { method: 'notifications/message', params: { level: 'info', data: 'enough' } } });
          const ids = { a: { id: 1, method: 'tools/call', params: { name: 'search', arguments: {} } }, x: { method: 'notifications/cancelled', params: { requestId: 1, reason: 'The client no longer needs the result' } } };
          expectOutbound('a-x', ids, { ids: 'exact' });
          expectObservable(client.logs$).toBe('--l', { l: { level: 'info', data: 'enough' } });
        });
      });

      it('ends the connection at |, and what waits learns it', () => {
        runMcpMarbles({ era }, ({ client, inbound, expectObservable }) => {
          inbound('                                         ---|');
          expectObservable(client.callTool('search')).toBe('---#', undefined, new ConnectionClosedError());
          expectObservable(client.state$.pipe(map(({ status }) => status))).toBe('r--d', { r: 'ready', d: 'disconnected' });
        });
      });

      it('lets the transport fail at #', () => {
        runMcpMarbles({ era }, ({ client, inbound, expectObservable }) => {
          const error = new ProtocolError('The line is dead');
          inbound('                                         ---#', {}, { error });
          expectObservable(client.callTool('search')).toBe('---#', undefined, error);
        });
      });

      it('has errors and progress for the diagram, too', () => {
        runMcpMarbles({ era }, ({ client, inbound, expectObservable }) => {
          inbound('                -p-f', { p: progressOf('tools/call', { progress: 1, total: 2 }), f: failureOf('tools/call', -32000, 'too much') });
          const progress$ = client.callTool('search', {}, { observe: 'events' }).pipe(map((event) => (event.type === 'progress' ? event.progress.progress : event.type)));
          expectObservable(progress$).toBe('-p-#', { p: 1 }, new RpcError(-32000, 'too much'));
        });
      });

      it('mixes rules with diagrams, and time with both', () => {
        runMcpMarbles({ era }, ({ client, server, expectObservable }) => {
          server.when('tools/call', { name: 'slow' }).after(29_999).answer({ content: [] });
          expectObservable(client.callTool('slow')).toBe(' 29999ms (r|)', { r: { content: [] } });
          expectObservable(client.callTool('never')).toBe('30s #', undefined, new RequestTimeoutError('tools/call', 30_000));
        });
      });

      it('has user actions in a diagram, and answers of the client among what it sends', () => {
        const handlers = { 'elicitation/create': () => [{ action: 'accept', content: { name: 'Ada' } }] };
        runMcpMarbles({ era: 'legacy', client: { requestHandlers: handlers, capabilities: { elicitation: {} } } }, ({ client, server, when, inbound, expectOutbound, expectObservable }) => {
          when('          a--b', { a: () => client.notify('notifications/roots/list_changed'), b: () => client.close() });
          inbound('       -q', { q: { id: 'q', method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } } } });
          expectOutbound('nr-|', { n: 'notifications/roots/list_changed', r: { id: 'q', result: { action: 'accept', content: { name: 'Ada' } } } });
          expectObservable(server.received$).toBe('ar-e', {
            a: { connection: 1, message: { jsonrpc: '2.0', method: 'notifications/roots/list_changed' } },
            r: { connection: 1, message: { jsonrpc: '2.0', id: 'q', result: { action: 'accept', content: { name: 'Ada' } } } },
            e: { connection: 1, message: undefined },
          });
        });
      });

      it('lets the test connect by itself', () => {
        runMcpMarbles({ era, opening: 'scripted' }, ({ client, when, expectObservable, expectOutbound }) => {
          when('---c', { c: () => client.connect() });
          expectObservable(client.state$.pipe(map(({ status }) => status))).toBe('i--(cr)', { i: 'idle', c: 'connecting', r: 'ready' });
          if (era === 'modern') expectOutbound('---d', { d: 'server/discover' });
          else expectOutbound('---(din)', { d: 'server/discover', i: 'initialize', n: 'notifications/initialized' });
        });
      });
    });
  }

  it('takes features of the client', () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
    for (const era of ['legacy', 'modern'] as const) {
      runMcpMarbles({ era, tools: [tool('a')], client: { features: [withLiveViews()] } }, ({ client, server, at, expectObservable }) => {
        at(300, () => {
          server.setTools([tool('a'), tool('b')]);
        });
        const names$ = client.tools$.pipe(map((tools) => tools.map(({ name }) => name).join()));
        expectObservable(names$, '^ 400ms !').toBe('a 299ms b', { a: 'a', b: 'a,b' });
      });
    }
  });

  it('writes the handshake as a diagram, where that is what is tested', () => {
    runMcpMarbles({ opening: 'diagram' }, ({ client, inbound, expectOutbound, expectObservable }) => {
      inbound('       ---d', { d: answerTo('server/discover', { supportedVersions: ['2026-07-28'], capabilities: {} }) });
      expectOutbound('d---t---x', { d: { id: 1, method: 'server/discover' }, t: 'tools/list', x: 'notifications/cancelled' }, { ids: 'exact' });
      const connected$ = client.connect().pipe(map(({ protocolVersion }) => protocolVersion));
      expectObservable(connected$).toBe('---(v|)', { v: '2026-07-28' });
      expectObservable(client.listTools(), '----^---!').toBe('');
    });
  });

  it('lets time pass in steps, for tests that look instead of drawing', () => {
    runMcpMarbles(({ client, server, advance, now }) => {
      server.when('tools/call').after(10).answer({ content: [] });
      const results: unknown[] = [];
      client.callTool('x').subscribe((result) => results.push(result));
      advance(9);
      expect([results, now()]).to.deep.equal([[], 9]);
      advance(1);
      expect([results, now()]).to.deep.equal([[{ content: [] }], 10]);
    });
  });

  it('manages many servers in virtual time', () => {
    runMcpMarbles(({ scriptedServer, createManager, advance, inbound, expectOutbound, expectObservable }) => {
      const tools = (name: string) => [{ name, inputSchema: { type: 'object' as const } }];
      const github = scriptedServer({ era: 'modern', tools: tools('issue') });
      const files = scriptedServer({ era: 'legacy', tools: tools('read'), unmatched: 'silent' });
      const manager = createManager({ github, files });
      void manager.discoverAndConnect();
      advance(300);
      inbound('       --r', { r: answerTo('tools/call', found) }, { from: files });
      expectOutbound('r', { r: { method: 'tools/call', params: { name: 'read', arguments: {} } } }, { at: files });
      expectOutbound(' ', {}, { at: github });
      expectObservable(manager.tools$.pipe(map((all) => all.map(({ name }) => name).join())), '^--!').toBe('t', { t: 'files__read,github__issue' });
      expectObservable(manager.callTool('files__read')).toBe('--(r|)', { r: found });
    });
  });

  describe('says what is wrong', () => {
    it('with a diagram: the moment, and where the values differ', () => {
      const error = thrownBy(() => {
        runMcpMarbles(({ client, inbound, expectObservable }) => {
          inbound('                                         -r', { r: answerTo('tools/call', { content: [{ type: 'text', text: 'b' }] }) });
          expectObservable(client.callTool('search')).toBe('-(r|)', { r: { content: [{ type: 'text', text: 'a' }] } });
        });
      });
      expect(error).to.be.instanceOf(MarbleMismatchError);
      expect(error.message.split('\n').slice(0, 2)).to.deep.equal(['Expected 1 ms: {"content":[{"type":"text","text":"a"}]}, got 1 ms: {"content":[{"type":"text","text":"b"}]}', '  where content[0].text should be "a", and is "b"']);
      expect(error.expected).to.have.length(2);
      expect(error.actual).to.have.length(2);
    });

    it('with a moment', () => {
      const error = thrownBy(() => {
        runMcpMarbles(({ client, inbound, expectObservable }) => {
          inbound('                                         --r', { r: answerTo('tools/call', found) });
          expectObservable(client.callTool('search')).toBe('-(r|)', { r: found });
        });
      });
      expect(error.message).to.match(/^Expected 1 ms: .*, got 2 ms: /);
    });

    it('with what the client sends: another argument, nothing, or too much', () => {
      const sending = (diagram: string, texts: readonly string[]) =>
        thrownBy(() => {
          runMcpMarbles(({ client, when, expectOutbound }) => {
            when(' a', { a: () => merge(...texts.map((text) => client.callTool('search', { text }))).subscribe({ error: () => {} }) });
            expectOutbound(diagram, { a: searching('a') });
          });
        }).message;
      expect(sending('a', ['b'])).to.include('where params.arguments.text should be "a", and is "b"');
      expect(sending('a', [])).to.match(/^Expected 0 ms: .*, got nothing more/);
      expect(sending('a', ['a', 'b'])).to.match(/^Expected nothing more, got 0 ms: /);
    });

    it('with ids, where they count', () => {
      const exactly = (id: number, requestId: number) => () => {
        runMcpMarbles(({ client, expectOutbound, expectObservable }) => {
          expectOutbound('a-x', { a: { id, method: 'ping' }, x: { method: 'notifications/cancelled', params: { requestId, reason: 'The client no longer needs the result' } } }, { ids: 'exact' });
          expectObservable(client.request('ping'), '^-!').toBe('');
        });
      };
      exactly(1, 1)();
      expect(exactly(2, 1)).to.throw(MarbleMismatchError, 'where id should be 2, and is 1');
      expect(exactly(1, 2)).to.throw(MarbleMismatchError, 'where params.requestId should be 2, and is 1');
    });

    it('in the words of the runner, if it is given its comparison', () => {
      const error = thrownBy(() => {
        runMcpMarbles({ assertDeepEqual: (actual, expected) => expect(actual).to.deep.equal(expected) }, ({ client, expectObservable }) => {
          expectObservable(client.state$).toBe('x');
        });
      });
      expect(error.name).to.equal('AssertionError');
    });

    for (const [what, text, run] of [
      ['an answer that nobody waits for', 'There is no prompts/get to answer at this marble; without an answer are: tools/call', ({ client, inbound, when }) => {
        when('a', { a: () => client.callTool('search').subscribe({ error: () => {} }) });
        inbound('-r', { r: answerTo('prompts/get', {}) });
      }],
      ['progress that nobody asked for', 'asked for no progress of tools/call', ({ client, inbound, when }) => {
        when('a', { a: () => client.callTool('search').subscribe({ error: () => {} }) });
        inbound('-r', { r: progressOf('tools/call', { progress: 1 }) });
      }],
      ['a letter without a message', 'no message for the marble "r"', ({ inbound }) => {
        inbound('-r', {});
      }],
      ['a letter without an action', 'no action for the marble "a"', ({ when }) => {
        when('a', {});
      }],
      ['a test that is asynchronous', 'cannot be asynchronous', (async () => {
        throw new Error('late');
      })],
      ['what never ends', 'Something still runs after 3600000 ms', () => {
        interval(1_000).subscribe();
      }],
    ] as [string, string, (marbles: McpMarbles<readonly []>) => void][]) {
      it(`with ${what}`, () => {
        const error = thrownBy(() => {
          runMcpMarbles(run);
        });
        expect(error).to.be.instanceOf(MarbleSetupError);
        expect(error.message).to.include(text);
      });
    }

    it('with a handshake that does not end at frame 0', () => {
      const error = thrownBy(() => {
        runMcpMarbles({ revision: '1999-01-01' }, () => {});
      });
      expect(error).to.be.instanceOf(MarbleSetupError);
      expect(error.message).to.match(/not connected at frame 0.*1999-01-01/);
    });

    it('with what an action throws', () => {
      const error = thrownBy(() => {
        runMcpMarbles(({ at, client, expectObservable }) => {
          expectObservable(client.notifications$).toBe('n'); // nor does this come true
          at(5, () => {
            throw new TypeError('mine');
          });
        });
      });
      expect(error).to.be.instanceOf(TypeError);
    });
  });

  it('does what was about to happen before time became virtual', () => {
    const done: string[] = [];
    asapScheduler.schedule(() => done.push('before'));
    runMcpMarbles(({ client }) => {
      expect(client.connected).to.equal(true);
      expect(done).to.deep.equal(['before']);
    });
  });

  it('leaves the schedulers of RxJS as they were, also after a test that failed', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      thrownBy(() => {
        runMcpMarbles({ era }, ({ client, at }) => {
          client.callTool('search').subscribe({ error: () => {} });
          at(5, () => {
            client.callTool('search').subscribe({ error: () => {} });
            throw new Error('in the middle');
          });
        });
      });
    }
    await new Promise<void>((resolve) => asapScheduler.schedule(resolve));
  });

  it('closes the client, the managers and the connections at its end', () => {
    let seen: McpClient | undefined;
    const statuses: string[] = [];
    runMcpMarbles(({ client }) => {
      seen = client;
      client.state$.subscribe(({ status }) => statuses.push(status));
      client.notifications$.pipe(take(1)).subscribe();
    });
    expect(seen?.connected).to.equal(false);
    expect(statuses).to.deep.equal(['ready', 'closed']);
  });
});
