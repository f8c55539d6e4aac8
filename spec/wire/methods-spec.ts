import { expect } from 'chai';
import type { CallToolResult, ClientRequests, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, McpClient, ParamsOf, ResultOf, ServerNotification, ServerRequests, Tool } from '../../lib/index.ts';
import type { Observable } from 'rxjs';

/** Compiles only when both types are the same. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- TypeScript compares types so
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(value: T): T => value;

/** Every method of the specification, all revisions together, and of its extensions. */
type ClientMethod =
  | 'initialize' | 'server/discover' | 'ping' | 'tools/list' | 'tools/call' | 'resources/list' | 'resources/templates/list' | 'resources/read'
  | 'resources/subscribe' | 'resources/unsubscribe' | 'prompts/list' | 'prompts/get' | 'completion/complete' | 'logging/setLevel'
  | 'subscriptions/listen' | 'tasks/get' | 'tasks/update' | 'tasks/result' | 'tasks/list' | 'tasks/cancel';
type SkillMethod = 'skills/list' | 'skills/get' | 'resources/directory/read';
type ServerMethod = 'ping' | 'sampling/createMessage' | 'elicitation/create' | 'roots/list' | 'tasks/get' | 'tasks/result' | 'tasks/list' | 'tasks/cancel';

describe('types of messages and methods [R01]', () => {
  it('know every method of either side', () => {
    holds<Same<keyof ClientRequests, ClientMethod | SkillMethod>>(true);
    holds<Same<keyof ServerRequests, ServerMethod>>(true);
  });

  it('type params and result by the method, and leave others open', () => {
    holds<Same<ResultOf<'tools/call'>, CallToolResult>>(true);
    holds<Same<ResultOf<'tools/list'>['tools'], Tool[]>>(true);
    holds<Same<ParamsOf<'com.example/own'>, Record<string, unknown>>>(true);
    const call = (client: McpClient): Observable<CallToolResult> => client.request('tools/call', { name: 'x' });
    // @ts-expect-error -- a tool call needs a name
    const wrong = (client: McpClient): unknown => client.request('tools/call', { nome: 'x' });
    expect([typeof call, typeof wrong]).to.deep.equal(['function', 'function']);
  });

  it('tell notifications apart by their method', () => {
    const level = (message: ServerNotification): string => (message.method === 'notifications/message' ? message.params.level : '');
    expect(level({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } })).to.equal('info');
  });

  it('cover every kind of message', () => {
    holds<Same<JsonRpcMessage, JsonRpcRequest | JsonRpcNotification | JsonRpcResponse>>(true);
  });
});
