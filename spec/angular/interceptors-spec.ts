import '@angular/compiler'; // first: what follows is compiled when it is loaded
import { inject, InjectionToken } from '@angular/core';
import { expect } from 'chai';
import { of } from 'rxjs';
import { mcpTool, provideMcp, withMcpInterceptors, withMcpOptions, type McpInterceptorFn } from '../../lib/angular.ts';
import { withLogLevel, type HttpRequest, type ServerEntry } from '../../lib/index.ts';
import { fixtureUrls } from '../support/fixtures.ts';
import { until } from '../support/outcome.ts';
import { endApps, inPage, start } from './app.ts';

const USER = new InjectionToken<string>('user');

inPage('provideMcp() over HTTP', () => {
  afterEach(endApps);

  it('runs interceptors in order, in an injection context, for every request', async () => {
    const seen: string[] = [];
    const outer: McpInterceptorFn = (request, next) => {
      seen.push(`outer ${inject(USER)}`);
      return next(request);
    };
    const inner: McpInterceptorFn = (request, next) => {
      seen.push('inner');
      return next(request);
    };
    const own = (request: HttpRequest, next: Parameters<McpInterceptorFn>[1]) => {
      seen.push('own');
      return next(request);
    };
    const { modern } = await fixtureUrls();
    const { mcp } = await start([{ provide: USER, useValue: 'Ada' }, provideMcp({ type: 'http', url: modern, interceptors: [own] }, withMcpInterceptors(outer), withMcpInterceptors(inner))]);
    await until(() => mcp.tools().length > 4);
    expect(seen.slice(0, 3)).to.deep.equal(['outer Ada', 'inner', 'own']);
    expect(seen.length % 3).to.equal(0);
  });

  it('tells the server of the end of a session when the application ends, though nothing can be injected any more', async () => {
    const sent: string[] = [];
    const counting: McpInterceptorFn = (request, next) => {
      sent.push(request.method);
      return next(request);
    };
    const { legacy } = await fixtureUrls();
    const { mcp, ref } = await start([provideMcp({ type: 'http', url: legacy }, withMcpInterceptors(counting))]);
    await until(() => mcp.tools().length > 4);
    expect(sent).to.not.include('DELETE');
    ref.destroy();
    await until(() => sent.includes('DELETE'));
  });

  it('a function makes the configuration, in an injection context; many servers are one list', async () => {
    const urls = await fixtureUrls();
    const entries = (): ServerEntry[] => (['legacy', 'modern'] as const).map((name) => ({ name, title: inject(USER), config: { type: 'http', url: urls[name] } as never }));
    const { mcp, run } = await start([{ provide: USER, useValue: 'Ada' }, provideMcp(() => ({ servers: of(entries()) }), withMcpOptions({ client: { features: [withLogLevel('info')] } }))]);
    await until(() => mcp.tools().length === 12);
    expect(mcp.status()).to.equal('ready');
    expect(mcp.servers().map(({ name, title, tools }) => [name, title, tools])).to.deep.equal([['legacy', 'Ada', 6], ['modern', 'Ada', 6]]);
    const call = run(() => mcpTool({ tool: 'modern__slow', args: () => ({ steps: 3, interval: 5 }) }));
    await until(() => call.hasValue());
    expect(call.progress()).to.include({ progress: 3, total: 3 });
    expect(call.logs().map(({ data }) => data)).to.deep.equal(['step 1 of 3', 'step 2 of 3', 'step 3 of 3']);
  });
});
