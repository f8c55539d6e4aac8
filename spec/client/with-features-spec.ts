import { expect } from 'chai';
import { Subject } from 'rxjs';
import { createClient, withLogLevel, withTraceContext, type ClientFeature, type JsonRpcMessage, type LoggingLevel, type TraceContext } from '../../lib/index.ts';
import { legacyScript, modernScript, Refusal, ScriptedServer, type Script } from '../support/peer.ts';
import { inVirtualTime, record } from '../support/test-scheduler.ts';

/** A ready client with one feature, and what it has sent since. */
function withOne(script: Script, feature: ClientFeature) {
  const server = new ScriptedServer(script);
  const client = createClient(server.open, { features: [feature], probeTimeoutMs: 10 });
  const sent: JsonRpcMessage[] = [];
  client.wire$.subscribe(({ direction, message }) => {
    if (direction === 'out') sent.push(message);
  });
  record(client.connect());
  return { client, server, sent };
}
const params = (sent: JsonRpcMessage[], method: string): unknown[] => sent.flatMap((message) => ('method' in message && message.method === method ? [message.params] : []));
const LEVEL = 'io.modelcontextprotocol/logLevel';

describe('withLogLevel()', () => {
  const logging = { initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { logging: {} } }), 'logging/setLevel': () => ({}) };

  it('tells a legacy server once, and again after each change and each reconnect', () => {
    inVirtualTime(({ flush }) => {
      const level$ = new Subject<LoggingLevel>();
      const { client, sent } = withOne(legacyScript(logging), withLogLevel(level$));
      flush();
      level$.next('debug');
      level$.next('error');
      flush();
      expect(params(sent, 'logging/setLevel')).to.deep.equal([{ level: 'debug' }, { level: 'error' }]);
      void client.close();
      flush();
      expect(level$.observed).to.equal(false);
    });
    inVirtualTime(({ flush }) => {
      const { client, sent } = withOne(legacyScript(logging), withLogLevel('info'));
      flush();
      record(client.reconnect());
      flush();
      expect(params(sent, 'logging/setLevel')).to.deep.equal([{ level: 'info' }, { level: 'info' }]);
      void client.close();
      flush();
    });
  });

  it('asks nothing of a legacy server that declares no logging', () => {
    inVirtualTime(({ flush }) => {
      const { client, sent } = withOne(legacyScript(), withLogLevel('info'));
      flush();
      expect(params(sent, 'logging/setLevel')).to.deep.equal([]);
      void client.close();
      flush();
    });
  });

  it('goes on after a refusal', () => {
    inVirtualTime(({ flush }) => {
      const level$ = new Subject<LoggingLevel>();
      const { client, sent } = withOne(legacyScript({ ...logging, 'logging/setLevel': () => { throw new Refusal(-32601, 'no'); } }), withLogLevel(level$));
      flush();
      level$.next('debug');
      flush();
      level$.next('error');
      flush();
      expect(params(sent, 'logging/setLevel')).to.have.length(2);
      void client.close();
      flush();
    });
  });

  it('goes with every call to a modern server, unless the call says otherwise', () => {
    inVirtualTime(({ flush }) => {
      const { client, sent } = withOne(modernScript({ 'tools/call': () => ({ content: [] }) }), withLogLevel('warning'));
      flush();
      record(client.callTool('x'));
      record(client.callTool('x', {}, { meta: { [LEVEL]: 'debug' } }));
      flush();
      expect(params(sent, 'tools/call').map((call) => (call as { _meta: Record<string, unknown> })._meta[LEVEL])).to.deep.equal(['warning', 'debug']);
      expect(params(sent, 'logging/setLevel')).to.deep.equal([]);
      void client.close();
      flush();
    });
  });
});

describe('withTraceContext()', () => {
  it('puts the context of the moment into every call, and nothing where there is none', () => {
    inVirtualTime(({ flush }) => {
      const contexts: (TraceContext | undefined)[] = [{ traceparent: '00-a-b-01', tracestate: 'x=1', baggage: 'k=v' }, undefined, { traceparent: '00-c-d-01' }];
      const { client, sent } = withOne(legacyScript({ 'tools/call': () => ({ content: [] }) }), withTraceContext(() => contexts.shift()));
      flush();
      const call$ = client.callTool('x');
      for (let i = 0; i < 3; i++) record(call$);
      flush();
      expect(params(sent, 'tools/call').map((call) => (call as { _meta?: unknown })._meta)).to.deep.equal([
        { traceparent: '00-a-b-01', tracestate: 'x=1', baggage: 'k=v' },
        {},
        { traceparent: '00-c-d-01' },
      ]);
      void client.close();
      flush();
    });
  });
});
