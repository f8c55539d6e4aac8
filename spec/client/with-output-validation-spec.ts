import { expect } from 'chai';
import { createClient, OutputValidationError, withOutputValidation, type OutputProblem } from '../../lib/index.ts';
import { provideLazyModules } from '../../lib/testing/lazy-modules.ts';
import { legacyScript, ScriptedServer } from '../support/peer.ts';
import { inVirtualTime, record, type Recorded } from '../support/test-scheduler.ts';

const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const nested = (depth: number): object => (depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } });

/** Calls a tool whose schema and result are given; the tools are listed first. */
function calling(mode: 'off' | 'warn' | 'strict', outputSchema: unknown, result: object, calls = 1): { called: Recorded<unknown>[]; listed: Recorded<unknown>; problems: OutputProblem[] } {
  const problems: OutputProblem[] = [];
  let called: Recorded<unknown>[] = [];
  let listed: Recorded<unknown> | undefined;
  inVirtualTime(({ flush }) => {
    const tools = [{ name: 'other', inputSchema: { type: 'object' } }, { name: 't', inputSchema: { type: 'object' }, outputSchema }];
    const server = new ScriptedServer(legacyScript({ 'tools/list': () => ({ tools }), 'tools/call': () => ({ content: [{ type: 'text', text: 'kept' }], ...result }) }));
    const client = createClient(server.open, { features: [withOutputValidation(mode)] });
    client.outputProblems$.subscribe((problem) => problems.push(problem));
    record(client.connect());
    flush();
    listed = record(client.listTools());
    flush();
    called = Array.from({ length: calls }, () => record<unknown>(client.callTool('t')));
    flush();
    void client.close();
    flush();
  });
  return { called, listed: listed!, problems };
}

describe('withOutputValidation() [B88 B89]', () => {
  before(provideLazyModules);

  const good: [string, unknown, object][] = [
    ['a result that matches', number, { structuredContent: { n: 1 } }],
    ['a result with more than was asked', number, { structuredContent: { n: 1, more: [] }, extra: true }],
    ['an error result, whatever it holds', number, { isError: true, structuredContent: { err: 1 } }],
    ['an error result without structured content', number, { isError: true }],
    ['a tool without a schema', undefined, { structuredContent: 7 }],
    ['the schema true', true, { structuredContent: 7 }],
    ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', ...number }, { structuredContent: { n: 1 } }],
  ];
  for (const [title, schema, result] of good) {
    it(`is content with ${title}`, () => {
      const { called, problems } = calling('strict', schema, result);
      expect(called[0]?.errors).to.deep.equal([]);
      expect(called[0]?.values).to.have.length(1);
      expect(problems).to.deep.equal([]);
    });
  }

  const bad: [string, unknown, object, RegExp][] = [
    ['a wrong type', number, { structuredContent: { n: 'x' } }, /integer/],
    ['a missing field', number, { structuredContent: {} }, /n/],
    ['no structured content', number, {}, /missing/],
    ['the schema false', false, { structuredContent: {} }, /False/i],
  ];
  for (const [title, schema, result, problem] of bad) {
    it(`tells of ${title}, and lets the result pass, or not when strict`, () => {
      const warned = calling('warn', schema, result);
      expect(warned.called[0]?.values).to.have.length(1);
      expect(warned.problems).to.have.length(1);
      expect(warned.problems[0]).to.deep.include({ tool: 't', kind: 'result' });
      expect(warned.problems[0]?.message).to.match(problem);
      const [strict] = calling('strict', schema, result).called;
      expect(strict?.errors[0]).to.be.instanceOf(OutputValidationError);
      expect(strict?.errors[0].result.content).to.deep.equal([{ type: 'text', text: 'kept' }]);
      expect(calling('off', schema, result).problems).to.deep.equal([]);
    });
  }

  const unusable: [string, unknown][] = [
    ['an unresolved $ref', { $ref: '#/$defs/Missing' }],
    ['an unresolved $ref further in', { type: 'object', properties: { n: { $ref: '#/$defs/Missing' } } }],
    ['a $ref into the network', { $ref: 'http://127.0.0.1:9/schema.json' }],
    ['absurd depth', nested(200)],
    ['an unknown dialect', { $schema: 'https://example.com/own', type: 'object' }],
    ['a text', 'object'],
  ];
  for (const [title, schema] of unusable) {
    it(`marks a tool whose schema has ${title}, once, and neither its calls nor the list suffer`, () => {
      const { called, listed, problems } = calling('strict', schema, { structuredContent: { n: 1 } }, 3);
      expect((listed.values[0] as unknown[]).length).to.equal(2);
      expect(called.map(({ values }) => values.length)).to.deep.equal([1, 1, 1]);
      expect(problems.map(({ kind, tool }) => `${kind} ${tool}`)).to.deep.equal(['schema t']);
    });
  }
});
