import { expect } from 'chai';
import { NEVER, of, throwError } from 'rxjs';
import { z } from 'zod';
import { structuredContent, StructuredContentError, ToolError, type CallToolResult, type StandardSchema } from '../../lib/index.ts';
import { outcome } from '../support/outcome.ts';
import { record, testScheduler } from '../support/test-scheduler.ts';

const result = (content: unknown, more: object = {}): CallToolResult => ({ content: [], ...(content === undefined ? {} : { structuredContent: content }), ...more });
const Weather = z.object({ city: z.string(), degrees: z.number().default(0), days: z.array(z.object({ sun: z.boolean() })).default([]) });

describe('structuredContent', () => {
  it('is what the schema makes of it, and typed by it', () => {
    const seen = record(of(result({ city: 'Rome', more: 1 })).pipe(structuredContent(Weather)));
    const [weather] = seen.values;
    const degrees: number | undefined = weather?.degrees; // the output's type: defaults are filled in
    expect(degrees).to.equal(0);
    expect(seen).to.deep.include({ values: [{ city: 'Rome', degrees: 0, days: [] }], errors: [], completed: 1 });
  });

  it('is refused with all that is wrong, where, and the result', () => {
    const bad = result({ city: 7, days: [{ sun: true }, { sun: 'yes' }] });
    const [error] = record(of(bad).pipe(structuredContent(Weather))).errors;
    expect(error).to.be.instanceOf(StructuredContentError);
    expect(error.message).to.match(/^The structured content is not as expected: city: .*; days\.1\.sun: .*$/);
    expect(error.issues).to.have.length(2);
    expect(error.result).to.equal(bad);
  });

  it('may be checked by a schema that takes its time, or names paths by objects', async () => {
    const slow: StandardSchema<string> = {
      '~standard': {
        version: 1,
        vendor: 'spec',
        validate: async (value) => (value === 'x' ? { value: 'X' } : { issues: [{ message: 'no', path: [{ key: 'a' }, 0] }, { message: 'nor this' }] }),
      },
    };
    expect(await outcome(of(result('x')).pipe(structuredContent(slow)))).to.deep.equal({ values: ['X'], error: undefined });
    expect((await outcome(of(result('y')).pipe(structuredContent(slow)))).error.message).to.equal('The structured content is not as expected: a.0: no; nor this');
  });

  it('is taken as it is without a schema, whatever JSON it is', () => {
    for (const value of [{ a: 1 }, [1], 'x', 0, false, null]) expect(record(of(result(value)).pipe(structuredContent<typeof value>())).values).to.deep.equal([value]);
  });

  it('is an error where there is none, and where the tool failed', () => {
    const [missing] = record(of(result(undefined)).pipe(structuredContent())).errors;
    expect(missing).to.be.instanceOf(StructuredContentError).with.property('message', 'The result has no structured content');
    const [failed] = record(of(result({ city: 7 }, { isError: true })).pipe(structuredContent(Weather))).errors;
    expect(failed).to.be.instanceOf(ToolError);
  });

  it('passes errors and silence on, and lets go', () => {
    const reason = new Error('x');
    expect(record(throwError(() => reason).pipe(structuredContent())).errors).to.deep.equal([reason]);
    testScheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold<CallToolResult>('-');
      expectObservable(source$.pipe(structuredContent()), '--!').toBe('-');
      expectSubscriptions(source$.subscriptions).toBe('^-!');
    });
    expect(record(NEVER.pipe(structuredContent())).completed).to.equal(0);
  });
});
