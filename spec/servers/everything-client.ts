// A client with everything that the official reference server asks for, and a record of what of the server was used.
import { expect } from 'chai';
import { BehaviorSubject } from 'rxjs';
import {
  withElicitation,
  withOutputValidation,
  withRoots,
  withSampling,
  type CallToolResult,
  type ClientFeature,
  type ClientOptions,
  type CreateMessageParams,
  type ElicitationApi,
  type ElicitDecision,
  type ElicitParams,
  type McpClient,
  type OutputValidation,
  type Root,
  type WireRecord,
} from '../../lib/index.ts';
import { outcome } from '../support/outcome.ts';

export type OpenEverything = (options: ClientOptions) => McpClient | Promise<McpClient>;

/** What a client of this suite has beyond the core. */
type Client = McpClient & ElicitationApi & OutputValidation;

/** Says that the client runs requests as tasks, too; the server then offers two more tools, and takes a direct answer for an answer. */
const TASKS = { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } };

/** One client for a whole suite: open before it, closed after it. */
export class Everything {
  client!: Client;
  readonly roots$ = new BehaviorSubject<readonly Root[]>([{ uri: 'file:///first', name: 'First' }]);
  /** What the server asked. */
  readonly forms: ElicitParams[] = [];
  readonly prompts: CreateMessageParams[] = [];
  /** What the user says to a form, or to a URL. */
  decide: (params: ElicitParams) => ElicitDecision = () => ({ action: 'cancel' });
  readonly wire: WireRecord[] = [];

  constructor(open: OpenEverything) {
    before(async () => {
      const features: ClientFeature[] = [
        withElicitation((params) => {
          this.forms.push(params);
          return [this.decide(params)];
        }),
        withSampling((params) => {
          this.prompts.push(params);
          return [{ role: 'assistant', content: { type: 'text', text: 'A haiku' }, model: 'spec', stopReason: 'endTurn' }];
        }),
        withRoots(this.roots$),
        withOutputValidation('strict'),
      ];
      this.client = (await open({ features, capabilities: { tasks: TASKS } })) as Client;
      this.client.wire$.subscribe((record) => this.wire.push(record));
      expect((await outcome(this.client.connect())).error).to.equal(undefined);
    });
    after(() => outcome(this.client.close()));
  }

  /** Messages of one method that went out, or came in. */
  messages(direction: 'in' | 'out', method: string): any[] {
    return this.wire.flatMap(({ direction: way, message }) => (way === direction && 'method' in message && message.method === method ? [message] : []));
  }

  /** Notifications of one method, their params. */
  notified(method: string): any[] {
    return this.messages('in', method).map(({ params }) => params);
  }

  /** The result of a tool, which must be the only value. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return valueOf(this.client.callTool(name, args));
  }

  /** What the calls, prompts or templates that were used are named. */
  used(method: 'tools/call' | 'prompts/get' | 'resources/read'): string[] {
    return [...new Set(this.messages('out', method).map(({ params }) => (params.name ?? params.uri) as string))].sort();
  }
}

/** The value of a stream that gives one and completes. */
export async function valueOf<T>(source$: Parameters<typeof outcome<T>>[0]): Promise<T> {
  const { values, error } = await outcome(source$);
  if (error !== undefined) throw error as Error;
  expect(values).to.have.length(1);
  return values[0]!;
}

/** All text of a result. */
export const textOf = ({ content }: CallToolResult): string => content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
